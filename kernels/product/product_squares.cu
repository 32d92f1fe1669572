// product_squares.cu: products of complex double pages that are added to C
// SPDX-License-Identifier: GPL-3.0-or-later

#include "engine/product_square_part.cuh"
#include "product_bulk_launch.cuh"

template <class T>
cudaError_t product_squares (const product_args<T, T> &a, int multiprocessors, bool add,
                             cudaStream_t stream, bool *done)
{
  typedef typename bulk_for<T, BULK_64>::type S;
  const product_piece piece = {0, a.pages, 0, 1, 0, a.k, multiprocessors};
  *done = false;
  if (!clusters_work ())
    return cudaSuccess;
  if (add)
    return launch_bulk_shape<T, false, false, S, BULK_ADDED> (a, piece, 1, stream, done);
  return a.transpose_a
             ? launch_bulk_shape<T, true, false, S, BULK_STORED> (a, piece, 1, stream, done)
             : launch_bulk_shape<T, false, false, S, BULK_STORED> (a, piece, 1, stream, done);
}

template cudaError_t product_squares (const product_args<cx<double>, cx<double>> &, int, bool,
                                      cudaStream_t, bool *);

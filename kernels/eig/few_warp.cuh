// few_warp.cuh: where a warp has the tridiagonal matrices of some pages, a lane to an eigenvalue
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_FEW_WARP_CUH
#define GPULINALG_FEW_WARP_CUH

#include "few.cuh"

// A warp has some whole pages, k lanes for each. Their matrices are in shared memory, row by row,
// so that lanes of different pages read different banks.
struct few_layout {
  int n, k, pages, apart, rows;
  __host__ __device__ few_layout (int n, int k, int pages)
      : n (n), k (k), pages (pages), apart (pages | 1),
        rows ((n + FEW_ROWS - 1) / FEW_ROWS * FEW_ROWS)
  {
  }
  // of d, e or the squares of e
  __host__ __device__ int matrix () const { return rows * apart; }
};

// The pages of a warp: from `first` on, in the order of the chunk or in that of a list, up to `end`
// of it.
struct few_task {
  int pages, k;
  const int *list;
  int64_t first, end;
  // page g of them; the last one again behind the end
  GLA_DEVICE int64_t page (int g) const
  {
    const int64_t at = first + g < end ? first + g : end - 1;
    return list != nullptr ? list[at] : at;
  }
};

// The matrices of the warp's pages. Rows behind the end are 0.
template <class T>
GLA_DEVICE void few_load (const eig_args<T> &a, const few_layout &s, const few_task &task,
                          real_t<T> *d, real_t<T> *e)
{
  typedef real_t<T> R;
#pragma unroll 4
  for (int at = threadIdx.x; at < s.pages * s.rows; at += 32) {
    int g = at / s.rows, i = at - g * s.rows;
    int64_t page = task.page (g);
    d[i * s.apart + g] = i < s.n ? a.d[page * s.n + i] : R (0);
    e[i * s.apart + g] = i > 0 && i < s.n ? a.e[page * s.n + i - 1] : R (0);
  }
  __syncwarp ();
}

// A power of two above all eigenvalues; 1 of a matrix of zeros.
template <class R> GLA_DEVICE R few_bound (const few_matrix<R> &t)
{
  R bound = 0;
#pragma unroll 4
  for (int i = 0; i < t.n; i++) {
    R sum = absmax (t.d[i * t.apart]) + absmax (t.e[i * t.apart]);
    sum += i < t.n - 1 ? absmax (t.e[(i + 1) * t.apart]) : R (0);
    bound = bound > sum ? bound : sum;
  }
  return bound > limits<R>::tiny ? 2 / few_down (bound) : R (1);
}

// For counts, by one lane of each page: squares of e, and behind the end a diagonal beyond all
// eigenvalues, so that the rows there change no count.
template <class R> GLA_DEVICE void few_square (const few_layout &s, R *d, R *e, R bound)
{
  for (int i = 0; i < s.rows; i++) {
    R beside = e[i * s.apart];
    e[i * s.apart] = beside * beside;
    if (i >= s.n)
      d[i * s.apart] = 4 * bound;
  }
}

#endif

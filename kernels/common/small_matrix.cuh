// small_matrix.cuh: matrices of 32 by 32 in shared memory, and their products on the tensor cores
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Used by the trees of qr (qr_tree.cu, qr_join.cu). All 256 threads of a block call.

#ifndef GPULINALG_SMALL_MATRIX_CUH
#define GPULINALG_SMALL_MATRIX_CUH

#include "mma.cuh"

// A block has 8 warps; each has two adjacent tiles of 8 by 8 of a product.
enum { SMALL = 32, SMALL_LD = SMALL + 4, SMALL_THREADS = 256 };

// In double for all types, real and imaginary parts apart.
template <class T> struct small_matrix {
  static constexpr bool C = is_complex_v<T>;
  alignas (16) double number[(C ? 2 : 1) * SMALL * SMALL_LD];

  GLA_DEVICE mma_matrix<C> view () const
  {
    return {const_cast<double *> (number), SMALL_LD, SMALL * SMALL_LD};
  }
  GLA_DEVICE T get (int i, int j) const { return view ().template number<T> (i, j); }
  GLA_DEVICE void put (int i, int j, T a) { view ().put (i, j, mma_entry_of (a)); }
};

// Loads rows x columns entries; the rest is zero.
template <class T>
GLA_DEVICE void small_load (small_matrix<T> &to, const T *from, int64_t ld, int64_t rows,
                            int64_t columns)
{
  int i = threadIdx.x % SMALL;
  T value[SMALL * SMALL / SMALL_THREADS];
#pragma unroll
  for (int x = 0; x < SMALL * SMALL / SMALL_THREADS; x++) {
    int j = threadIdx.x / SMALL + x * (SMALL_THREADS / SMALL);
    value[x] = i < rows && j < columns ? from[i + j * ld] : from_real<T> (0);
  }
#pragma unroll
  for (int x = 0; x < SMALL * SMALL / SMALL_THREADS; x++)
    to.put (i, threadIdx.x / SMALL + x * (SMALL_THREADS / SMALL), value[x]);
}
template <class T> GLA_DEVICE void small_store (T *to, int64_t ld, const small_matrix<T> &from)
{
  for (int q = threadIdx.x; q < SMALL * SMALL; q += SMALL_THREADS)
    to[q % SMALL + q / SMALL * ld] = from.get (q % SMALL, q / SMALL);
}

// This warp's tiles of a product.
template <class T> struct small_tiles {
  static constexpr bool C = is_complex_v<T>;
  mma_tile<C> tile[2];

  GLA_DEVICE static int row () { return threadIdx.x / 32 % 4 * 8; }
  GLA_DEVICE static int column (int x) { return threadIdx.x / 128 * 16 + 8 * x; }

  // += a b, or a' b
  template <bool ADJOINT>
  GLA_DEVICE void multiply_add (const small_matrix<T> &a, const small_matrix<T> &b)
  {
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int k = 0; k < SMALL; k += 4) {
      int l = k + lane % 4, i = row () + lane / 4;
      mma_entry<C> left = ADJOINT ? a.view ().get (l, i) : a.view ().get (i, l);
#pragma unroll
      for (int x = 0; x < 2; x++) {
        mma_entry<C> right = b.view ().get (l, column (x) + lane / 4);
        if (ADJOINT)
          mma_add_conj (tile[x], left, right);
        else
          mma_add (tile[x], left, right);
      }
    }
  }
  GLA_DEVICE void put (small_matrix<T> &to) const
  {
#pragma unroll
    for (int x = 0; x < 2; x++)
      to.view ().put_tile (row (), column (x), tile[x]);
  }
};

// c = a b, or a' b; c may be a or b. Begins and ends with all threads together.
template <bool ADJOINT, class T>
GLA_DEVICE void small_multiply (small_matrix<T> &c, const small_matrix<T> &a,
                                const small_matrix<T> &b)
{
  small_tiles<T> product;
  __syncthreads ();
  product.template multiply_add<ADJOINT> (a, b);
  __syncthreads ();
  product.put (c);
  __syncthreads ();
}

#endif

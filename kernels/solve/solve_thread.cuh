// solve_thread.cuh: inverses of plain pages of order 2 to 4; a thread has a page
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Plain pages have finite entries of usual size and are neither triangular nor Hermitian with a
// positive diagonal. A thread has its page in registers and does Gauss-Jordan elimination with
// partial pivoting in place. It exchanges rows by selections, so that no register is addressed by a
// variable. Other pages, and those with a pivot that is 0 or out of range, get the info LU_PENDING,
// and solve_lanes.cuh does them.

#ifndef GPULINALG_SOLVE_THREAD_CUH
#define GPULINALG_SOLVE_THREAD_CUH

#include "solve.cuh"
#include "solve_pivot.cuh"
#include "solve_tiles.cuh"

enum { LU_THREAD_MAX = 4, LU_THREAD_THREADS = 128 };

template <class T, int N> struct lu_thread {
  T m[N][N]; // m[i][j]: row i
  int order[N];

  // Loads a page from shared memory. Returns whether it is plain.
  GLA_DEVICE bool load (const T *page, bool transposed, bool conjugate)
  {
    typedef lu_size<real_t<T>> Z;
    int size = 0;
    bool below = false, above = false, skew = false;
#pragma unroll
    for (int j = 0; j < N; j++)
#pragma unroll
      for (int i = 0; i < N; i++) {
        m[i][j] = conj_if (page[transposed ? j + i * N : i + j * N], conjugate);
        size = max (size, size_bits (m[i][j]));
      }
#pragma unroll
    for (int j = 0; j < N; j++)
#pragma unroll
      for (int i = j; i < N; i++) {
        below |= i > j && !is_zero (m[i][j]);
        above |= i > j && !is_zero (m[j][i]);
        skew |= !is_same (m[i][j], conj (m[j][i])) || (i == j && !(re (m[i][i]) > 0));
      }
    return size >= Z::small && size <= Z::large && below && above && skew;
  }
  GLA_DEVICE void store (T *page) const
  {
#pragma unroll
    for (int j = 0; j < N; j++)
#pragma unroll
      for (int i = 0; i < N; i++)
        page[i + j * N] = m[i][j];
  }

  // Exchanges rows k and p of all columns.
  GLA_DEVICE void exchange_rows (int k, int p)
  {
#pragma unroll
    for (int i = k + 1; i < N; i++)
#pragma unroll
      for (int j = 0; j < N; j++) {
        const T x = m[k][j], y = m[i][j];
        m[k][j] = i == p ? y : x;
        m[i][j] = i == p ? x : y;
      }
  }
  GLA_DEVICE void exchange_columns (int k, int p)
  {
#pragma unroll
    for (int j = k + 1; j < N; j++)
#pragma unroll
      for (int i = 0; i < N; i++) {
        const T x = m[i][k], y = m[i][j];
        m[i][k] = j == p ? y : x;
        m[i][j] = j == p ? x : y;
      }
  }

  // Returns whether all pivots are good.
  GLA_DEVICE bool invert ()
  {
    bool all_good = true;
#pragma unroll
    for (int k = 0; k < N; k++) {
      int p = k, most = pivot_bits (m[k][k]);
#pragma unroll
      for (int i = k + 1; i < N; i++) {
        const int bits = pivot_bits (m[i][k]);
        p = bits > most ? i : p;
        most = max (most, bits);
      }
      order[k] = p;
      exchange_rows (k, p);
      bool good;
      const T reciprocal = pivot_reciprocal (m[k][k], good);
      all_good &= good;
      m[k][k] = from_real<T> (1);
#pragma unroll
      for (int j = 0; j < N; j++)
        m[k][j] = m[k][j] * reciprocal;
#pragma unroll
      for (int i = 0; i < N; i++) {
        if (i == k)
          continue;
        const T f = m[i][k];
        m[i][k] = from_real<T> (0);
#pragma unroll
        for (int j = 0; j < N; j++)
          m[i][j] = subtract_product (m[i][j], f, m[k][j]);
      }
    }
#pragma unroll
    for (int k = N - 2; k >= 0; k--)
      exchange_columns (k, order[k]);
    return all_good;
  }
};

// A block has as many pages as threads. The threads copy them element by element to shared memory
// and back, so that accesses to global memory are contiguous; there a page has an odd number of
// elements, so that threads that read their own pages use different banks.
template <class T, int N>
__global__ void __launch_bounds__ (LU_THREAD_THREADS) lu_thread_kernel (lu_args<T> a)
{
  enum { THREADS = LU_THREAD_THREADS, SIZE = N * N, STEP = SIZE | 1 };
  __shared__ T pages[THREADS * STEP];
  __shared__ bool solved[THREADS];
  const int64_t first = (int64_t)blockIdx.x * THREADS;
  const int count = (int)(a.pages - first < THREADS ? a.pages - first : THREADS), me = threadIdx.x;
#pragma unroll 4
  for (int e = me; e < count * SIZE; e += THREADS) {
    const int p = e / SIZE, k = e % SIZE;
    pages[p * STEP + k] = a.A.at (first + p)[k % N + k / N * a.A.ld];
  }
  __syncthreads ();
  if (me < count) {
    lu_thread<T, N> w;
    solved[me] = w.load (pages + me * STEP, a.transposed, a.conjugate) && w.invert ();
    a.info[first + me] = solved[me] ? 0 : LU_PENDING;
    w.store (pages + me * STEP);
  }
  __syncthreads ();
#pragma unroll 4
  for (int e = me; e < count * SIZE; e += THREADS) {
    const int p = e / SIZE, k = e % SIZE;
    if (solved[p])
      a.X[(first + p) * a.x_page + k % N * a.x_row + k / N * a.x_column] = pages[p * STEP + k];
  }
}

template <class T, int N> cudaError_t lu_launch_thread (const lu_args<T> &a, cudaStream_t stream)
{
  const int64_t blocks = (a.pages + LU_THREAD_THREADS - 1) / LU_THREAD_THREADS;
  lu_thread_kernel<T, N><<<(unsigned)blocks, LU_THREAD_THREADS, 0, stream>>> (a);
  return cudaGetLastError ();
}

// Whether the kernel has done the plain pages.
template <class T> bool lu_by_thread (const lu_args<T> &a, cudaStream_t stream, cudaError_t *error)
{
  if (!a.inverse || a.rcond != nullptr || a.a_real || a.n < 2 || a.n > LU_THREAD_MAX)
    return false;
  *error = a.n == 2   ? lu_launch_thread<T, 2> (a, stream)
           : a.n == 3 ? lu_launch_thread<T, 3> (a, stream)
                      : lu_launch_thread<T, 4> (a, stream);
  return true;
}

#endif

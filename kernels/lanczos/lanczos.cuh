// lanczos.cuh: a block Krylov basis on one GPU, and the kernels that work on it
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The basis is stored in blocks of b columns, each n x b with the b elements of a row contiguous,
// as the sparse product needs them; one read of a row then serves b columns. Coefficients
// (projections V'*W, triangles) are double on the device for every type, complex as pairs, in rows
// of b: element (i, k) of a coefficient matrix is number i*b + k. Warps form sums over n in a fixed
// order, as partial sums of each thread block that a second kernel adds.

#ifndef GPULINALG_LANCZOS_CUH
#define GPULINALG_LANCZOS_CUH

#include <cuda_runtime.h>
#include "gpulinalg.h"
#include "common/scalar.cuh"

enum { KRYLOV_GRID = 264, KRYLOV_WARPS = 8 };

// Numbers that a cycle leaves on the device; while `failed` is not 0, kernels do nothing.
struct krylov_flags {
  int failed;  // 1 + number of the step whose triangle could not be formed
  double norm; // largest |A*v| that was seen
};

// What a kernel works on: all pointers are to the device. Without rows it only sets sums to 0.
template <class T> struct krylov_place {
  int64_t n;             // rows here
  int64_t before, order; // rows of other GPUs before these, and in all
  int b;
  krylov_flags *flags;
  double *partial; // sums of the thread blocks
  cudaStream_t stream;
};

// Forms C = [V W]'*(W*M), (blocks+1)*b x b, for `blocks` blocks V and the b x b matrix M (NULL: I);
// the last b rows of C are the Gram matrix of W*M.
template <class T>
cudaError_t krylov_project (const krylov_place<T> &p, const T *V, int64_t blocks, const T *W,
                            const double *M, double *C);
// Returns the doubles that krylov_place.partial needs for so many blocks.
int64_t krylov_partial_size (int64_t blocks, int b, bool is_complex);

// The rows of a matrix on several GPUs are cut into KRYLOV_SHARES shares, whatever the number of
// the GPUs, and each GPU has one or several consecutive ones. Sums over all rows are those of the
// shares, added in their order, so they have the same bits on any number of GPUs.
enum { KRYLOV_SHARES = 8, KRYLOV_SHARE_GRID = 132 };

// Shares of one GPU: number k has its rows start[k] .. start[k+1]-1.
struct krylov_shares {
  int count;
  int64_t start[KRYLOV_SHARES + 1];
};

// Second places for the results of a kernel, also in the memory of other GPUs.
struct krylov_more_sums {
  int count;
  double *to[KRYLOV_SHARES];
};
template <class T> struct krylov_more_rows {
  int count;
  struct {
    T *to; // of the first row here
    int64_t first, end;
  } of[KRYLOV_SHARES];
};

// Forms the C of krylov_project for each share: share k's goes to sums + k*(blocks+1)*b*b (complex:
// twice that), and likewise to `more`.
template <class T>
cudaError_t krylov_project_shares (const krylov_place<T> &p, const krylov_shares &shares,
                                   const T *V, int64_t blocks, const T *W, const double *M,
                                   double *sums, const krylov_more_sums &more);
// Sets C to the sum of all KRYLOV_SHARES shares, `numbers` each.
cudaError_t krylov_add_shares (const double *sums, int64_t numbers, const krylov_flags *flags,
                               double *C, cudaStream_t stream);
// Returns the doubles that krylov_place.partial needs for so many shares.
int64_t krylov_share_partial_size (int shares, int64_t blocks, int b, bool is_complex);

// Sets W = W*M - V*C, and likewise the rows of `more`.
template <class T>
cudaError_t krylov_update (const krylov_place<T> &p, const T *V, int64_t blocks, T *W,
                           const double *M, const double *C, const krylov_more_rows<T> &more);
// Returns how many columns krylov_update and krylov_rotate can serve.
template <class T> int64_t krylov_most_columns (int b, int smem_limit);

// Blocks 0 .. keep-1 of V become V*S for the first `count` blocks; S has count*b rows of keep*b.
template <class T>
cudaError_t krylov_rotate (const krylov_place<T> &p, T *V, int64_t count, const T *S, int64_t keep,
                           int smem_limit);

// Finds R'*R = G by Cholesky's method and inverse = R^-1; sets flags->failed to step+1 if a column
// depends on those before it, or if its norm is lost against flags->norm. `products`: the Gram
// matrix of A*V, which first updates that norm, or NULL.
template <class T>
cudaError_t krylov_triangle (const krylov_place<T> &p, const double *G, const double *products,
                             double *R, double *inverse, int step);

// Copy columns first .. first+count-1 of a block from or to contiguous columns of length n.
template <class T>
cudaError_t krylov_place_columns (const krylov_place<T> &p, const T *from, T *block, int first,
                                  int count);
template <class T>
cudaError_t krylov_fetch_columns (const krylov_place<T> &p, const T *block, T *to, int first,
                                  int count);
// Makes column k of a block random: gla_krylov_random (seed, column*order + before + row).
template <class T>
cudaError_t krylov_random_column (const krylov_place<T> &p, T *block, int k, uint64_t seed,
                                  int64_t column);

// Norms below this times the largest |A*v| are rounding errors.
template <class T> constexpr double krylov_vanish = 30.0 * limits<real_t<T>>::eps;

//------------------------------------------------------------------------------
// three-term recurrence, b = 1
//------------------------------------------------------------------------------

// Step k of a batch. It uses u = beta*v instead of v; before is the previous u; y = A*u. beta[k]
// and beta[k+1] are the norms of the vectors before u and of u, beta[k+2] is that of the next.
template <class T> struct krylov_recurrence {
  const T *u, *y, *before;
  T *next;                      // may be `before`
  double *alpha, *beta, *norms; // norms: partial sums of |next|^2
  int64_t k;
};

// Forms partial sums of u'*y, and beta[k+1] from the norms of the last step if k > 0.
template <class T> cudaError_t krylov_dot (const krylov_place<T> &p, const krylov_recurrence<T> &r);
// Finds alpha[k], unless it is `given`, and the next vector.
template <class T>
cudaError_t krylov_next (const krylov_place<T> &p, const krylov_recurrence<T> &r, bool given);
// Finds beta[k+1] after the last step of a batch.
template <class T>
cudaError_t krylov_last_norm (const krylov_place<T> &p, const krylov_recurrence<T> &r);
// Adds U*S to columns 0..count-1 of X, for `vectors` columns of length n in U; S has rows of
// `count`.
template <class T>
cudaError_t krylov_accumulate (const krylov_place<T> &p, const T *U, int vectors, const double *S,
                               T *X, int64_t count);

//------------------------------------------------------------------------------
// pieces that the kernels share
//------------------------------------------------------------------------------

template <class T> constexpr int words_of = is_complex_v<T> ? 2 : 1;

template <class R> GLA_DEVICE void load_scalar (const double *from, R *to)
{
  *to = (R)from[0];
}
template <class R> GLA_DEVICE void load_scalar (const double *from, cx<R> *to)
{
  to->x = (R)from[0];
  to->y = (R)from[1];
}

// The B elements of a row, in vectors of 16 bytes if they fill them.
template <class T, int B> struct alignas (sizeof (T) * B < 16 ? sizeof (T) * B : 16) krylov_row {
  T at[B];
};

// How a warp reads a block of B columns: a lane has E elements, 16 bytes if a row has so many.
// LANES neighbouring lanes share a row, so the warp reads consecutive bytes; it reads ROWS rows at
// a time, 32/LANES apart.
template <class T, int B> struct krylov_lane {
  static constexpr int E = 16 / sizeof (T) < B ? (int)(16 / sizeof (T)) : B, LANES = B / E;
  static constexpr int SIZE = B * words_of<T>;
  static constexpr int ROWS = SIZE <= 2 ? 8 : SIZE >= 16 ? 1 : 16 / SIZE;
};

template <class T, int B>
GLA_DEVICE void load_whole_rows (const T *from, int64_t n, int64_t row,
                                 krylov_row<T, B> (&to)[krylov_lane<T, B>::ROWS])
{
  constexpr int apart = 32 / krylov_lane<T, B>::LANES;
#pragma unroll
  for (int r = 0; r < krylov_lane<T, B>::ROWS; r++) {
    to[r] = {};
    if (row + r * apart < n)
      to[r] = reinterpret_cast<const krylov_row<T, B> *> (from)[row + r * apart];
  }
}

// Loads the elements of this lane; `row` is its first.
template <class T, int B>
GLA_DEVICE void load_row_parts (const T *from, int64_t n, int64_t row,
                                krylov_row<T, krylov_lane<T, B>::E> (&to)[krylov_lane<T, B>::ROWS])
{
  typedef krylov_lane<T, B> lane;
  constexpr int apart = 32 / lane::LANES;
  const int part = threadIdx.x % lane::LANES;
#pragma unroll
  for (int r = 0; r < lane::ROWS; r++) {
    to[r] = {};
    if (row + r * apart < n)
      to[r] = reinterpret_cast<const krylov_row<T, lane::E> *> (
          from)[(row + r * apart) * lane::LANES + part];
  }
}

// Replaces w by w*M.
template <class T, int B>
GLA_DEVICE void times_matrix (krylov_row<T, B> (&w)[krylov_lane<T, B>::ROWS], const T *M)
{
#pragma unroll
  for (int r = 0; r < krylov_lane<T, B>::ROWS; r++) {
    krylov_row<T, B> old = w[r];
#pragma unroll
    for (int c = 0; c < B; c++) {
      T sum = from_real<T> (0);
#pragma unroll
      for (int q = 0; q < B; q++)
        sum = madd (old.at[q], M[q * B + c], sum);
      w[r].at[c] = sum;
    }
  }
}

#endif

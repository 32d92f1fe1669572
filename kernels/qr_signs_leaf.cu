// qr_signs_leaf.cu: blocks on the diagonal of A - S R: the signs S, and the blocks' inverses
// SPDX-License-Identifier: GPL-3.0-or-later

#include "cluster.cuh"
#include "qr_cholesky.cuh"
#include "qr_tiles.cuh"

namespace
{

enum { N = SQUARE, SIDE = SQUARE_SIDE, OWN = SQUARE_OWN, THREADS = SQUARE_THREADS };

// Row k of M and of R, and column k of M, for step k; two of each in turn.
template <class T> struct shown_lines {
  T row[2][N], upper[2][N], column[2][N];
};

// Gauss-Jordan inversion, in place, of M - S R, whose pivots give S; the lines of step k+1 are
// shown at the end of step k, so that a step has one barrier. Where LAPACK would find
// zeros below the diagonal and keep the sign of a column, which a sum cannot tell from small
// numbers, the answer is false.
template <class T>
GLA_DEVICE bool invert (T (&a)[OWN][OWN], const T (&b)[OWN][OWN], int count, int *sign,
                        shown_lines<T> &shown)
{
  typedef real_t<T> real;
  const real most = 1 - 1024 * limits<real>::eps;
  square_place at;
  auto show = [&] (int p, int step) {
    int buffer = step % 2;
    if (at.x == step)
#pragma unroll
      for (int q = 0; q < OWN; q++) {
        shown.row[buffer][at.column (q)] = a[p][q];
        shown.upper[buffer][at.column (q)] = b[p][q];
      }
    if (at.y == step)
#pragma unroll
      for (int i = 0; i < OWN; i++)
        shown.column[buffer][at.row (i)] = a[i][p];
  };
  bool good = true;
  show (0, 0);
#pragma unroll
  for (int above = 0; above < OWN; above++)
    for (int step = 0; step < SIDE; step++) {
      int k = above * SIDE + step, buffer = step % 2;
      __syncthreads ();
      T alpha = shown.row[buffer][k];
      real diagonal = re (shown.upper[buffer][k]), s = re (alpha) < 0 ? (real)1 : (real)-1;
      good &= k >= count || abs2 (alpha) <= most * diagonal * diagonal;
      if (threadIdx.x == 0 && k < count)
        sign[k] = (int)s;
      T pivot = alpha - from_real<T> (s * diagonal);
      T inverse = scale (1 / abs2 (pivot), conj (pivot)), row[OWN];
#pragma unroll
      for (int q = 0; q < OWN; q++) {
        int j = at.column (q);
        T value = shown.row[buffer][j] - (j > k ? scale (s, shown.upper[buffer][j]) : T{});
        row[q] = j == k ? inverse : inverse * value;
      }
#pragma unroll
      for (int p = 0; p < OWN; p++) {
        T factor = scale ((real)-1, shown.column[buffer][at.row (p)]);
#pragma unroll
        for (int q = 0; q < OWN; q++) {
          T value = at.column (q) == k ? T{} : a[p][q];
          a[p][q] = at.row (p) == k ? row[q] : madd (factor, row[q], value);
        }
      }
      if (step < SIDE - 1)
        show (above, step + 1);
      else if (above < OWN - 1)
        show (above < OWN - 1 ? above + 1 : above, 0);
    }
  __syncthreads ();
  return good;
}

// M and R, with R = I outside.
template <class T>
GLA_DEVICE void load (T (&a)[OWN][OWN], T (&b)[OWN][OWN], int count, const T *m, int64_t ldm,
                      const T *r, int64_t ldr)
{
  square_place at;
#pragma unroll
  for (int p = 0; p < OWN; p++)
#pragma unroll
    for (int q = 0; q < OWN; q++) {
      int i = at.row (p), j = at.column (q);
      bool inside = i < count && j < count;
      a[p][q] = inside ? m[i + j * ldm] : T{};
      b[p][q] = inside ? r[i + j * ldr] : from_real<T> (i == j ? 1 : 0);
    }
}

template <class T>
GLA_DEVICE void store (const T (&a)[OWN][OWN], int count, T *m, int64_t ldm, square<T> keep)
{
  square_place at;
#pragma unroll
  for (int p = 0; p < OWN; p++)
#pragma unroll
    for (int q = 0; q < OWN; q++) {
      int i = at.row (p), j = at.column (q);
      bool inside = i < count && j < count;
      if (inside)
        m[i + j * ldm] = a[p][q];
      if (keep.data != nullptr)
        keep (i, j) = widen (inside ? a[p][q] : T{});
    }
}

// One block of threads per page inverts up to 128 columns as qr_cholesky_plan.cu's halves does
// larger ones: 64 by elimination, the other 64 after what that takes from them, and, where
// `all`, the inverse of the whole.
template <class T>
__global__ void __launch_bounds__ (THREADS, 1)
    leaf_kernel (qr_cholesky<T> c, int64_t J, int count, bool all)
{
  extern __shared__ __align__ (16) unsigned char memory[];
  __shared__ shown_lines<T> shown;
  int64_t page = blockIdx.x, ldm = c.M.ld, ldr = c.R.ld;
  T *m = c.M.data + page * c.M.page + J + J * ldm;
  const T *r = c.R.data + page * c.R.page + J + J * ldr;
  int *sign = c.sign + page * c.n + J;
  int first = count < N ? count : (int)N, second = count - first;
  square<T> none = {nullptr}, X = none, Y, Z;
  if (second > 0)
    X.data = reinterpret_cast<wide<T> *> (memory);
  Y.data = X.data + N * X.LD;
  Z.data = Y.data + N * X.LD;
  T *m12 = m + N * ldm, *m21 = m + N, *m22 = m12 + N;
  const T *r12 = r + N * ldr, *r22 = r12 + N;

  T a[OWN][OWN], b[OWN][OWN];
  load (a, b, first, m, ldm, r, ldr);
  bool good = invert (a, b, first, sign, shown);
  store (a, first, m, ldm, X);
  if (second > 0) {
    for (int q = threadIdx.x; q < N * N; q += THREADS) {
      int i = q % N, j = q / N;
      T right = T{};
      if (j < second)
        right = m12[i + j * ldm] - scale ((real_t<T>)sign[i], r12[i + j * ldr]);
      Y (i, j) = widen (right);
      Z (i, j) = widen (i < second ? m21[i + j * ldm] : T{});
    }
    __syncthreads ();
    // M12 := X T12
    square_product<T> upper ([&] (int i, int k) { return X (i, k); },
                             [&] (int k, int j) { return Y (k, j); });
    __syncthreads ();
    upper.each ([&] (int i, int j, wide<T> v) { Y (i, j) = v; });
    __syncthreads ();
    // M22 := M22 - M21 M12, by way of global memory; Z := M21 X
    square_product<T> taken ([&] (int i, int k) { return Z (i, k); },
                             [&] (int k, int j) { return Y (k, j); });
    taken.each ([&] (int i, int j, wide<T> v) {
      if (i < second && j < second)
        m22[i + j * ldm] = m22[i + j * ldm] - narrow<T> (v);
    });
    square_product<T> lower ([&] (int i, int k) { return Z (i, k); },
                             [&] (int k, int j) { return X (k, j); });
    __syncthreads ();
    lower.each ([&] (int i, int j, wide<T> v) { Z (i, j) = v; });
    load (a, b, second, m22, ldm, r22, ldr);
    good &= invert (a, b, second, sign + N, shown);
    store (a, second, m22, ldm, all ? X : none);
  }
  if (second > 0 && all) {
    __syncthreads ();
    // V = -M12 M22 stays in Y and goes to M12, -M22 Z to M21, and M11 := M11 - V Z
    square_product<T> right ([&] (int i, int k) { return Y (i, k); },
                             [&] (int k, int j) { return X (k, j); });
    square_product<T> left ([&] (int i, int k) { return X (i, k); },
                            [&] (int k, int j) { return Z (k, j); });
    __syncthreads ();
    right.each ([&] (int i, int j, wide<T> v) {
      Y (i, j) = -v;
      if (j < second)
        m12[i + j * ldm] = narrow<T> (-v);
    });
    left.each ([&] (int i, int j, wide<T> v) {
      if (i < second)
        m21[i + j * ldm] = narrow<T> (-v);
    });
    __syncthreads ();
    square_product<T> both ([&] (int i, int k) { return Y (i, k); },
                            [&] (int k, int j) { return Z (k, j); });
    both.each ([&] (int i, int j, wide<T> v) {
      m[i + j * ldm] = m[i + j * ldm] - narrow<T> (v);
    });
  }
  if (!good && threadIdx.x == 0)
    c.failed[page] = 1;
}

} // namespace

template <class T>
cudaError_t qr_signs_leaf (const qr_cholesky<T> &c, int64_t J, int count, bool all,
                           cudaStream_t stream)
{
  static std::atomic<uint64_t> told{0};
  size_t shared = count > N ? qr_leaf_shared<T> () : 0;
  cudaError_t error =
      shared > 0 ? allow_cluster (leaf_kernel<T>, shared, &told) : cudaSuccess;
  if (error != cudaSuccess)
    return error;
  leaf_kernel<T><<<(unsigned)c.pages, THREADS, shared, stream>>> (c, J, count, all);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t qr_signs_leaf (const qr_cholesky<T> &, int64_t, int, bool, cudaStream_t);
GLA_INSTANTIATE (float)
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<float>)
GLA_INSTANTIATE (cx<double>)

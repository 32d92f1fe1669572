// qr_cholesky_plan.cu: economy QR by way of A'A: the order of its products
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A'A is factored strip by strip of columns, and a strip by halves, down to what one block of
// threads factors; inverses of factors grow alongside within a strip, so that all between is
// products of matrices. The signs' elimination needs each row of R, and follows step by step on
// the side stream.

#include "cluster.cuh"
#include "qr_cholesky.cuh"

namespace
{

// Matrices of more columns than STRIP_MOST go by strips of STRIP; symmetric products, too, by
// wider ones of real matrices, as products have more entries for a multiprocessor there.
enum { STRIP_MOST = 768, STRIP = 512, REAL_WIDTH = 1024 };

// Without cuBLAS reflectors serve matrices up to this, and they go that way with it, too.
enum { SMALL_COLUMNS = 128 };

// Shared memory that a leaf needs beside that of qr_leaf_shared, at most.
enum { LINES_SHARED = 16384 };

// A'A by our own kernel: up to so many columns, of matrices so many times as high.
enum { TALL_COLUMNS = 512, TALL = 16 };

gla_status status_of (cudaError_t error)
{
  if (error == cudaSuccess)
    return GLA_OK;
  cudaGetLastError ();
  return error == cudaErrorMemoryAllocation ? GLA_OUT_OF_MEMORY : GLA_DEVICE_FAILURE;
}

template <class T> qr_matrix<const T> read (qr_matrix<T> a)
{
  return {a.data, a.ld, a.page};
}

bool tall (int64_t m, int64_t n)
{
  return n <= TALL_COLUMNS && m >= TALL * n;
}

// The products of a chunk.
template <class T> struct halves {
  const qr_cholesky<T> &c;
  const qr_streams &s;

  gla_status gemm (bool side, char op_a, char op_b, int64_t m, int64_t n, int64_t k,
                   real_t<T> alpha, qr_matrix<const T> A, qr_matrix<T> B, real_t<T> beta,
                   qr_matrix<T> C) const
  {
    return gpu_gemm<T> (side ? s.side_blas : s.blas, side ? s.side : s.main, op_a, op_b, m, n, k,
                        alpha, A, read (B), beta, C, c.pages);
  }

  // The side stream goes on when all that is in the main stream now has been done.
  gla_status side_follows () const
  {
    cudaError_t error = cudaEventRecord (s.factored, s.main);
    return status_of (error == cudaSuccess ? cudaStreamWaitEvent (s.side, s.factored, 0) : error);
  }

  gla_status main_follows () const
  {
    cudaError_t error = cudaEventRecord (s.updated, s.side);
    return status_of (error == cudaSuccess ? cudaStreamWaitEvent (s.main, s.updated, 0) : error);
  }

  // The upper triangle of C := alpha B'B + beta C, B of rows x n.
  gla_status square (real_t<T> alpha, qr_matrix<const T> B, int64_t rows, int64_t n, real_t<T> beta,
                     qr_matrix<T> C) const
  {
    gla_status status = GLA_OK;
    int64_t most = is_complex_v<T> ? STRIP : REAL_WIDTH;
    for (int64_t j = 0; j < n && status == GLA_OK; j += most) {
      int64_t width = n - j < most ? n - j : most;
      qr_matrix<const T> right = B.at (0, j);
      status = gpu_gemm<T> (s.blas, s.main, 'C', 'N', j + width, width, rows, alpha, B, right, beta,
                            C.at (0, j), c.pages);
    }
    return status;
  }

  gla_status leaf (int64_t J, int count, bool all) const
  {
    gla_status status = status_of (qr_cholesky_leaf (c, J, count, s.main));
    if (status == GLA_OK)
      status = side_follows ();
    return status == GLA_OK ? status_of (qr_signs_leaf (c, J, count, all, s.side)) : status;
  }

  // What the left half does to M: M12 := (M11 - S R11)^-1 (M12 - S R12), M22 := M22 - M21 M12.
  gla_status signs_left (int64_t J, int64_t left, int64_t right) const
  {
    int64_t K = J + left;
    qr_matrix<T> T12 = {c.side_W.data, left, c.side_W.page};
    gla_status status = side_follows ();
    if (status == GLA_OK)
      status = status_of (qr_signs_right (c, J, K, left, right, T12, s.side));
    if (status == GLA_OK)
      status =
          gemm (true, 'N', 'N', left, right, left, 1, read (c.M.at (J, J)), T12, 0, c.M.at (J, K));
    return status == GLA_OK ? gemm (true, 'N', 'N', right, right, left, -1, read (c.M.at (K, J)),
                                    c.M.at (J, K), 1, c.M.at (K, K))
                            : status;
  }

  // The inverse of M - S R in place, from those of its left half and of what that left of the
  // right one, and M12 as signs_left made it.
  gla_status signs_inverse (int64_t J, int64_t left, int64_t right) const
  {
    int64_t K = J + left;
    qr_matrix<T> Z = {c.side_W.data, right, c.side_W.page};
    qr_matrix<T> V = {c.side_W.data + left * right, left, c.side_W.page};
    qr_matrix<T> M11 = c.M.at (J, J), M12 = c.M.at (J, K), M21 = c.M.at (K, J), M22 = c.M.at (K, K);
    gla_status status = gemm (true, 'N', 'N', right, left, left, 1, read (M21), M11, 0, Z);
    if (status == GLA_OK)
      status = gemm (true, 'N', 'N', right, left, right, -1, read (M22), Z, 0, M21);
    if (status == GLA_OK)
      status = gemm (true, 'N', 'N', left, right, right, -1, read (M12), M22, 0, V);
    if (status == GLA_OK)
      status = gemm (true, 'N', 'N', left, left, right, -1, read (V), Z, 1, M11);
    return status == GLA_OK
               ? status_of (qr_copy<T> (M12, read (V), left, right, false, c.pages, s.side))
               : status;
  }

  // R12 and what the left half takes from G22 and M, for columns J .. J+left-1 and `right` more.
  gla_status go_right (int64_t J, int64_t left, int64_t right) const
  {
    int64_t K = J + left;
    qr_matrix<T> R12 = c.R.at (J, K);
    gla_status status =
        gemm (false, 'C', 'N', left, right, left, 1, read (c.G.at (J, J)), c.G.at (J, K), 0, R12);
    if (status == GLA_OK)
      status = square (-1, read (R12), left, right, 1, c.G.at (K, K));
    return status == GLA_OK ? signs_left (J, left, right) : status;
  }

  // Columns J .. J+count-1 of a strip; all: the inverse of their M is needed, too.
  gla_status factor (int64_t J, int64_t count, bool all) const
  {
    if (count <= c.leaf)
      return leaf (J, (int)count, all);
    int64_t left = (count / 2 + c.leaf - 1) / c.leaf * c.leaf, right = count - left, K = J + left;
    qr_matrix<T> W = {c.W.data, left, c.W.page};
    gla_status status = factor (J, left, true);
    if (status == GLA_OK)
      status = go_right (J, left, right);
    if (status == GLA_OK)
      status = factor (K, right, all);
    if (status == GLA_OK)
      status =
          gemm (false, 'N', 'N', left, right, right, 1, read (c.R.at (J, K)), c.G.at (K, K), 0, W);
    if (status == GLA_OK)
      status =
          gemm (false, 'N', 'N', left, right, left, -1, read (c.G.at (J, J)), W, 0, c.G.at (J, K));
    return status == GLA_OK && all ? signs_inverse (J, left, right) : status;
  }

  gla_status factor_strips (const qr_pause &pause) const
  {
    gla_status status = GLA_OK;
    for (int64_t J = 0; J < c.n && status == GLA_OK; J += c.strip) {
      int64_t count = c.n - J < c.strip ? c.n - J : c.strip, rest = c.n - J - count;
      status = factor (J, count, rest > 0);
      if (status == GLA_OK && rest > 0)
        status = go_right (J, count, rest);
      if (status == GLA_OK)
        status = pause.wait (pause.user);
    }
    return status;
  }

  // X := R^-1 V for the verdict, from the last strip to the first, on the side stream.
  gla_status solve () const
  {
    const int columns = QR_CHOLESKY_VECTORS;
    gla_status status = status_of (qr_cholesky_random (c, s.side));
    for (int64_t J = (c.n - 1) / c.strip * c.strip; J >= 0 && status == GLA_OK; J -= c.strip) {
      int64_t count = c.n - J < c.strip ? c.n - J : c.strip;
      status = gemm (true, 'N', 'N', count, columns, count, 1, read (c.G.at (J, J)), c.V.at (J, 0),
                     0, c.X.at (J, 0));
      if (status == GLA_OK)
        status = gemm (true, 'N', 'N', J, columns, count, -1, read (c.R.at (0, J)), c.X.at (J, 0),
                       1, c.V);
    }
    return status;
  }

  // Q := A R^-1: a strip of Q is (A_J - Q R_J) R_JJ^-1, with Q as far as it is there.
  gla_status form_q (qr_matrix<const T> A, qr_matrix<T> Q, const qr_pause &pause) const
  {
    gla_status status = GLA_OK;
    for (int64_t J = 0; J < c.n && status == GLA_OK; J += c.strip) {
      int64_t count = c.n - J < c.strip ? c.n - J : c.strip;
      status =
          gemm (false, 'N', 'N', c.m, count, count, 1, A.at (0, J), c.G.at (J, J), 0, Q.at (0, J));
      if (status == GLA_OK)
        status = gemm (false, 'N', 'N', J, count, count, 1, read (c.R.at (0, J)), c.G.at (J, J), 0,
                       c.G.at (0, J));
      if (status == GLA_OK)
        status = gemm (false, 'N', 'N', c.m, count, J, -1, read (Q), c.G.at (0, J), 1, Q.at (0, J));
      if (status == GLA_OK)
        status = pause.wait (pause.user);
    }
    return status;
  }
};

} // namespace

// Where a random matrix is well conditioned, and reflectors would need cuBLAS as well or its
// products are large enough.
bool qr_cholesky_serves (const gla_qr_job &job)
{
  return job.rhs == 0 && !job.wy && !job.pivot && job.block == 0 && job.n >= 2 &&
         2 * job.m >= 3 * job.n && (job.q_columns == 0 || job.q_columns == job.n) &&
         (qr_needs_blas (job) || (job.n > SMALL_COLUMNS && gpu_blas_available ()));
}

template <class T>
qr_cholesky<T>::qr_cholesky (const gla_qr_job &job, int64_t pages, carver &k)
    : m (job.m), n (job.n), pages (pages)
{
  leaf = qr_leaf_shared<T> () + LINES_SHARED <= block_shared_most () ? 128 : 64;
  strip = n <= STRIP_MOST ? n : (int64_t)STRIP;
  int64_t half = (strip < n ? strip : n / 2) + 128, wide = strip < n ? n : half;
  int64_t vectors = strip < n ? QR_CHOLESKY_VECTORS : 0;
  G = {k.take<T> (pages * n * n), n, n * n};
  R = {k.take<T> (pages * n * n), n, n * n};
  M = {k.take<T> (pages * n * n), n, n * n};
  W = {k.take<T> (pages * half * half), half, half * half};
  side_W = {k.take<T> (pages * half * wide), half, half * wide};
  V = {k.take<T> (pages * n * vectors), n, n * vectors};
  X = {k.take<T> (pages * n * vectors), n, n * vectors};
  int64_t numbers = tall (m, n) ? pages * qr_gram_work (m, n) : 0;
  parts = k.take<double> (is_complex_v<T> ? 2 * numbers : numbers);
  norms = k.take<double> (pages * n);
  squares = k.take<double> (pages * n);
  sign = k.take<int> (pages * n);
  failed = k.take<int> (pages + 1);
  failures = failed + pages;
}

template <class T>
gla_status qr_by_cholesky (const qr_cholesky<T> &c, qr_matrix<const T> A, qr_matrix<T> R,
                           int64_t rows, qr_matrix<T> Q, const qr_streams &streams,
                           const qr_pause &pause)
{
  halves<T> work = {c, streams};
  gla_status status = work.side_follows (); // an upload may be on its way
  if (status == GLA_OK)
    status = status_of (qr_cholesky_start (c, streams.main));
  if (status == GLA_OK)
    status = status_of (qr_copy<T> (c.M, A, c.n, c.n, false, c.pages, streams.side));
  if (status == GLA_OK)
    status = tall (c.m, c.n)
                 ? status_of (qr_gram<T> (A, c.m, c.n, c.G, c.parts, c.pages, streams.main))
                 : work.square (1, A, c.m, c.n, 0, c.G);
  if (status == GLA_OK)
    status = work.factor_strips (pause);
  if (status == GLA_OK)
    status = work.main_follows ();
  if (status == GLA_OK)
    status = status_of (qr_cholesky_results (c, R, rows, streams.main));
  // the verdict needs no Q, and Q does not need the verdict
  if (status == GLA_OK)
    status = work.side_follows ();
  if (status == GLA_OK && c.strip < c.n)
    status = work.solve ();
  if (status == GLA_OK)
    status = status_of (qr_cholesky_verdict (c, streams.side));
  if (status == GLA_OK && Q.data != nullptr)
    status = work.form_q (A, Q, pause);
  return status == GLA_OK ? work.main_follows () : status;
}

#define GLA_INSTANTIATE(T)                                                                         \
  template qr_cholesky<T>::qr_cholesky (const gla_qr_job &, int64_t, carver &);                    \
  template gla_status qr_by_cholesky (const qr_cholesky<T> &, qr_matrix<const T>, qr_matrix<T>,    \
                                      int64_t, qr_matrix<T>, const qr_streams &,                   \
                                      const qr_pause &);
GLA_INSTANTIATE (float)
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<float>)
GLA_INSTANTIATE (cx<double>)

// qr_cholesky_plan.cu: economy QR by way of A'A: the order of its products
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A'A is factored by halves, down to blocks of 64 columns, and inverses of factors grow alongside,
// so that all between the blocks on the diagonal are products of matrices. The signs' elimination
// needs each row of R, and follows half by half on the side stream.

#include "qr_cholesky.cuh"

namespace
{

// From so many columns on, symmetric and triangular products go by strips of columns, an eighth
// of them, which spares most of the half that is not needed.
enum { STRIPS_FROM = 768, STRIPS = 8 };

// Halves from so many columns on are followed by a pause.
enum { PAUSE_COLUMNS = 1024 };

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

int64_t round_up (int64_t a, int64_t to)
{
  return (a + to - 1) / to * to;
}

// Columns of the left half.
int64_t left_of (int64_t count)
{
  return round_up (count / 2, QR_LEAF);
}

int64_t strip_of (int64_t n)
{
  return n < STRIPS_FROM ? n : round_up (n / STRIPS, QR_LEAF);
}

bool tall (int64_t m, int64_t n)
{
  return n <= TALL_COLUMNS && m >= TALL * n;
}

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

  // The upper triangle of C := alpha B'B + beta C, B of rows x n.
  gla_status square (real_t<T> alpha, qr_matrix<const T> B, int64_t rows, int64_t n, real_t<T> beta,
                     qr_matrix<T> C) const
  {
    gla_status status = GLA_OK;
    int64_t strip = strip_of (n);
    for (int64_t j = 0; j < n && status == GLA_OK; j += strip) {
      int64_t width = n - j < strip ? n - j : strip;
      qr_matrix<const T> right = B.at (0, j);
      status = gpu_gemm<T> (s.blas, s.main, 'C', 'N', j + width, width, rows, alpha, B, right, beta,
                            C.at (0, j), c.pages);
    }
    return status;
  }

  gla_status leaf (int64_t J, int count) const
  {
    gla_status status = status_of (qr_cholesky_leaf (c, J, count, s.main));
    if (status == GLA_OK)
      status = side_follows ();
    return status == GLA_OK ? status_of (qr_signs_leaf (c, J, count, s.side)) : status;
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
      status = gemm (true, 'N', 'N', left, right, left, 1, read (c.M.at (J, J)), T12, 0,
                     c.M.at (J, K));
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

  // Columns J .. J+count-1; all: the inverse of their M is needed, too.
  gla_status factor (int64_t J, int64_t count, bool all, const qr_pause &pause) const
  {
    if (count <= QR_LEAF)
      return leaf (J, (int)count);
    int64_t left = left_of (count), right = count - left, K = J + left;
    qr_matrix<T> G12 = c.G.at (J, K), R12 = c.R.at (J, K), W = {c.W.data, left, c.W.page};
    gla_status status = factor (J, left, true, pause);
    if (status == GLA_OK)
      status = gemm (false, 'C', 'N', left, right, left, 1, read (c.G.at (J, J)), G12, 0, R12);
    if (status == GLA_OK)
      status = square (-1, read (R12), left, right, 1, c.G.at (K, K));
    if (status == GLA_OK)
      status = signs_left (J, left, right);
    if (status == GLA_OK)
      status = factor (K, right, all, pause);
    if (status == GLA_OK)
      status = gemm (false, 'N', 'N', left, right, right, 1, read (R12), c.G.at (K, K), 0, W);
    if (status == GLA_OK)
      status = gemm (false, 'N', 'N', left, right, left, -1, read (c.G.at (J, J)), W, 0, G12);
    if (status == GLA_OK && all)
      status = signs_inverse (J, left, right);
    return status == GLA_OK && count >= PAUSE_COLUMNS ? pause.wait (pause.user) : status;
  }

  // Q := A R^-1
  gla_status form_q (qr_matrix<const T> A, qr_matrix<T> Q, const qr_pause &pause) const
  {
    gla_status status = GLA_OK;
    int64_t strip = strip_of (c.n);
    for (int64_t j = 0; j < c.n && status == GLA_OK; j += strip) {
      int64_t width = c.n - j < strip ? c.n - j : strip;
      status = gemm (false, 'N', 'N', c.m, width, j + width, 1, A, c.G.at (0, j), 0, Q.at (0, j));
      if (status == GLA_OK)
        status = pause.wait (pause.user);
    }
    return status;
  }
};

} // namespace

// Where reflectors would need cuBLAS as well, and a random matrix is well conditioned.
bool qr_cholesky_serves (const gla_qr_job &job)
{
  return job.rhs == 0 && !job.wy && !job.pivot && job.block == 0 && job.n >= 2 &&
         2 * job.m >= 3 * job.n && qr_needs_blas (job) &&
         (job.q_columns == 0 || job.q_columns == job.n);
}

template <class T>
qr_cholesky<T>::qr_cholesky (const gla_qr_job &job, int64_t pages, carver &k)
    : m (job.m), n (job.n), pages (pages)
{
  int64_t half = n / 2 + QR_LEAF;
  G = {k.take<T> (pages * n * n), n, n * n};
  R = {k.take<T> (pages * n * n), n, n * n};
  M = {k.take<T> (pages * n * n), n, n * n};
  W = {k.take<T> (pages * half * half), half, half * half};
  side_W = {k.take<T> (pages * half * half), half, half * half};
  int64_t numbers = tall (m, n) ? pages * qr_gram_work (m, n) : 0;
  parts = k.take<double> (is_complex_v<T> ? 2 * numbers : numbers);
  diagonal = k.take<double> (pages * n);
  norms = k.take<double> (pages * n);
  sign = k.take<int> (pages * n);
  failed = k.take<int> (pages);
  failures = k.take<int> (1);
}

template <class T>
gla_status qr_by_cholesky (const qr_cholesky<T> &c, qr_matrix<const T> A, qr_matrix<T> R,
                           int64_t rows, qr_matrix<T> Q, const qr_streams &streams,
                           const qr_pause &pause)
{
  halves<T> work = {c, streams};
  gla_status status =
      tall (c.m, c.n)
          ? status_of (qr_gram<T> (A, c.m, c.n, c.G, c.parts, c.pages, streams.main))
          : work.square (1, A, c.m, c.n, 0, c.G);
  if (status == GLA_OK)
    status = status_of (qr_gram_diagonal (c, streams.main));
  if (status == GLA_OK)
    status = status_of (qr_copy<T> (c.M, A, c.n, c.n, false, c.pages, streams.main));
  if (status == GLA_OK)
    status = work.factor (0, c.n, false, pause);
  if (status == GLA_OK)
    status = status_of (cudaEventRecord (streams.updated, streams.side));
  if (status == GLA_OK)
    status = status_of (cudaStreamWaitEvent (streams.main, streams.updated, 0));
  if (status == GLA_OK)
    status = status_of (qr_cholesky_finish (c, R, rows, streams.main));
  return status == GLA_OK && Q.data != nullptr ? work.form_q (A, Q, pause) : status;
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

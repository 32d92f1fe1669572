// qr_cholesky_plan.cu: economy QR by way of A'A: the order of its products
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Up to some columns A'A is factored leaf by leaf of 64 columns, each taken from all that is right
// of it; larger ones strip by strip, and a strip by halves, down to leaves, with inverses of
// factors growing alongside. Inverses make all between products of matrices. The signs' elimination
// needs each row of R, and follows step by step on the side stream.

#include "qr_cholesky.cuh"

namespace
{

// Symmetric products go by strips of so many columns, wider ones of real matrices, as products have
// more entries for a multiprocessor there.
enum { WIDTH = 512, REAL_WIDTH = 1024 };

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

// The products of a chunk.
template <class T> struct halves {
  const qr_cholesky<T> &c;
  const qr_streams &s;

  // By our own kernel where that is faster.
  gla_status multiply (bool side, const qr_product<T> &p) const
  {
    cudaStream_t stream = side ? s.side : s.main;
    if (p.m == 0 || p.n == 0 || (p.k == 0 && p.beta == 1))
      return GLA_OK;
    if (qr_own_product (p.m, p.n, p.k))
      return status_of (qr_multiply (p, c.pages, stream));
    return gpu_gemm<T> (side ? s.side_blas : s.blas, stream, p.adjoint ? 'C' : 'N', 'N', p.m, p.n,
                        p.k, p.alpha, p.A, p.B, p.beta, p.C, c.pages);
  }

  // C := alpha A B + beta C
  gla_status gemm (bool side, int64_t m, int64_t n, int64_t k, real_t<T> alpha, qr_matrix<T> A,
                   qr_matrix<T> B, real_t<T> beta, qr_matrix<T> C) const
  {
    return multiply (side, {(int)m, (int)n, (int)k, false, alpha, beta, read (A), read (B), C});
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

  // The upper triangle of C := alpha B'B + beta C, B of rows x n, C the block of G at (K, K).
  // Strips begin at the same columns of G always: none reads what those before it have not written.
  gla_status square (real_t<T> alpha, qr_matrix<const T> B, int64_t rows, int64_t K, int64_t n,
                     real_t<T> beta) const
  {
    qr_matrix<T> C = c.G.at (K, K);
    gla_status status = GLA_OK;
    int64_t most = is_complex_v<T> ? WIDTH : REAL_WIDTH;
    for (int64_t j = 0, width; j < n && status == GLA_OK; j += width) {
      width = most - (K + j) % most;
      width = n - j < width ? n - j : width;
      status = multiply (false, {(int)(j + width), (int)width, (int)rows, true, alpha, beta, B,
                                 B.at (0, j), C.at (0, j), j == 0});
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
    qr_matrix<T> T12 = {c.side_W.data, left, c.side_W.page}, M12 = c.M.at (J, K);
    gla_status status = status_of (qr_signs_right (c, J, K, left, right, T12, s.side));
    if (status == GLA_OK)
      status = gemm (true, left, right, left, 1, c.M.at (J, J), T12, 0, M12);
    return status == GLA_OK
               ? gemm (true, right, right, left, -1, c.M.at (K, J), M12, 1, c.M.at (K, K))
               : status;
  }

  // The same of a leaf, where M12 is not needed later.
  gla_status signs_panel (int64_t J, int64_t left, int64_t right) const
  {
    int64_t K = J + left;
    qr_matrix<T> X = {c.side_W.data, left, c.side_W.page};
    qr_product<T> p = {(int)left, (int)right, (int)left, false, 1, 0};
    p.A = read (c.M.at (J, J));
    p.B = read (c.M.at (J, K));
    p.C = X;
    p.sign = c.sign + J;
    p.sign_page = c.n;
    p.R = read (c.R.at (J, K));
    gla_status status = status_of (qr_multiply (p, c.pages, s.side));
    return status == GLA_OK
               ? gemm (true, right, right, left, -1, c.M.at (K, J), X, 1, c.M.at (K, K))
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
    gla_status status = gemm (true, right, left, left, 1, M21, M11, 0, Z);
    if (status == GLA_OK)
      status = gemm (true, right, left, right, -1, M22, Z, 0, M21);
    if (status == GLA_OK)
      status = gemm (true, left, right, right, -1, M12, M22, 0, V);
    if (status == GLA_OK)
      status = gemm (true, left, left, right, -1, V, Z, 1, M11);
    return status == GLA_OK
               ? status_of (qr_copy<T> (M12, read (V), left, right, false, c.pages, s.side))
               : status;
  }

  // R12 and what the left half takes from G22 and M, for columns J .. J+left-1 and `right` more.
  gla_status go_right (int64_t J, int64_t left, int64_t right) const
  {
    int64_t K = J + left;
    qr_matrix<T> R12 = c.R.at (J, K);
    gla_status status = multiply (false, {(int)left, (int)right, (int)left, true, 1, 0,
                                          read (c.G.at (J, J)), read (c.G.at (J, K)), R12});
    if (status == GLA_OK)
      status = side_follows ();
    if (status == GLA_OK)
      status = square (-1, read (R12), left, K, right, 1);
    if (status == GLA_OK)
      status = c.panels ? signs_panel (J, left, right) : signs_left (J, left, right);
    return status;
  }

  // The inverse of R, in G, from those of its halves.
  gla_status join (int64_t J, int64_t left, int64_t right) const
  {
    int64_t K = J + left;
    qr_matrix<T> W = {c.W.data, left, c.W.page}, G22 = c.G.at (K, K), G12 = c.G.at (J, K);
    qr_product<T> p = {(int)left, (int)right, (int)right, false, 1, 0};
    p.A = read (c.R.at (J, K));
    p.B = read (G22);
    p.C = W;
    p.triangular = true;
    gla_status status = multiply (false, p);
    return status == GLA_OK ? gemm (false, left, right, left, -1, c.G.at (J, J), W, 0, G12)
                            : status;
  }

  // Columns J .. J+count-1 of a strip; all: the inverse of their M is needed, too.
  gla_status factor (int64_t J, int64_t count, bool all) const
  {
    if (count <= QR_LEAF)
      return leaf (J, (int)count, all);
    int64_t left = qr_left_half (count), right = count - left;
    gla_status status = factor (J, left, true);
    if (status == GLA_OK)
      status = go_right (J, left, right);
    if (status == GLA_OK)
      status = factor (J + left, right, all);
    if (status == GLA_OK)
      status = join (J, left, right);
    return status == GLA_OK && all ? signs_inverse (J, left, right) : status;
  }

  gla_status inverses (int64_t J, int64_t count) const
  {
    if (count <= QR_LEAF)
      return GLA_OK;
    int64_t left = qr_left_half (count);
    gla_status status = inverses (J, left);
    if (status == GLA_OK)
      status = inverses (J + left, count - left);
    return status == GLA_OK ? join (J, left, count - left) : status;
  }

  gla_status factor_panels () const
  {
    gla_status status = GLA_OK;
    for (int64_t J = 0; J < c.n && status == GLA_OK; J += QR_LEAF) {
      int64_t count = c.n - J < QR_LEAF ? c.n - J : (int64_t)QR_LEAF, rest = c.n - J - count;
      status = leaf (J, (int)count, rest > 0);
      if (status == GLA_OK && rest > 0)
        status = go_right (J, count, rest);
    }
    return status == GLA_OK ? inverses (0, c.n) : status;
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

  // X := R^-1 V for the verdict, from the last strip to the first.
  gla_status solve (bool side) const
  {
    const int columns = QR_CHOLESKY_VECTORS;
    gla_status status = GLA_OK;
    for (int64_t J = (c.n - 1) / c.strip * c.strip; J >= 0 && status == GLA_OK; J -= c.strip) {
      int64_t count = c.n - J < c.strip ? c.n - J : c.strip;
      qr_matrix<T> V = c.V.at (J, 0), X = c.X.at (J, 0);
      status = gemm (side, count, columns, count, 1, c.G.at (J, J), V, 0, X);
      if (status == GLA_OK)
        status = gemm (side, J, columns, count, -1, c.R.at (0, J), X, 1, c.V);
    }
    return status;
  }

  // Q := A R^-1: a strip of Q is (A_J - Q R_J) R_JJ^-1, with Q as far as it is there.
  gla_status form_q (qr_matrix<const T> A, qr_matrix<T> Q, const qr_pause &pause) const
  {
    gla_status status = GLA_OK;
    for (int64_t J = 0; J < c.n && status == GLA_OK; J += c.strip) {
      int64_t count = c.n - J < c.strip ? c.n - J : c.strip;
      qr_product<T> p = {(int)c.m, (int)count, (int)count, false, 1, 0};
      p.A = A.at (0, J);
      p.B = read (c.G.at (J, J));
      p.C = Q.at (0, J);
      p.triangular = true;
      status = multiply (false, p);
      if (status == GLA_OK)
        status = gemm (false, J, count, count, 1, c.R.at (0, J), c.G.at (J, J), 0, c.G.at (0, J));
      if (status == GLA_OK)
        status = gemm (false, c.m, count, J, -1, Q, c.G.at (0, J), 1, Q.at (0, J));
      if (status == GLA_OK)
        status = pause.wait (pause.user);
    }
    return status;
  }

  // What is left to do when R, its inverses and the signs are there or under way.
  gla_status finish (qr_matrix<const T> A, qr_matrix<T> R, int64_t rows, qr_matrix<T> Q,
                     const qr_pause &pause) const
  {
    gla_status status = status_of (qr_cholesky_norms (c, s.main));
    if (status == GLA_OK)
      status = c.early && Q.data != nullptr ? finish_early (A, R, rows, Q, pause)
                                            : finish_in_turn (A, R, rows, Q, pause);
    return status == GLA_OK ? main_follows () : status;
  }

  // Q while signs are sought: only they are left to come when it is there.
  gla_status finish_early (qr_matrix<const T> A, qr_matrix<T> R, int64_t rows, qr_matrix<T> Q,
                           const qr_pause &pause) const
  {
    gla_status status = status_of (cudaEventRecord (s.updated, s.side)); // behind the last sign
    if (status == GLA_OK)
      status = solve (false);
    if (status == GLA_OK)
      status = status_of (qr_cholesky_squares (c, s.main));
    if (status == GLA_OK)
      status = side_follows ();
    if (status == GLA_OK)
      status = status_of (qr_cholesky_verdict (c, s.side));
    if (status == GLA_OK)
      status = form_q (A, Q, pause);
    if (status == GLA_OK)
      status = status_of (cudaStreamWaitEvent (s.main, s.updated, 0));
    return status == GLA_OK ? status_of (qr_cholesky_results (c, R, rows, Q, s.main)) : status;
  }

  // The verdict needs no Q, and Q does not need the verdict.
  gla_status finish_in_turn (qr_matrix<const T> A, qr_matrix<T> R, int64_t rows, qr_matrix<T> Q,
                             const qr_pause &pause) const
  {
    gla_status status = main_follows ();
    if (status == GLA_OK)
      status = status_of (qr_cholesky_results (c, R, rows, qr_matrix<T>{nullptr, 0, 0}, s.main));
    if (status == GLA_OK)
      status = side_follows ();
    if (status == GLA_OK)
      status = solve (true);
    if (status == GLA_OK)
      status = status_of (qr_cholesky_squares (c, s.side));
    if (status == GLA_OK)
      status = status_of (qr_cholesky_verdict (c, s.side));
    return status == GLA_OK && Q.data != nullptr ? form_q (A, Q, pause) : status;
  }
};

} // namespace

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
    status = qr_gram_serves (c.m, c.n)
                 ? status_of (qr_gram<T> (A, c.m, c.n, c.G, c.parts, c.pages, streams.main))
                 : work.square (1, A, c.m, 0, c.n, 0);
  if (status == GLA_OK)
    status = c.panels ? work.factor_panels () : work.factor_strips (pause);
  return status == GLA_OK ? work.finish (A, R, rows, Q, pause) : status;
}

#define GLA_INSTANTIATE(T)                                                                         \
  template gla_status qr_by_cholesky (const qr_cholesky<T> &, qr_matrix<const T>, qr_matrix<T>,    \
                                      int64_t, qr_matrix<T>, const qr_streams &,                   \
                                      const qr_pause &);
GLA_INSTANTIATE (float)
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<float>)
GLA_INSTANTIATE (cx<double>)

// qr_cholesky_plan.cu: economy QR by Cholesky's factor of A'A: the order of its products
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A'A of up to some columns is factored in leaves of 64 columns; each leaf updates all columns to
// its right. Larger ones are cut into strips, and a strip into halves, down to leaves. The inverses
// of the factors are formed at the same time, so that all other steps are products of matrices. The
// elimination that gives the signs needs each row of R; it follows on the side stream.

#include "common/runtime.cuh"
#include "engine/product_part.cuh"
#include "qr_cholesky.cuh"

namespace
{

// Symmetric products are made in strips of so many columns, wider ones of real matrices, because a
// multiprocessor can hold more entries there.
enum { WIDTH = 512, REAL_WIDTH = 1024 };

// Columns whose factorisation takes up to 50 ms, and is not waited for in between.
enum { WAIT_COLUMNS = 4096 };

int multiprocessors ()
{
  int device = 0, count = 0;
  if (cudaGetDevice (&device) != cudaSuccess ||
      cudaDeviceGetAttribute (&count, cudaDevAttrMultiProcessorCount, device) != cudaSuccess)
    cudaGetLastError ();
  return count < 1 ? 1 : count;
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
      return engine_status (qr_multiply (p, c.pages, stream));
    return gpu_gemm<T> (side ? s.side_blas : s.blas, stream, p.adjoint ? 'C' : 'N', 'N', p.m, p.n,
                        p.k, p.alpha, p.A, p.B, p.beta, p.C, c.pages);
  }

  // C := alpha A B + beta C
  gla_status gemm (bool side, int64_t m, int64_t n, int64_t k, real_t<T> alpha, page_matrix<T> A,
                   page_matrix<T> B, real_t<T> beta, page_matrix<T> C) const
  {
    return multiply (side,
                     {(int)m, (int)n, (int)k, false, alpha, beta, as_const (A), as_const (B), C});
  }

  // The side stream waits for all work that is in the main stream now.
  gla_status side_follows () const
  {
    cudaError_t error = cudaEventRecord (s.factored, s.main);
    return engine_status (error == cudaSuccess ? cudaStreamWaitEvent (s.side, s.factored, 0)
                                               : error);
  }

  gla_status main_follows () const
  {
    cudaError_t error = cudaEventRecord (s.updated, s.side);
    return engine_status (error == cudaSuccess ? cudaStreamWaitEvent (s.main, s.updated, 0)
                                               : error);
  }

  // The upper triangle of C := alpha B'B + beta C, B of rows x n, C the block of G at (K, K).
  // Strips begin at the same columns of G always: none reads what those before it have not written.
  gla_status square (real_t<T> alpha, page_matrix<const T> B, int64_t rows, int64_t K, int64_t n,
                     real_t<T> beta) const
  {
    page_matrix<T> C = c.G.at (K, K);
    int64_t most = is_complex_v<T> ? WIDTH : REAL_WIDTH;
    for (int64_t j = 0, width; j < n; j += width) {
      width = most - (K + j) % most;
      width = n - j < width ? n - j : width;
      GLA_TRY (multiply (false, {(int)(j + width), (int)width, (int)rows, true, alpha, beta, B,
                                 B.at (0, j), C.at (0, j), j == 0}));
    }
    return GLA_OK;
  }

  // G := A'A by a product of pages.
  gla_status page_gram (page_matrix<const T> A) const
  {
    product_args<T, T> p = {};
    p.A = p.B = {A.data, A.ld, A.page, nullptr};
    p.C = c.G.data;
    p.ldc = c.G.ld;
    p.page = c.G.page;
    p.pages = c.pages;
    p.m = p.n = (int)c.n;
    p.k = (int)c.m;
    p.transpose_a = p.conjugate_a = p.hermitian = true;
    const int64_t tiles = product_tiles<T, T> (p.m, p.n, p.k);
    return engine_status (product_pages (
        p, {0, c.pages, 0, tiles > 0 ? tiles : 1, 0, p.k, multiprocessors ()}, s.main));
  }

  // The upper triangle of G := A'A.
  gla_status gram (page_matrix<const T> A) const
  {
    if constexpr (sizeof (real_t<T>) == 8)
      if (!c.signs && qr_page_gram_serves (c.m, c.n))
        return page_gram (A);
    return qr_gram_serves (c.m, c.n)
               ? engine_status (qr_gram<T> (A, c.m, c.n, c.G, c.parts, c.pages, s.main))
               : square (1, A, c.m, 0, c.n, 0);
  }

  gla_status leaf (int64_t J, int count, bool all) const
  {
    GLA_TRY (qr_cholesky_leaf (c, J, count, s.main));
    if (!c.signs)
      return GLA_OK;
    GLA_TRY (side_follows ());
    return engine_status (qr_signs_leaf (c, J, count, all, s.side));
  }

  // What the left half does to M: M12 := (M11 - S R11)^-1 (M12 - S R12), M22 := M22 - M21 M12.
  gla_status signs_left (int64_t J, int64_t left, int64_t right) const
  {
    int64_t K = J + left;
    page_matrix<T> T12 = {c.side_W.data, left, c.side_W.page}, M12 = c.M.at (J, K);
    GLA_TRY (qr_signs_right (c, J, K, left, right, T12, s.side));
    GLA_TRY (gemm (true, left, right, left, 1, c.M.at (J, J), T12, 0, M12));
    return gemm (true, right, right, left, -1, c.M.at (K, J), M12, 1, c.M.at (K, K));
  }

  // Does the same for a leaf, where M12 is not needed later.
  gla_status signs_panel (int64_t J, int64_t left, int64_t right) const
  {
    int64_t K = J + left;
    page_matrix<T> X = {c.side_W.data, left, c.side_W.page};
    qr_product<T> p = {(int)left, (int)right, (int)left, false, 1, 0};
    p.A = as_const (c.M.at (J, J));
    p.B = as_const (c.M.at (J, K));
    p.C = X;
    p.sign = c.sign + J;
    p.sign_page = c.n;
    p.R = as_const (c.R.at (J, K));
    GLA_TRY (qr_multiply (p, c.pages, s.side));
    return gemm (true, right, right, left, -1, c.M.at (K, J), X, 1, c.M.at (K, K));
  }

  // The inverse of M - S R in place, from those of its left half and of what that left of the
  // right one, and M12 as signs_left made it.
  gla_status signs_inverse (int64_t J, int64_t left, int64_t right) const
  {
    int64_t K = J + left;
    page_matrix<T> Z = {c.side_W.data, right, c.side_W.page};
    page_matrix<T> V = {c.side_W.data + left * right, left, c.side_W.page};
    page_matrix<T> M11 = c.M.at (J, J), M12 = c.M.at (J, K), M21 = c.M.at (K, J),
                   M22 = c.M.at (K, K);
    GLA_TRY (gemm (true, right, left, left, 1, M21, M11, 0, Z));
    GLA_TRY (gemm (true, right, left, right, -1, M22, Z, 0, M21));
    GLA_TRY (gemm (true, left, right, right, -1, M12, M22, 0, V));
    GLA_TRY (gemm (true, left, left, right, -1, V, Z, 1, M11));
    return engine_status (qr_copy<T> (M12, as_const (V), left, right, false, c.pages, s.side));
  }

  // Makes R12, and subtracts the part of the left half from G22 and M, for columns J .. J+left-1
  // and `right` more.
  gla_status go_right (int64_t J, int64_t left, int64_t right) const
  {
    int64_t K = J + left;
    page_matrix<T> R12 = c.R.at (J, K);
    qr_product<T> p = {(int)left, (int)right, (int)left, true, 1, 0};
    p.A = as_const (c.G.at (J, J));
    p.B = as_const (c.G.at (J, K));
    p.C = R12;
    p.upper_a = true;
    GLA_TRY (multiply (false, p));
    GLA_TRY (c.signs ? side_follows () : GLA_OK);
    GLA_TRY (square (-1, as_const (R12), left, K, right, 1));
    if (!c.signs)
      return GLA_OK;
    GLA_TRY (c.panels ? signs_panel (J, left, right) : signs_left (J, left, right));
    return GLA_OK;
  }

  // The inverse of R, in G, from those of its halves.
  gla_status join (int64_t J, int64_t left, int64_t right) const
  {
    int64_t K = J + left;
    page_matrix<T> W = {c.W.data, left, c.W.page}, G22 = c.G.at (K, K), G12 = c.G.at (J, K);
    qr_product<T> p = {(int)left, (int)right, (int)right, false, 1, 0};
    p.A = as_const (c.R.at (J, K));
    p.B = as_const (G22);
    p.C = W;
    p.triangular = true;
    GLA_TRY (multiply (false, p));
    qr_product<T> back = {(int)left, (int)right, (int)left, false, -1, 0};
    back.A = as_const (c.G.at (J, J));
    back.B = as_const (W);
    back.C = G12;
    back.upper_a = true;
    return multiply (false, back);
  }

  // Columns J .. J+count-1 of a strip; all: the inverse of their M is needed, too.
  gla_status factor (int64_t J, int64_t count, bool all) const
  {
    if (count <= QR_LEAF)
      return leaf (J, (int)count, all);
    int64_t left = qr_left_half (count), right = count - left;
    GLA_TRY (factor (J, left, true));
    GLA_TRY (go_right (J, left, right));
    GLA_TRY (factor (J + left, right, all));
    GLA_TRY (join (J, left, right));
    if (all && c.signs)
      return signs_inverse (J, left, right);
    return GLA_OK;
  }

  // The same without signs, waiting between parts of many columns.
  gla_status factor_all (int64_t J, int64_t count, const qr_pause &pause) const
  {
    if (count <= WAIT_COLUMNS)
      return factor (J, count, false);
    const int64_t left = qr_left_half (count), right = count - left;
    GLA_TRY (factor_all (J, left, pause));
    GLA_TRY (pause.wait (pause.user));
    GLA_TRY (go_right (J, left, right));
    GLA_TRY (pause.wait (pause.user));
    GLA_TRY (factor_all (J + left, right, pause));
    GLA_TRY (pause.wait (pause.user));
    return join (J, left, right);
  }

  gla_status inverses (int64_t J, int64_t count) const
  {
    if (count <= QR_LEAF)
      return GLA_OK;
    int64_t left = qr_left_half (count);
    GLA_TRY (inverses (J, left));
    GLA_TRY (inverses (J + left, count - left));
    return join (J, left, count - left);
  }

  gla_status factor_panels () const
  {
    for (int64_t J = 0; J < c.n; J += QR_LEAF) {
      int64_t count = c.n - J < QR_LEAF ? c.n - J : (int64_t)QR_LEAF, rest = c.n - J - count;
      GLA_TRY (leaf (J, (int)count, rest > 0));
      if (rest > 0)
        GLA_TRY (go_right (J, count, rest));
    }
    return inverses (0, c.n);
  }

  gla_status factor_strips (const qr_pause &pause) const
  {
    for (int64_t J = 0; J < c.n; J += c.strip) {
      int64_t count = c.n - J < c.strip ? c.n - J : c.strip, rest = c.n - J - count;
      GLA_TRY (factor (J, count, rest > 0));
      if (rest > 0)
        GLA_TRY (go_right (J, count, rest));
      GLA_TRY (pause.wait (pause.user));
    }
    return GLA_OK;
  }

  // X := R^-1 V for the verdict, from the last strip to the first.
  gla_status solve (bool side) const
  {
    const int columns = QR_CHOLESKY_VECTORS;
    for (int64_t J = (c.n - 1) / c.strip * c.strip; J >= 0; J -= c.strip) {
      int64_t count = c.n - J < c.strip ? c.n - J : c.strip;
      page_matrix<T> V = c.V.at (J, 0), X = c.X.at (J, 0);
      GLA_TRY (gemm (side, count, columns, count, 1, c.G.at (J, J), V, 0, X));
      GLA_TRY (gemm (side, J, columns, count, -1, c.R.at (0, J), X, 1, c.V));
    }
    return GLA_OK;
  }

  // Q := A R^-1: a strip of Q is (A_J - Q R_J) R_JJ^-1, with Q as far as it is there.
  gla_status form_q (page_matrix<const T> A, page_matrix<T> Q, const qr_pause &pause) const
  {
    for (int64_t J = 0; J < c.n; J += c.strip) {
      int64_t count = c.n - J < c.strip ? c.n - J : c.strip;
      qr_product<T> p = {(int)c.m, (int)count, (int)count, false, 1, 0};
      p.A = A.at (0, J);
      p.B = as_const (c.G.at (J, J));
      p.C = Q.at (0, J);
      p.triangular = true;
      GLA_TRY (multiply (false, p));
      GLA_TRY (gemm (false, J, count, count, 1, c.R.at (0, J), c.G.at (J, J), 0, c.G.at (0, J)));
      GLA_TRY (gemm (false, c.m, count, J, -1, Q, c.G.at (0, J), 1, Q.at (0, J)));
      GLA_TRY (pause.wait (pause.user));
    }
    return GLA_OK;
  }

  // The last part, when R, its inverses and the signs are there or have been launched.
  gla_status finish (page_matrix<const T> A, page_matrix<T> R, int64_t rows, page_matrix<T> Q,
                     const qr_pause &pause) const
  {
    GLA_TRY (qr_cholesky_norms (c, s.main));
    GLA_TRY (c.early && Q.data != nullptr ? finish_early (A, R, rows, Q, pause)
                                          : finish_in_turn (A, R, rows, Q, pause));
    return main_follows ();
  }

  // Forms Q while the signs are computed on the side stream, and applies them at the end.
  gla_status finish_early (page_matrix<const T> A, page_matrix<T> R, int64_t rows, page_matrix<T> Q,
                           const qr_pause &pause) const
  {
    GLA_TRY (cudaEventRecord (s.updated, s.side)); // behind the last sign
    GLA_TRY (solve (false));
    GLA_TRY (qr_cholesky_squares (c, s.main));
    GLA_TRY (side_follows ());
    GLA_TRY (qr_cholesky_verdict (c, s.side));
    GLA_TRY (form_q (A, Q, pause));
    GLA_TRY (cudaStreamWaitEvent (s.main, s.updated, 0));
    return engine_status (qr_cholesky_results (c, R, rows, Q, s.main));
  }

  // The verdict needs no Q, and Q does not need the verdict.
  gla_status finish_in_turn (page_matrix<const T> A, page_matrix<T> R, int64_t rows,
                             page_matrix<T> Q, const qr_pause &pause) const
  {
    GLA_TRY (main_follows ());
    GLA_TRY (qr_cholesky_results (c, R, rows, page_matrix<T>{nullptr, 0, 0}, s.main));
    GLA_TRY (side_follows ());
    GLA_TRY (solve (true));
    GLA_TRY (qr_cholesky_squares (c, s.side));
    GLA_TRY (qr_cholesky_verdict (c, s.side));
    if (Q.data != nullptr)
      return form_q (A, Q, pause);
    return GLA_OK;
  }
};

} // namespace

template <class T>
gla_status qr_by_cholesky (const qr_cholesky<T> &c, page_matrix<const T> A, page_matrix<T> R,
                           int64_t rows, page_matrix<T> Q, const qr_streams &streams,
                           const qr_pause &pause)
{
  halves<T> work = {c, streams};
  GLA_TRY (work.side_follows ()); // an upload may be running
  GLA_TRY (qr_cholesky_start (c, streams.main));
  GLA_TRY (qr_copy<T> (c.M, A, c.n, c.n, false, c.pages, streams.side));
  GLA_TRY (work.gram (A));
  GLA_TRY (c.panels ? work.factor_panels () : work.factor_strips (pause));
  return work.finish (A, R, rows, Q, pause);
}

template <class T>
gla_status qr_cholesky_bare (const qr_cholesky<T> &c, page_matrix<const T> A,
                             const qr_streams &streams, const qr_pause &pause)
{
  const halves<T> work = {c, streams};
  GLA_TRY (qr_cholesky_start (c, streams.main));
  GLA_TRY (work.gram (A));
  GLA_TRY (work.factor_all (0, c.n, pause));
  GLA_TRY (qr_cholesky_norms (c, streams.main));
  GLA_TRY (work.solve (false));
  GLA_TRY (qr_cholesky_squares (c, streams.main));
  return engine_status (qr_cholesky_verdict (c, streams.main));
}

template <class T>
gla_status qr_cholesky_inverse (const qr_cholesky<T> &c, const qr_streams &streams,
                                const qr_pause &pause)
{
  const halves<T> work = {c, streams};
  return work.factor_all (0, c.n, pause);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template gla_status qr_cholesky_inverse (const qr_cholesky<T> &, const qr_streams &,             \
                                           const qr_pause &);                                      \
  template gla_status qr_cholesky_bare (const qr_cholesky<T> &, page_matrix<const T>,              \
                                        const qr_streams &, const qr_pause &);                     \
  template gla_status qr_by_cholesky (const qr_cholesky<T> &, page_matrix<const T>,                \
                                      page_matrix<T>, int64_t, page_matrix<T>, const qr_streams &, \
                                      const qr_pause &);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)

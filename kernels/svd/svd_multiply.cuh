// svd_multiply.cuh: products of pages of a chunk
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SVD_MULTIPLY_CUH
#define GPULINALG_SVD_MULTIPLY_CUH

#include "common/work_limits.cuh"
#include "engine/engine.cuh"
#include "engine/product_pieces.cuh"
#include "svd_polar.cuh"

// Which page of a factor belongs to each page of the result; NULL: the same one.
struct svd_index {
  const int64_t *device, *host; // the latter for cuBLAS
  int64_t at (int64_t page) const { return device == nullptr ? page : host[page]; }
};

// Where a product is made, and of how many pages.
struct svd_product {
  cuda_engine *e;
  int slot;
  int64_t pages;
  svd_index of_a = {nullptr, nullptr}, of_b = {nullptr, nullptr}; // of svd_multiply
};

// Whether products with sums of so many terms are cuBLAS's, page by page. Ours take all pages at
// once; those of single precision do not use tensor cores.
template <class T> bool svd_by_blas (int64_t k)
{
  return k > (sizeof (real_t<T>) == 8 ? 1024 : 640);
}

//------------------------------------------------------------------------------
// our own products
//------------------------------------------------------------------------------

template <class T>
product_args<T, T> svd_product_args (const svd_product &w, page_matrix<T> C, page_matrix<T> A,
                                     page_matrix<T> B, const int64_t (&mkn)[3])
{
  product_args<T, T> p = {};
  p.A = {A.data, A.ld, A.page, w.of_a.device};
  p.B = {B.data, B.ld, B.page, w.of_b.device};
  p.C = C.data;
  p.ldc = C.ld;
  p.page = C.page;
  p.pages = w.pages;
  p.m = (int)mkn[0];
  p.k = (int)mkn[1];
  p.n = (int)mkn[2];
  return p;
}

//------------------------------------------------------------------------------
// cuBLAS's
//------------------------------------------------------------------------------

// op (A)*op (B) on every page, in pieces of about PIECE_SECONDS. The handle is open.
template <class T>
gla_status svd_run_blas (const svd_product &w, const char (&op)[2], page_matrix<T> C,
                         page_matrix<T> A, page_matrix<T> B, const int64_t (&mkn)[3])
{
  engine_slot &slot = w.e->slots[w.slot];
  const int64_t m = mkn[0], k = mkn[1], n = mkn[2];
  const double rate = 3e13, parts = is_complex_v<T> ? 8 : 2;
  const double column = parts * (double)m * (double)k / rate;
  double under_way = 0;
  for (int64_t page = 0; page < w.pages; page++)
    for (int64_t j = 0, width; j < n; j += width) {
      const double fit = PIECE_SECONDS / column;
      width = fit < 256 ? 256 : fit < (double)n ? (int64_t)fit : n;
      width = width < n - j ? width : n - j;
      if (under_way > PIECE_SECONDS)
        GLA_TRY (engine_throttle (w.e, w.slot));
      under_way = under_way > PIECE_SECONDS ? 0 : under_way;
      page_matrix<T> a = A, b = op[1] == 'N' ? B.at (0, j) : B.at (j, 0), c = C.at (0, j);
      a.data += w.of_a.at (page) * A.page;
      b.data += w.of_b.at (page) * B.page;
      c.data += page * C.page;
      GLA_TRY (gpu_gemm<T> (&slot.blas, slot.stream, op[0], op[1], m, width, k, 1, as_const (a),
                            as_const (b), 0, c, 1));
      under_way += column * (double)width;
    }
  return GLA_OK;
}

// The upper triangle of a Hermitian product in strips of columns, then the lower one. upper: A*A'
// of an upper triangular A, with zeros below.
template <class T>
gla_status svd_hermitian_blas (const svd_product &w, const char (&op)[2], page_matrix<T> C,
                               page_matrix<T> A, int64_t k, int64_t n, bool upper = false)
{
  enum { STRIP = 1024 };
  for (int64_t j = 0; j < n; j += STRIP) {
    const int64_t width = n - j < STRIP ? n - j : (int64_t)STRIP, zeros = upper ? j : 0;
    const page_matrix<T> B = op[0] == 'N' ? A.at (j, zeros) : A.at (0, j);
    GLA_TRY (svd_run_blas (w, op, C.at (0, j), A.at (0, zeros), B, {j + width, k - zeros, width}));
  }
  return engine_status (polar_mirror (C.data, (int)n, w.pages, w.e->slots[w.slot].stream));
}

//------------------------------------------------------------------------------
// either
//------------------------------------------------------------------------------

// C = A*B of m x k and k x n, or A'*B with A of k x m.
template <class T>
gla_status svd_multiply (const svd_product &w, page_matrix<T> C, page_matrix<T> A, page_matrix<T> B,
                         const int64_t (&mkn)[3], bool adjoint = false)
{
  if (svd_by_blas<T> (mkn[1]))
    return svd_run_blas (w, {adjoint ? 'C' : 'N', 'N'}, C, A, B, mkn);
  product_args<T, T> p = svd_product_args (w, C, A, B, mkn);
  p.transpose_a = p.conjugate_a = adjoint;
  return product_in_pieces (w.e, w.slot, p);
}

// C = A'*A of k x n, exactly Hermitian; by cuBLAS C is packed.
template <class T>
gla_status svd_gram (const svd_product &w, page_matrix<T> C, page_matrix<T> A, int64_t k, int64_t n)
{
  if (svd_by_blas<T> (k))
    return svd_hermitian_blas (w, {'C', 'N'}, C, A, k, n);
  product_args<T, T> p = svd_product_args (w, C, A, A, {n, k, n});
  p.transpose_a = p.conjugate_a = p.hermitian = true;
  return product_in_pieces (w.e, w.slot, p);
}

// The same as x*I + y*A'*A, (x, y) of each page, by our own kernels; far as in product_args.
template <class T>
gla_status svd_weighted_gram (const svd_product &w, page_matrix<T> C, page_matrix<T> A, int64_t n,
                              const double2 *weights, int32_t *far)
{
  product_args<T, T> p = svd_product_args (w, C, A, A, {n, n, n});
  p.transpose_a = p.conjugate_a = p.hermitian = true;
  p.weights = weights;
  p.far = far;
  return product_in_pieces (w.e, w.slot, p);
}

// C = x*I + y*A*A' of n x n, A upper triangular with zeros below; likewise.
template <class T>
gla_status svd_weighted_square (const svd_product &w, page_matrix<T> C, page_matrix<T> A, int64_t n,
                                const double2 *weights)
{
  product_args<T, T> p = svd_product_args (w, C, A, A, {n, n, n});
  p.transpose_b = p.conjugate_b = p.hermitian = p.upper = true;
  p.weights = weights;
  return product_in_pieces (w.e, w.slot, p);
}

#endif

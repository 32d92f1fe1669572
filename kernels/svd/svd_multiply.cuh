// svd_multiply.cuh: products of pages of a chunk
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SVD_MULTIPLY_CUH
#define GPULINALG_SVD_MULTIPLY_CUH

#include "common/work_limits.cuh"
#include "engine/engine.cuh"
#include "engine/product_part.cuh"

// Where a product is made, and of how many pages.
struct svd_product {
  cuda_engine *e;
  int slot;
  int64_t pages;
};

// In pieces of PIECE_SECONDS.
template <class T> gla_status svd_run_product (const svd_product &w, const product_args<T, T> &p)
{
  const int64_t tiles = product_tiles<T, T> (p.m, p.n, p.k);
  const double page = 8.0 * p.m * p.n * p.k / 2e13; // no kernel is so slow
  const double fit = PIECE_SECONDS / page;
  const int64_t pages = fit < 1 ? 1 : fit < 1e5 ? (int64_t)fit : 100000;
  for (int64_t first = 0; first < p.pages; first += pages) {
    const int64_t count = p.pages - first < pages ? p.pages - first : pages;
    const product_piece piece = {
        first, count, 0, tiles > 0 ? tiles : 1, 0, p.k, w.e->multiprocessors};
    GLA_TRY (first == 0 ? GLA_OK : engine_throttle (w.e, w.slot));
    GLA_TRY (product_pages (p, piece, w.e->slots[w.slot].stream));
  }
  return GLA_OK;
}

template <class T>
product_args<T, T> svd_product_args (const svd_product &w, page_matrix<T> C, page_matrix<T> A,
                                     page_matrix<T> B, const int64_t (&mkn)[3])
{
  product_args<T, T> p = {};
  p.A = {A.data, A.ld, A.page, nullptr};
  p.B = {B.data, B.ld, B.page, nullptr};
  p.C = C.data;
  p.ldc = C.ld;
  p.page = C.page;
  p.pages = w.pages;
  p.m = (int)mkn[0];
  p.k = (int)mkn[1];
  p.n = (int)mkn[2];
  return p;
}

// C = A*B of m x k and k x n, or A'*B with A of k x m.
template <class T>
gla_status svd_multiply (const svd_product &w, page_matrix<T> C, page_matrix<T> A, page_matrix<T> B,
                         const int64_t (&mkn)[3], bool adjoint = false)
{
  product_args<T, T> p = svd_product_args (w, C, A, B, mkn);
  p.transpose_a = p.conjugate_a = adjoint;
  return svd_run_product (w, p);
}

// C = A'*A of k x n, exactly Hermitian.
template <class T>
gla_status svd_gram (const svd_product &w, page_matrix<T> C, page_matrix<T> A, int64_t k, int64_t n)
{
  product_args<T, T> p = svd_product_args (w, C, A, A, {n, k, n});
  p.transpose_a = p.conjugate_a = p.hermitian = true;
  return svd_run_product (w, p);
}

#endif

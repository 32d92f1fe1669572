// product.cuh: products of pages on a GPU: what the kernels share
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PRODUCT_CUH
#define GPULINALG_PRODUCT_CUH

#include <cstdint>
#include <cuda_runtime.h>

#include "engine/product_part.cuh"

// c + a*b. A real factor is not extended by an imaginary part 0, whose product with NaN would be
// NaN.
template <class T> GLA_DEVICE T product_madd (T a, T b, T c)
{
  return madd (a, b, c);
}
template <class R> GLA_DEVICE cx<R> product_madd (R a, cx<R> b, cx<R> c)
{
  return {madd (a, b.x, c.x), madd (a, b.y, c.y)};
}
template <class R> GLA_DEVICE cx<R> product_madd (cx<R> a, R b, cx<R> c)
{
  return {madd (a.x, b, c.x), madd (a.y, b, c.y)};
}

// Bytes of shared memory that a device must allow a block; without them no kernel of this folder
// runs.
enum { PRODUCT_SHARED = 96 * 1024 };

//------------------------------------------------------------------------------
// products with few columns or few rows: their launch
//------------------------------------------------------------------------------

// Multiplies a piece, whose page has `tiles` tiles, if the kernels of product_thin_kernel.cuh can;
// `done` is set if they did.
template <class TA, class TB>
cudaError_t launch_thin (const product_args<TA, TB> &a, const product_piece &piece, int64_t tiles,
                         cudaStream_t stream, bool *done);

//------------------------------------------------------------------------------
// long sums of small pages in parts, which are added up afterwards
//------------------------------------------------------------------------------

// A page of few tiles keeps few multiprocessors busy, however long its sums are. Its terms are cut
// into parts, each of which is multiplied as a page of its own into work space. Where they are cut
// depends on the shape alone, and the parts are added in their order, so that a page has the same
// bits in every batch, at every address and from every kernel. Only gla_pagemul does this
// (product_engine.cu): operations that multiply by engine/product_part.cuh have no work space for
// it, and their sums are whole.

// `full` parts of `terms` terms and, where it is not 0, one of `rest`. All 0: the sums are whole.
struct product_parts {
  int full, terms, rest;
  int count () const { return full + (rest > 0); }
};

// Terms of a part at most; with more, TMA could not copy the tiles.
enum { PART_TERMS = 1 << 15 };

// As many parts as give each of the 132 multiprocessors of an H100 a tile of 64 by 64, but none of
// less than 256 terms, or of less than twice the shorter side, since its sum would be read and
// written too often. The parts take the time of one, and the rest that of its own terms: of 16
// lengths the one with the smallest sum of both is taken. Pages with up to 16 rows or columns have
// at most four tiles, and a multiprocessor holds several small ones, so they have more parts. They
// are cut from 16384 terms on, because batches of shorter sums, which fill the GPU, would take up
// to 1.35 times as long. If their other side is long, product_thin_kernel.cuh divides the sums.
inline product_parts product_parts_of (int64_t m, int64_t n, int64_t k)
{
  const int64_t tiles = ((m + 63) / 64) * ((n + 63) / 64), side = m < n ? m : n;
  const int64_t other = m < n ? n : m;
  const int64_t shortest = side > 16 ? 2048 : 16384;
  if (tiles >= 66 || k < shortest || k < 8 * side || side < 1 || (side <= 16 && other >= 256))
    return {0, 0, 0};
  const int64_t least = 2 * side > 256 ? 2 * side : 256,
                longest = (k + PART_TERMS - 1) / PART_TERMS;
  const int64_t wanted = side > 16 ? 132 : other > 16 ? 528 : 2048;
  int64_t parts = (wanted + tiles - 1) / tiles;
  parts = parts < longest ? longest : parts;
  parts = parts > k / least ? k / least : parts;
  const int64_t from = k / parts / 64 * 64;
  int64_t best = from, cost = INT64_MAX;
  for (int64_t terms = from; terms < from + 16 * 64; terms += 64) {
    const int64_t rest = k % terms, here = terms + (rest > 0 ? rest + 64 : 0);
    if (here < cost) {
      best = terms;
      cost = here;
    }
  }
  return {(int)(k / best), (int)best, (int)(k % best)};
}

// C = the sum of `count` parts. Element (i, j) of page p of part l is at
// from[(l*pages + p)*m*n + j*m + i], that of C at C[p*page + j*ldc + i]. pages*m*n < 2^31.
template <class T> struct part_sums {
  const T *from;
  int count, m, n, pages;
  T *C;
  int64_t ldc, page;
};
template <class T> cudaError_t product_add_parts (const part_sums<T> &s, cudaStream_t stream);

#endif

// product_pieces.cuh: products of pages as a part of an operation's work on a chunk, piece by piece
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PRODUCT_PIECES_CUH
#define GPULINALG_PRODUCT_PIECES_CUH

#include "common/work_limits.cuh"
#include "engine.cuh"
#include "product_part.cuh"

// Computes all pages on the slot's stream, in pieces of PIECE_SECONDS. by_tiles: a page that takes
// longer is done in several, of some tiles each.
template <class TA, class TB>
gla_status product_in_pieces (cuda_engine *e, int slot, const product_args<TA, TB> &p,
                              bool by_tiles = false)
{
  const int64_t tiles = product_tiles<TA, TB> (p.m, p.n, p.k), in_page = tiles > 0 ? tiles : 1;
  const double page = 8.0 * p.m * p.n * p.k / 2e13; // no kernel is so slow
  const double fit = PIECE_SECONDS / page;
  const int64_t pages = fit < 1 ? 1 : fit < 1e5 ? (int64_t)fit : 100000;
  const int64_t some = (int64_t)(fit * (double)in_page);
  const int64_t part = fit >= 1 || !by_tiles ? in_page : some > 1 ? some : 1;
  for (int64_t first = 0; first < p.pages; first += pages)
    for (int64_t tile = 0; tile < in_page; tile += part) {
      const int64_t count = p.pages - first < pages ? p.pages - first : pages;
      const int64_t count_tiles = in_page - tile < part ? in_page - tile : part;
      const product_piece piece = {first, count, tile, count_tiles, 0, p.k, e->multiprocessors};
      GLA_TRY (first + tile == 0 ? GLA_OK : engine_throttle (e, slot));
      GLA_TRY (product_pages (p, piece, e->slots[slot].stream));
    }
  return GLA_OK;
}

#endif

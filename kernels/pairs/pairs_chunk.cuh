// pairs_chunk.cuh: the products of gla_batcheig_pairs on a chunk of pages
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PAIRS_CHUNK_CUH
#define GPULINALG_PAIRS_CHUNK_CUH

#include "engine/engine.cuh"
#include "pairs.cuh"
#include "pairs/job.h"

// The current job.
inline gla_eigpairs_job &kept_eigpairs_job (const cuda_engine *e)
{
  return kept_job<gla_eigpairs_job> (e, GLA_BATCH_EIGPAIRS);
}

// The chunk and its arrays.
template <class T> struct pencil_work {
  cuda_engine *e;
  int slot;
  pencil_args<T> a;
};

// Whether pages of this order are transformed back in place, by pencil_small_back.
inline bool pencil_is_small (const gla_eigpairs_job &job)
{
  return job.eig.n <= PENCIL_SMALL && !job.product;
}

// The columns of X that are formed: those of a range of indices.
inline pencil_columns pencil_wanted (const gla_eigpairs_job &job)
{
  const bool part = job.eig.range == GLA_EIG_INDICES && job.eig.columns > 0;
  return part ? pencil_columns{(int)job.eig.il - 1, (int)job.eig.columns}
              : pencil_columns{0, (int)job.eig.n};
}

// How C is formed: by pencil_small, by pencil_page_reduce, or by several kernels.
enum pencil_way { PENCIL_BY_WARPS, PENCIL_BY_BLOCKS, PENCIL_BY_PRODUCTS };
template <class T> pencil_way pencil_way_of (int64_t n, bool product, int smem_limit)
{
  if (product)
    return PENCIL_BY_PRODUCTS;
  if (n <= (is_complex_v<T> ? PENCIL_WARP_COMPLEX : PENCIL_SMALL))
    return PENCIL_BY_WARPS;
  return n <= PENCIL_PAGE && pencil_page_fits<T> ((int)n, smem_limit) ? PENCIL_BY_BLOCKS
                                                                      : PENCIL_BY_PRODUCTS;
}

// Finds M of B, and L with `product`.
template <class T> gla_status pencil_factor_pages (const pencil_work<T> &w);
// Finds C from A.
template <class T> gla_status pencil_reduce (const pencil_work<T> &w);
// Finds X from Y in W, the wanted columns.
template <class T> gla_status pencil_back (const pencil_work<T> &w, const page_matrix<T> &X);
// Writes inv (B) to W.
template <class T> gla_status pencil_inverse (const pencil_work<T> &w);

#endif

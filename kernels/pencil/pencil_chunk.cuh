// pencil_chunk.cuh: the products of gla_batcheig_pairs on a chunk of pages
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PENCIL_CHUNK_CUH
#define GPULINALG_PENCIL_CHUNK_CUH

#include "engine/engine.cuh"
#include "pencil.cuh"

// A chunk that is at work.
template <class T> struct pencil_work {
  cuda_engine *e;
  int slot;
  pencil_args<T> a;
};

// Whether pencil_small serves.
inline bool pencil_is_small (const gla_eigpairs_job &job)
{
  return job.eig.n <= PENCIL_SMALL && !job.product;
}

// M of B, and L with `product`.
template <class T> gla_status pencil_factor_pages (const pencil_work<T> &w);
// C from A.
template <class T> gla_status pencil_reduce (const pencil_work<T> &w);
// X from Y in W.
template <class T> gla_status pencil_back (const pencil_work<T> &w, const page_matrix<T> &X);
// inv (B) to W.
template <class T> gla_status pencil_inverse (const pencil_work<T> &w);

#endif

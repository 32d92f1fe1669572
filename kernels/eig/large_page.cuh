// large_page.cuh: large pages in the view of the engine
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_LARGE_PAGE_CUH
#define GPULINALG_LARGE_PAGE_CUH

#include "common/pages.cuh"
#include "engine/engine.cuh"
#include "large.cuh"

// Pages of more rows are waited for piece by piece. Smaller ones take less than 0.1 s, and those of
// all slots are at work at the same time, since none fills the GPU.
enum { LARGE_WAIT_FROM = 3072 };

// The work space of one page, which all pages of a chunk use one after the other; of eig_args these
// are Z, stedc, d, e and rank, too.
template <class T> void eig_large_lay_out (int n, int vectors, carver &c, large_work<T> *w);

// Behind large_sort, of an interval: spans, and its first and number as first * (n + 1) + number.
template <class T>
cudaError_t large_span (const large_page<T> &a, const eig_interval &interval, int *packed);

// A -> lambda, V, info, skew for all pages of a chunk. It waits for the work on the way and polls
// the monitor. Of an interval up to LARGE_WAIT_FROM rows it ends with the eigenvalues, for a chunk
// of one page: once e->counter[slot] has what large_span packs, eig_large_rest finds the vectors.
template <class T>
gla_status eig_large (cuda_engine *e, int slot, const eig_args<T> &chunk,
                      const large_work<T> &work);
template <class T>
gla_status eig_large_rest (cuda_engine *e, int slot, const eig_args<T> &chunk,
                           const large_work<T> &work);

#endif

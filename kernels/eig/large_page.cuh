// large_page.cuh: large pages in the view of the engine
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_LARGE_PAGE_CUH
#define GPULINALG_LARGE_PAGE_CUH

#include "common/carver.cuh"
#include "engine/engine.cuh"
#include "large.cuh"

// The work space of one page, which all pages of a chunk use one after the other; of eig_args these
// are Z, stedc, d, e and rank, too.
template <class T> void eig_large_lay_out (int n, int vectors, carver &c, large_work<T> *w);

// A -> lambda, V, info, skew for all pages of a chunk. It waits for the work on the way and polls
// the monitor.
template <class T>
gla_status eig_large (cuda_engine *e, int slot, const eig_args<T> &chunk,
                      const large_work<T> &work);

#endif

// chased_wide.cuh: the second stage undone on the tensor cores, for complex double pages
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CHASED_WIDE_CUH
#define GPULINALG_CHASED_WIDE_CUH

#include "hetrd_band.cuh"

// Of more than n / EIG_MANY_SHARE columns.
enum { EIG_MANY_SHARE = 4 };

// Numbers of work of one page, behind a.chased of all pages.
template <class T> int64_t chased_wide_numbers (int n);

// V = Q2 Z by the reflectors of the second stage, where a strip of columns fits in shared memory;
// eig_chased takes it for many columns, of an interval for the pages with many.
template <class T> bool chased_wide_fits (int n, int smem_limit);
template <class T> cudaError_t chased_wide (const eig_args<T> &a);

#endif

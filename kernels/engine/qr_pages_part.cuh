// qr_pages_part.cuh: QR of pages of any size as a part of another operation's work on a chunk (qr/)
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The other operation has put a job of arrays on the device, with only Q and R, into the job that
// kept_qr_job returns.

#ifndef GPULINALG_QR_PAGES_PART_CUH
#define GPULINALG_QR_PAGES_PART_CUH

#include "common/pages.cuh"
#include "engine.cuh"
#include "qr/job.h"

inline gla_qr_job &kept_qr_job (const cuda_engine *e)
{
  return kept_job<gla_qr_job> (e, GLA_BATCH_QR);
}

// Returns a job for pages of m x n, m >= n.
gla_qr_job qr_pages_part_job (const gla_job &head, int64_t m, int64_t n);
// Returns the bytes that a chunk of so many pages needs.
size_t qr_pages_part_bytes (const gla_qr_job *job, int64_t pages);
// Returns the seconds of kernels for `pages` pages.
double qr_pages_part_seconds (const cuda_engine *e, const gla_qr_job *job, double pages);

// Whether A'A comes first: pages for which it is good enough get R, with a positive diagonal, and
// its inverse.
bool qr_pages_part_inverts (const gla_qr_job *job);

// Pages of m x n, and of R, n x n and packed. Q may have NULL data if the job has no columns of it.
template <class T> struct qr_pages {
  page_matrix<T> A, Q, R;
  int64_t pages;
};

// Finds A = Q*R on every page. If A'A comes first, the first n rows of Q get inv (R), with zeros
// below the diagonal, and `failed`, on the host and zero before, becomes 1 for pages that have
// neither; it then returns when all that is done.
template <class T>
gla_status qr_pages_part (cuda_engine *e, int slot, char *memory, const qr_pages<T> &p,
                          int *failed);
// Finds Q*R of those pages, before anything else uses the memory.
template <class T>
gla_status qr_pages_part_redo (cuda_engine *e, int slot, char *memory, const qr_pages<T> &p);

#endif

// qr_pages_part.cuh: QR of pages of any size as a part of another operation's work on a chunk (qr/)
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The other operation has put a job of arrays on the device, with Q and R and nothing else, into
// e->qr_job.

#ifndef GPULINALG_QR_PAGES_PART_CUH
#define GPULINALG_QR_PAGES_PART_CUH

#include "common/pages.cuh"
#include "engine.cuh"

// A job for pages of m x n, m >= n.
gla_qr_job qr_pages_part_job (const gla_job &head, int64_t m, int64_t n);
// Bytes that a chunk of so many pages needs.
size_t qr_pages_part_bytes (const gla_qr_job *job, int64_t pages);
// Seconds of kernels for `pages` pages.
double qr_pages_part_seconds (const cuda_engine *e, const gla_qr_job *job, double pages);

// A = Q*R of m x n and n x n on every page. Where A'A comes first, returns when all is done.
template <class T>
gla_status qr_pages_part (cuda_engine *e, int slot, char *memory, page_matrix<T> A,
                          page_matrix<T> Q, page_matrix<T> R, int64_t pages);

#endif

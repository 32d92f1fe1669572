// qr_small.cuh: QR of small pages, each by one kernel from load to store
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_QR_SMALL_CUH
#define GPULINALG_QR_SMALL_CUH

#include "qr/job.h"
#include "common/pages.cuh"

// Matrices that are not wanted have NULL data; B is as wide as C.
template <class T> struct qr_small_args {
  page_matrix<const T> A, B;
  page_matrix<T> Q, R, C, W, Y;
  int m, n, k; // k = min (m, n) reflectors
  int q_columns, r_rows, rhs, c_rows;
  int64_t pages;
};

// Whether the pages of a job are small: their sizes, their type and the outputs alone decide, and
// of the outputs only what these kernels do not make.
bool qr_small_serves (const gla_qr_job &job);
// Seconds for one page of many, on the GPU that predictions are fitted to.
double qr_small_seconds (const gla_qr_job &job, double page_bytes);
template <class T> cudaError_t qr_small (const qr_small_args<T> &a, cudaStream_t stream);

//------------------------------------------------------------------------------
// the kernels
//------------------------------------------------------------------------------

// One thread for each page: of at most 64 numbers (complex double: 36).
bool qr_small_thread_serves (int m, int n, bool wide_type);
template <class T> cudaError_t qr_small_by_thread (const qr_small_args<T> &a, cudaStream_t stream);

// Tiles of rows x columns numbers in the registers of row_lanes * column_lanes threads.
struct qr_small_tiling {
  int rows, columns, row_lanes, column_lanes; // rows = 0: none holds such a page
};
qr_small_tiling qr_small_tiling_of (int m, int n, bool wide_type);
template <class T>
cudaError_t qr_small_by_tiles (const qr_small_args<T> &a, const qr_small_tiling &t,
                               cudaStream_t stream);

#endif

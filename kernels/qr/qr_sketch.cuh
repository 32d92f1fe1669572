// qr_sketch.cuh: QR with column pivoting by blocks, whose columns a random sketch chooses
// SPDX-License-Identifier: GPL-3.0-or-later
//
// HQRRP (Martinsson, Quintana-Orti, Heavner, van de Geijn 2017) with a new sketch for each block,
// as BQRRP (Melnichenko, Murray, Killian, Demmel, Mahoney, Luszczek 2025) compares it: what is left
// of A is multiplied from the left by few random rows, column pivoting of that small matrix chooses
// the columns of the next block, and these are factored and applied without pivoting. A sketch that
// is made anew knows small columns to all digits, however small they have become.

#ifndef GPULINALG_QR_SKETCH_CUH
#define GPULINALG_QR_SKETCH_CUH

#include "qr_worker.cuh"

enum { QR_SKETCH_ROWS = QR_BLOCK + 8 };
// Blocks of threads, at most, that have a group of columns each at the same time.
enum { QR_SKETCH_GROUPS = 256 };

// G and the numbers of the columns; nothing has been offered.
template <class T> cudaError_t qr_sketch_start (const qr_plan<T> &p, cudaStream_t stream);

// From the sketch S of the columns from J on: the numbers, from J, of `count` of them.
template <class T>
cudaError_t qr_sketch_choose (const qr_plan<T> &p, int64_t J, int count, cudaStream_t stream);

// Brings them to places J .. J+count-1, in the order in which they were chosen.
template <class T>
cudaError_t qr_sketch_permute (const qr_plan<T> &p, int64_t J, int count, cudaStream_t stream);

// Y has been loaded.
template <class T> gla_status qr_factor_sketched (const qr_worker<T> &w, const qr_pause &pause);

#endif

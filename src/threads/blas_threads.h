// blas_threads.h: one thread for each call of the BLAS, and memory for as many calls at once
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_BLAS_THREADS_H
#define GPULINALG_BLAS_THREADS_H

// From here to gla_blas_leave the BLAS uses one thread in every call, and up to `threads` of our
// threads may call it at once. Returns how many it is safe for: fewer if the process may not have
// more memory, and 0 if there is none for one; then there is nothing to release. Several threads
// may hold the BLAS, also one of them more than once; each releases what it holds itself.
int gla_blas_enter (int threads);
void gla_blas_leave (int threads);
// A thread of the pool calls it when it begins.
void gla_blas_pool_thread (void);
// Each thread calls it at its first call of the BLAS. Returns whether the BLAS serves one call at a
// time.
int gla_blas_first_call (void);

#endif

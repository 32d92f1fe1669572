// blas_threads.h: how many threads the BLAS has
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_BLAS_THREADS_H
#define GPULINALG_BLAS_THREADS_H

// One BLAS thread, because ours already fill all cores, or because there is too little to share;
// restore gives back what was there.
int gla_blas_threads_one (void);
void gla_blas_threads_restore (int before);

#endif

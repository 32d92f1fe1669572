// blas_gate.h: a fork waits until no thread of the library is in a call of the BLAS or of LAPACK
// SPDX-License-Identifier: GPL-3.0-or-later
//
// OpenBLAS locks its own mutex in each call that needs a buffer, and has no handler for forks: a
// child that was forked while another thread held the mutex waits for it forever. So these enclose
// each call of the BLAS and of LAPACK; not of larfg, nrm2, laed2, laed4, lamrg, sterf and stein,
// which need no buffers. Between them a thread waits for no other one.
//
// OpenBLAS without threads serves one call at a time: then the calls of threads are serialised.

#ifndef GPULINALG_BLAS_GATE_H
#define GPULINALG_BLAS_GATE_H

#ifdef __cplusplus
extern "C" {
#endif

void gla_blas_in (void);
void gla_blas_out (void);

#ifdef __cplusplus
}
#endif

#endif

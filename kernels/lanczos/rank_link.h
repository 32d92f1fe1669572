// rank_link.h: sends rows between the GPUs of ranks by NCCL, if all ranks have it
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_RANK_LINK_H
#define GPULINALG_RANK_LINK_H

#include "gpulinalg.h"
#include "lanczos/lanczos_link.h"

#ifdef __cplusplus
extern "C" {
#endif

// Adds numbers over all ranks; nonzero, on all of them: a rank has failed.
typedef int (*rank_link_add) (void *user, double *x, int64_t count);

// Whether rows go by NCCL, for the GPU `device` of this rank. All ranks call it, with l->asked on
// each. 1: they do; 0: through the host, on all ranks, and l->text says why; -1: a rank has failed.
int rank_link_begin (gla_rank_link *l, int device, rank_link_add add, void *user);

// Makes one exchange, after what is in the CUDA stream; returns when it is done. All ranks call it,
// after each has announced it. A failure ends the link: GLA_ERROR_RANK_LOST, where l->text says
// why, or GLA_ERROR_DEVICE_FAILURE. GLA_OK and l->late: see there.
gla_status rank_link_exchange (gla_rank_link *l, const gla_link_rows *rows, void *stream);

// Ends the link on this rank, if there is one.
void rank_link_end (gla_rank_link *l, const char *why);

#ifdef __cplusplus
}
#endif

#endif

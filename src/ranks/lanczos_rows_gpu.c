// lanczos_rows_gpu.c: eigenvalues of a matrix whose rows are spread over ranks, each with a GPU
// SPDX-License-Identifier: GPL-3.0-or-later
//
// All ranks work on GPUs, or all on CPUs: blocks and bases are of other sizes there. So the ranks
// tell each other, when they meet, whether they would take a GPU, and of which kind: each decides
// from numbers that its own GPU computed, and GPUs of another kind may compute other bits.

#include "lanczos_rows.h"

#include <stdio.h>

// Whether a GPU can be thought of at all.
static int may_take_gpu (const gla_eigs_run *run)
{
  return run->ctx->place != GLA_PLACE_CPU && !gla_eigs_is_dense (run);
}

// Not 0; the same for GPUs with the same name and number of multiprocessors.
static int64_t kind_of (gla_context *ctx, int device)
{
  gla_device_info info = {.size = sizeof info};
  uint64_t h = 1469598103;
  (void)gla_device_query (ctx, device, &info);
  for (const char *c = info.name; *c != '\0'; c++)
    h = (h ^ (unsigned char)*c) * 0x100000001b3u; // Fowler, Noll, Vo
  return (int64_t)((h ^ (uint64_t)info.multiprocessors) | 1);
}

gla_status gla_eigs_rows_choose (gla_eigs_rows_call *call, const gla_eigs_results *results,
                                 int64_t *gpu_kind)
{
  gla_eigs_run *run = &call->run;
  gla_choice *choice = &call->choice;
  const int local = call->S->ranks->transport.local_rank;
  *choice = (gla_choice){0};
  *gpu_kind = 0;
  if (!may_take_gpu (run))
    return GLA_OK;
  if (run->o.method == GLA_EIGS_METHOD_PLAIN)
    return run->ctx->place == GLA_PLACE_AUTO
               ? GLA_OK
               : gla_fail (run->ctx, GLA_ERROR_BAD_ARGUMENT,
                           "of rows on several ranks the plain method runs on the CPU");
  run->ctx->rank_here = 1 + local;
  gla_status status = gla_eigs_choose (run, results, choice);
  run->ctx->rank_here = 0;
  if (status == GLA_OK && choice->count > 0)
    *gpu_kind = kind_of (run->ctx, choice->devices[0]);
  if (*gpu_kind != 0 && gla_sparse_rows_swap_room (call->S, run->job.block) != GLA_OK)
    status = gla_fail (run->ctx, GLA_ERROR_OUT_OF_MEMORY, "too little memory");
  return status;
}

int gla_eigs_rows_wish (const gla_eigs_rows_call *call)
{
  const gla_place place = call->run.ctx->place;
  return place == GLA_PLACE_CPU ? 0 : place == GLA_PLACE_AUTO ? 1 : 2;
}

// Rows go from GPU to GPU where all ranks ask for that.
static gla_rank_link *link_of (gla_ranks *ranks)
{
  int asked = 0, not = -1;
  for (int r = ranks->transport.ranks - 1; r >= 0; r--)
    if (ranks->cards[r].size[0])
      asked++;
    else
      not = r;
  if (asked > 0 && not >= 0)
    snprintf (ranks->link.text, sizeof ranks->link.text, "rank %d does not ask for NCCL", not );
  return ranks->transport.ranks > 1 && not < 0 ? &ranks->link : NULL;
}

gla_status gla_eigs_rows_settle (gla_eigs_rows_call *call)
{
  gla_ranks *ranks = call->S->ranks;
  gla_context *ctx = call->run.ctx;
  int all = 1, alike = 1;
  for (int r = 0; r < ranks->transport.ranks; r++) {
    all &= ranks->cards[r].flags != 0;
    alike &= ranks->cards[r].flags == ranks->cards[0].flags;
  }
  if (!all || (!alike && ctx->place == GLA_PLACE_AUTO))
    return GLA_OK;
  call->elsewhere = !alike; // all ranks find it
  if (!alike)
    return gla_fail (ctx, GLA_ERROR_RANKS_DIFFER,
                     "the ranks have GPUs of different kinds; take the CPUs, or GPUs of one kind");
  call->common.gpu = call->choice.devices[0];
  call->common.rather = ctx->place == GLA_PLACE_AUTO;
  call->common.krylov.out = call->S->swap_out;
  call->common.krylov.in = call->S->swap_in;
  call->common.krylov.link = link_of (ranks);
  return GLA_OK;
}

void gla_eigs_rows_swap (void *user, int64_t columns)
{
  const gla_eigs_rows_call *call = user;
  gla_sparse_rows_swap (call->S, columns);
}

void gla_eigs_rows_count (void *user, int64_t columns)
{
  const gla_eigs_rows_call *call = user;
  gla_sparse_rows_count (call->S, columns);
}

// What the link has said where other ranks have not come, or NCCL has failed.
static gla_status device_failure (const gla_eigs_rows_call *call, gla_status status)
{
  return gla_fail (call->run.ctx, status, "device %d: %s", call->common.gpu,
                   status == GLA_ERROR_RANK_LOST ? call->S->ranks->link.text
                                                 : gla_status_text (status));
}

void gla_eigs_rows_fail (void *user, gla_status status)
{
  gla_eigs_rows_call *call = user;
  call->lost |= status == GLA_ERROR_DEVICE_FAILURE;
  gla_ranks_note (call->S->ranks, device_failure (call, status));
}

gla_status gla_eigs_rows_leave (gla_eigs_rows_call *call, gla_status status)
{
  gla_context *ctx = call->run.ctx;
  const int gpu = call->common.gpu, own = !call->elsewhere;
  call->lost |= own && gpu != GLA_DEVICE_HOST && status == GLA_ERROR_DEVICE_FAILURE;
  if (own && gpu != GLA_DEVICE_HOST && status == GLA_ERROR_DEVICE_FAILURE)
    (void)device_failure (call, status);
  if (call->lost) {
    gla_ranks_unlink (call->S->ranks, "the GPU has failed");
    gla_context_lose (ctx, gpu);
  }
  gla_choice_end (ctx, &call->choice);
  return status;
}

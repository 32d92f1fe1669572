// krylov_shares.h: engines that share the rows of a matrix, for calls of the CUDA backend
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef KRYLOV_SHARES_H
#define KRYLOV_SHARES_H

#include "backend.h"
#include "lanczos/job.h"

#include <stdlib.h>

// The shares become longer, the first has no rows where these are few.
static inline void cut_rows (gla_krylov_team *team, int64_t rows)
{
  for (int s = 0; s <= GLA_TEAM_SHARES; s++) {
    team->start[s] = rows * s * s / (GLA_TEAM_SHARES * GLA_TEAM_SHARES);
    if (s < GLA_TEAM_SHARES)
      team->sparse[s] = NULL;
  }
}

static inline gla_status prepare_rows (gla_krylov_team *team, gla_engine *engine, int share,
                                       const gla_spmv_matrix *M, const gla_monitor *monitor)
{
  const int narrow = M->csr.index_bytes == 4;
  const int32_t *start4 = (const int32_t *)M->csr.start + team->start[share];
  const int64_t *start8 = (const int64_t *)M->csr.start + team->start[share];
  const int64_t rows = team->start[share + 1] - team->start[share];
  const int64_t origin = narrow ? start4[0] : start8[0];
  int64_t *start = (int64_t *)malloc ((size_t)(rows + 1) * 8);
  gla_spmv_matrix part = *M;
  for (int64_t i = 0; i <= rows; i++)
    if (narrow)
      ((int32_t *)start)[i] = (int32_t)(start4[i] - origin);
    else
      start[i] = start8[i] - origin;
  part.csr.rows = rows;
  part.csr.start = start;
  part.csr.index = (const char *)M->csr.index + origin * M->csr.index_bytes;
  if (M->csr.values != NULL)
    part.csr.values = (const char *)M->csr.values + origin * (int64_t)gla_type_size (M->csr.type);
  part.entries = narrow ? ((int32_t *)start)[rows] : start[rows];
  team->from[share] = M->csr.columns;
  team->to[share] = 0;
  for (int64_t k = 0; k < part.entries; k++) {
    const int64_t j =
        narrow ? ((const int32_t *)part.csr.index)[k] : ((const int64_t *)part.csr.index)[k];
    team->from[share] = j < team->from[share] ? j : team->from[share];
    team->to[share] = j >= team->to[share] ? j + 1 : team->to[share];
  }
  const gla_status status =
      rows == 0 ? GLA_OK
                : engine->backend->spmv->prepare (engine, &part, monitor, &team->sparse[share]);
  free (start);
  return status;
}

// Each engine prepares its shares.
static inline gla_status share_rows (gla_krylov_team *team, const gla_spmv_matrix *M,
                                     const gla_monitor *monitor)
{
  gla_status status = GLA_OK;
  cut_rows (team, M->csr.rows);
  for (int k = 0; k < team->count; k++)
    for (int s = gla_team_share (team, k); s < gla_team_share (team, k + 1); s++)
      if (status == GLA_OK)
        status = prepare_rows (team, team->engines[k], s, M, monitor);
  return status;
}

static inline void free_rows (gla_krylov_team *team)
{
  for (int k = 0; k < team->count; k++)
    for (int s = gla_team_share (team, k); s < gla_team_share (team, k + 1); s++)
      team->engines[k]->backend->spmv->free (team->engines[k], team->sparse[s]);
}

#endif

// rows.h: what backend.c lists in the backend's table
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_ROWS_H
#define GPULINALG_ROWS_H

#include "row.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ENGINE_SLOTS = 3 }; // chunks that an engine keeps in flight

// of the engine (engine.cu)
int engine_device_count (char *why, size_t why_size);
gla_status engine_device_query (int device, gla_device_info *info);
gla_engine *engine_model (void);
gla_status engine_open (int device, gla_engine **engine);
void engine_close (gla_engine *engine);
int64_t engine_kept (gla_engine *engine);
void engine_shrink (gla_engine *engine, int64_t most);

#define DECLARE(number, name) extern const gla_batch_ops cuda_##name##_ops;
GLA_ROWS (DECLARE, GLA_ROW_NONE, DECLARE)
#undef DECLARE
extern const struct gla_spmv_ops cuda_spmv_ops;
extern const struct gla_krylov_ops cuda_krylov_ops;
extern const struct gla_nd_ops cuda_nd_ops, cuda_memory_ops;

#ifdef __cplusplus
}
#endif

#endif

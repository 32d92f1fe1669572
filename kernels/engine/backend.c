// backend.c: the GPUs as a backend
// SPDX-License-Identifier: GPL-3.0-or-later

#include "backend.h"
#include "rows.h"

#define ENTRY(number, name) [GLA_BATCH_##number] = &cuda_##name##_ops,
const gla_backend gla_backend_cuda = {
    .name = "CUDA",
    .device_count = engine_device_count,
    .device_query = engine_device_query,
    .model = engine_model,
    .open = engine_open,
    .close = engine_close,
    .kept = engine_kept,
    .shrink = engine_shrink,
    .slots = ENGINE_SLOTS,
    .batch = {GLA_ROWS (ENTRY, GLA_ROW_NONE, ENTRY)},
    .spmv = &cuda_spmv_ops,
    .krylov = &cuda_krylov_ops,
#ifdef GLA_NO_ARRAYS
    .nd = &cuda_memory_ops,
#else
    .nd = &cuda_nd_ops,
#endif
};

// backend.c: the GPUs as a backend
// SPDX-License-Identifier: GPL-3.0-or-later

#include "rows.h"

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
    .batch = {[GLA_BATCH_EIG] = &cuda_eig_ops,
              [GLA_BATCH_QR] = &cuda_qr_ops,
              [GLA_BATCH_GSVD] = &cuda_gsvd_ops,
              [GLA_BATCH_PAGENORM] = &cuda_pagenorm_ops,
              [GLA_BATCH_PAGEMUL] = &cuda_pagemul_ops,
              [GLA_BATCH_PAGESOLVE] = &cuda_pagesolve_ops,
              [GLA_BATCH_PAGEFUN] = &cuda_pagefun_ops,
              [GLA_BATCH_SVD] = &cuda_svd_ops,
              [GLA_BATCH_EIGPAIRS] = &cuda_eigpairs_ops},
    .spmv = &cuda_spmv_ops,
    .krylov = &cuda_krylov_ops,
    .nd = &cuda_nd_ops,
};

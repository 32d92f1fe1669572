// backend.cu: the GPUs as a backend
// SPDX-License-Identifier: GPL-3.0-or-later

#include "engine.cuh"

extern "C" const gla_backend gla_backend_cuda = {
    "CUDA",
    engine_device_count,
    engine_device_query,
    engine_open,
    engine_close,
    SLOTS,
    cuda_eig_supports,
    cuda_eig_seconds,
    cuda_eig_chunk_pages,
    cuda_eig_begin,
    cuda_eig_submit,
    cuda_eig_finish,
    cuda_eig_end,
    cuda_qr_supports,
    cuda_qr_seconds,
    cuda_qr_chunk_pages,
    cuda_qr_begin,
    cuda_qr_submit,
    cuda_qr_finish,
    cuda_qr_end,
    cuda_gsvd_supports,
    cuda_gsvd_seconds,
    cuda_gsvd_chunk_pages,
    cuda_gsvd_begin,
    cuda_gsvd_submit,
    cuda_gsvd_finish,
    cuda_gsvd_end,
};

// qr_plan.cuh: what gla_qr makes of a factorisation beside Q and R
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_QR_PLAN_CUH
#define GPULINALG_QR_PLAN_CUH

#include "common/qr_factor.cuh"
#include "engine/cublas.cuh"
#include "qr_kernels.cuh"

// Whether this job uses cuBLAS.
bool qr_needs_blas (const gla_qr_job &job);

// C := Q' C, C of m x columns.
template <class T>
gla_status qr_apply (const qr_plan<T> &p, page_matrix<T> C, int64_t columns,
                     const qr_streams &streams, const qr_pause &pause);
// W: m x k, Q = I + W Y'. The rows of R in Y have been zeroed.
template <class T>
gla_status qr_form_w (const qr_plan<T> &p, page_matrix<T> W, const qr_streams &streams,
                      const qr_pause &pause);

#endif

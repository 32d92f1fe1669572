// cufft.cuh: Fourier transforms by cuFFT, which is loaded at run time
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The library is loaded once, when it is first needed, as cuBLAS is (cublas.cuh). Plans take long
// to make, so an engine keeps the last ones; their work space comes from its heap for one transform
// only.

#ifndef GPULINALG_CUFFT_CUH
#define GPULINALG_CUFFT_CUH

#include "engine.cuh"

// `batch` transforms of n elements: element j of transform b is at j*step + b*distance.
struct fft_shape {
  int64_t n, step, distance, batch;
  gla_type type; // GLA_TYPE_C or GLA_TYPE_Z
};

// Enqueues the transforms in the first slot's stream, without a division by n; `to` may be `from`.
// GLA_ERROR_NO_LIBRARY if cuFFT is missing or makes no plan on this GPU, GLA_ERROR_BAD_ARGUMENT if
// it has no such transform.
gla_status engine_fft (cuda_engine *e, const fft_shape &shape, bool inverse, const void *from,
                       void *to);
// Frees the plans.
void engine_drop_fft (cuda_engine *e);

#endif

// arrays_fft_short.cuh: Fourier transforms of short slices, a thread for each
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_ARRAYS_FFT_SHORT_CUH
#define GPULINALG_ARRAYS_FFT_SHORT_CUH

#include "arrays.cuh"

// Whether slices of n elements are so short: n is 2, 4, 8, 16 or 32.
inline bool nd_fft_is_short (int64_t n)
{
  return n >= 2 && n <= 32 && (n & (n - 1)) == 0;
}

// Enqueues the transforms of inner * outer slices of n elements, without a division by n; `to` may
// be `from`. Element k of slice (i, o) is at (o * n + k) * inner + i.
gla_status nd_fft_short (gla_type type, int64_t inner, int64_t n, int64_t outer, bool inverse,
                         const void *from, void *to, cudaStream_t stream);

#endif

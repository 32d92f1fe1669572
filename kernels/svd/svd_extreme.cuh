// svd_extreme.cuh: tall pages of denormal or huge numbers, which are divided by a power of two
// SPDX-License-Identifier: GPL-3.0-or-later
//
// R of such a page is rounded to multiples of the smallest number, or overflows. What is found in
// it says so: a largest singular value near the smallest numbers, or nothing. These pages are done
// again, all others cost one look at that value.

#ifndef GPULINALG_SVD_EXTREME_CUH
#define GPULINALG_SVD_EXTREME_CUH

#include "svd.cuh"

enum { SVD_EXTREME = -1 }; // info of a page whose values are too small

// a.info: SVD_EXTREME where it was 0 and the largest value is too small; *a.any: 1 if one is.
template <class T> cudaError_t svd_find_extreme (const svd_args<T> &a, cudaStream_t stream);
// Of the pages a.A that have info: what their numbers are to be divided by, or 0. Pages that are
// not finite have 0, and those that are ordinary.
template <class T>
cudaError_t svd_extreme_exponents (const svd_args<T> &a, int32_t *exponent, cudaStream_t stream);
// to = from / 2^exponent
template <class T>
cudaError_t svd_divide (page_matrix<T> to, page_matrix<const T> from, int64_t rows, int64_t columns,
                        int64_t pages, const int32_t *exponent, cudaStream_t stream);
// a.S times 2^exponent
template <class T>
cudaError_t svd_multiply_values (const svd_args<T> &a, const int32_t *exponent,
                                 cudaStream_t stream);

#endif

// definite_part.cuh: inverses of Cholesky factors as a part of another operation's work on a chunk
// (qr/qr_definite_part.cu)
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_DEFINITE_PART_CUH
#define GPULINALG_DEFINITE_PART_CUH

#include "common/pages.cuh"
#include "engine.cuh"

// Returns the bytes that a chunk of so many pages needs.
template <class T> size_t definite_part_bytes (int64_t n, int64_t pages);
// Replaces pages Y of n x n, Hermitian and positive definite, by inv (R) with R'*R = Y, upper
// triangular with zeros below; R goes to a second matrix. A page that is not definite gets
// arbitrary values. Only the upper triangle of Y is read. Uses cuBLAS, which is open, for large
// products.
template <class T>
gla_status definite_part (cuda_engine *e, int slot, char *memory, page_matrix<T> Y,
                          page_matrix<T> R, int64_t n, int64_t pages);

#endif

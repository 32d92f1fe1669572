// svd_polar_chunk.cuh: a chunk of pages whose singular values are found by way of A = X*H
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SVD_POLAR_CHUNK_CUH
#define GPULINALG_SVD_POLAR_CHUNK_CUH

#include "engine/definite_part.cuh"
#include "engine/engine.cuh"
#include "engine/solve_part.cuh"
#include "svd.cuh"
#include "eig/job.h"
#include "svd_polar.cuh"

// The eigenvalue problem of H, for kept_eig_job (e). eig_part uses the beginning of the slot's
// arena.
gla_eig_job polar_eig_job (const gla_svd_job &job, int64_t n);

// Work space of a chunk of pages of n x n. By steps `other` is behind X, so that one number says
// where a page is.
template <class T> struct polar_memory {
  T *scaled = nullptr, *X = nullptr, *other = nullptr, *Y = nullptr;
  real_t<T> *lambda = nullptr;
  double *sum = nullptr, *sum_new = nullptr;
  polar_page *page = nullptr;
  int32_t *pending = nullptr, *order = nullptr, *far = nullptr;
  double2 *weights = nullptr;
  lu_part_space lu = {};
  // of pages that go by steps
  T *Z = nullptr, *vectors[2] = {nullptr, nullptr};
  char *definite = nullptr;
  double2 *gram = nullptr;
  double *largest = nullptr;
  int32_t *page_of[2] = {nullptr, nullptr};
  int64_t *from = nullptr, *where = nullptr;
  polar_counts *counts = nullptr;

  void take (int64_t n, int64_t pages, int multiprocessors, carver &c)
  {
    const int64_t n2 = n * n, parts = polar_parts (n, is_complex_v<T>) * pages;
    const bool steps = polar_by_steps (n, is_complex_v<T>);
    scaled = c.take<T> (pages * n2);
    X = c.take<T> (steps ? 2 * pages * n2 : pages * n2);
    other = steps ? X + pages * n2 : c.take<T> (pages * n2);
    Y = c.take<T> (pages * n2);
    lambda = c.take<real_t<T>> (pages * n);
    sum = c.take<double> (parts);
    sum_new = c.take<double> (parts);
    page = c.take<polar_page> (pages);
    pending = c.take<int32_t> (pages);
    order = c.take<int32_t> (pages * n);
    if (steps) {
      counts = c.take<polar_counts> (1);
      gram = c.take<double2> (pages);
      largest = c.take<double> (pages);
      weights = c.take<double2> (pages);
      from = c.take<int64_t> (pages);
      where = c.take<int64_t> (pages);
      for (int32_t *&p : page_of)
        p = c.take<int32_t> (pages);
      for (T *&v : vectors)
        v = c.take<T> (pages * n * POLAR_VECTORS);
      return;
    }
    weights = c.take<double2> (POLAR_PRODUCTS * pages);
    far = c.take<int32_t> (pages);
    lu = lu_part_take<T> ((int)n, pages, multiprocessors, c);
  }
  // Of pages that go by steps, what is free again before eig_part begins.
  void take_early (int64_t n, int64_t pages, carver &c)
  {
    Z = c.take<T> (pages * n * n);
    definite = c.take<char> ((int64_t)definite_part_bytes<T> (n, pages));
  }
};

// Decomposes pages with rows == columns as svd_lanes does, but for the phase. tol and maxit are not
// used.
template <class T>
gla_status polar_chunk (cuda_engine *e, int slot, const svd_args<T> &a,
                        const polar_memory<T> &memory);

// Seconds of a page of n x n in a chunk, and what the chunk takes more, without those of batcheig.
double polar_seconds (gla_type type, double n, bool vectors);
double polar_latency (gla_type type, double n);

#endif

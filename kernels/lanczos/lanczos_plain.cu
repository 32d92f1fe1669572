// lanczos_plain.cu: Lanczos without orthogonalisation, and its second pass
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/runtime.cuh"
#include "lanczos_state.cuh"

#include <cmath>
#include <cstdlib>
#include <cstring>

// Makes step `at` of the recurrence, number k of its batch: u is vectors[at % count].
template <class T>
gla_status krylov_of<T>::recurrence_step (krylov_recurrence<T> *r, T *vectors, int count,
                                          int64_t at, int64_t k, bool given)
{
  r->u = vectors + at % count * n;
  r->before = vectors + (at + count - 1) % count * n;
  r->next = vectors + (at + 1) % count * n;
  r->y = scratch;
  r->k = k;
  GLA_TRY (product (r->u, scratch));
  if (!given)
    GLA_TRY (krylov_dot (place, *r));
  GLA_TRY (krylov_next (place, *r, given));
  const double entries = job.matrix != nullptr ? (double)job.matrix->entries : 0;
  return pause (1e-5 + (6.0 * n * sizeof (T) + 24 * entries) / 2e12);
}

// Launches batches of up to 256 steps, and waits for each.
template <class T>
gla_status krylov_of<T>::plain (int64_t wanted, double *alpha_, double *beta_, int64_t *done)
{
  *done = 0;
  if (steps == 0) {
    beta_before[0] = 0;
    beta_before[1] = 1;
    GLA_TRY (copy_on_device (first, V, n * sizeof (T), place.stream));
    GLA_TRY (copy_on_device (kept, V, n * sizeof (T), place.stream));
  }
  while (*done < wanted) {
    int64_t batch = wanted - *done < KRYLOV_BATCH ? wanted - *done : KRYLOV_BATCH;
    krylov_recurrence<T> r = {nullptr, nullptr, nullptr, nullptr, alpha, beta, norms, 0};
    GLA_TRY (to_device (beta, beta_before, sizeof beta_before));
    for (int64_t k = 0; k < batch; k++)
      GLA_TRY (recurrence_step (&r, kept, KRYLOV_KEPT, steps + k, k, false));
    GLA_TRY (krylov_last_norm (place, r));
    GLA_TRY (from_device (alpha_ + *done, alpha, (size_t)batch * sizeof (double)));
    double *norms_now = host; // of the vectors that follow the steps
    GLA_TRY (from_device (norms_now, beta + 2, (size_t)batch * sizeof (double)));
    for (int64_t k = 0; k < batch; k++) {
      beta_[*done] = norms_now[k];
      beta_before[0] = beta_before[1];
      beta_before[1] = norms_now[k];
      steps++;
      ++*done;
      if (norms_now[k] == 0)
        return GLA_OK;
    }
  }
  return GLA_OK;
}

// Adds to X(:, 0:columns-1) the `count` vectors of the ring, which are number at, at+1, .. of the
// recurrence, times their rows of S.
template <class T>
gla_status krylov_of<T>::accumulate_ring (int64_t at, int count, const double *beta_,
                                          const double *S_, int64_t ld, int64_t columns)
{
  for (int k = 0; k < count; k++) {
    double norm = at + k == 0 ? 1 : beta_[at + k - 1];
    for (int64_t c = 0; c < columns; c++)
      host[k * columns + c] = S_[at + k + c * ld] / norm;
  }
  GLA_TRY (to_device (theta, host, (size_t)(count * columns) * sizeof (double)));
  return engine_status (krylov_accumulate (place, ring, count, theta, V, columns));
}

// The vectors of the recurrence go through a ring of 8; when it is full, they are added to the
// results.
template <class T>
gla_status krylov_of<T>::combine (int64_t steps_, const double *alpha_, const double *beta_,
                                  const double *S_, int64_t count)
{
  GLA_TRY (cudaMemsetAsync (V, 0, (size_t)(count * n) * sizeof (T), place.stream));
  GLA_TRY (copy_on_device (ring, first, n * sizeof (T), place.stream));
  krylov_recurrence<T> r = {nullptr, nullptr, nullptr, nullptr, alpha, beta, norms, 0};
  for (int64_t at = 0; at < steps_; at++) {
    int64_t k = at % KRYLOV_BATCH;
    if (k == 0) {
      int64_t batch = steps_ - at < KRYLOV_BATCH ? steps_ - at : KRYLOV_BATCH;
      double *norms_now = host;
      for (int64_t i = -2; i < batch; i++)
        norms_now[i + 2] = at + i == -2 ? 0 : at + i == -1 ? 1 : beta_[at + i];
      GLA_TRY (to_device (beta, norms_now, (size_t)(batch + 2) * sizeof (double)));
      GLA_TRY (to_device (alpha, alpha_ + at, (size_t)batch * sizeof (double)));
    }
    bool last = at + 1 == steps_;
    if (last || at % KRYLOV_RING == KRYLOV_RING - 1)
      GLA_TRY (accumulate_ring (at - at % KRYLOV_RING, (int)(at % KRYLOV_RING) + 1, beta_, S_,
                                steps_, count));
    if (!last)
      GLA_TRY (recurrence_step (&r, ring, KRYLOV_RING, at, k, true));
  }
  for (int64_t c = 0; c < count; c++) {
    double norm = 0;
    GLA_TRY (krylov_project<T> (place, V, 0, block (c), nullptr, coefficients));
    GLA_TRY (from_device (&norm, coefficients, sizeof norm));
    if (norm > 0)
      GLA_TRY (normalise (c, 0, sqrt (norm)));
  }
  return GLA_OK;
}

#define GLA_INSTANTIATE(T)                                                                         \
  template gla_status krylov_of<T>::recurrence_step (krylov_recurrence<T> *, T *, int, int64_t,    \
                                                     int64_t, bool);                               \
  template gla_status krylov_of<T>::plain (int64_t, double *, double *, int64_t *);                \
  template gla_status krylov_of<T>::accumulate_ring (int64_t, int, const double *, const double *, \
                                                     int64_t, int64_t);                            \
  template gla_status krylov_of<T>::combine (int64_t, const double *, const double *,              \
                                             const double *, int64_t);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)

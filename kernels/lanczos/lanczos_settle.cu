// lanczos_settle.cu: makes one column of a block orthonormal; the host launches each step
// SPDX-License-Identifier: GPL-3.0-or-later
//
// This serves start vectors, and steps in which a direction vanishes; all other steps run without
// the host (lanczos_expand.cu).

#include "lanczos_state.cuh"

#include <cmath>
#include <cstring>

// Subtracts from column k of block c its components in all columns before, adds them to h, and
// returns in *norm the norm that it had.
template <class T> gla_status krylov_of<T>::clean (int64_t c, int k, double *h, double *norm)
{
  double *C = host, *transform = host + (c + 1) * square ();
  size_t bytes = (size_t)((c + 1) * square ()) * sizeof (double);
  GLA_TRY (project (c, c, nullptr, coefficients));
  GLA_TRY (from_device (C, coefficients, bytes));
  *norm = sqrt (C[((c * b + k) * b + k) * words]);
  memset (transform, 0, (size_t)square () * sizeof (double));
  for (int i = 0; i < b; i++)
    transform[(i * b + i) * words] = 1;
  for (int64_t i = 0; i < c * b + b; i++)
    for (int q = 0; q < b; q++)
      for (int w = 0; w < words; w++) {
        double *z = C + (i * b + q) * words + w;
        bool wanted = q == k && i < c * b + k;
        if (wanted && h != nullptr)
          h[i * words + w] += *z;
        if (wanted && i >= c * b)
          transform[((i - c * b) * b + k) * words + w] = -*z;
        if (!wanted)
          *z = 0;
      }
  GLA_TRY (to_device (coefficients, C, bytes));
  GLA_TRY (to_device (M, transform, (size_t)square () * sizeof (double)));
  return update (0, c, c, M, coefficients);
}

// Divides column k of block c by its norm.
template <class T> gla_status krylov_of<T>::normalise (int64_t c, int k, double norm)
{
  double *transform = host;
  memset (transform, 0, (size_t)square () * sizeof (double));
  for (int i = 0; i < b; i++)
    transform[(i * b + i) * words] = i == k ? 1 / norm : 1;
  GLA_TRY (to_device (M, transform, (size_t)square () * sizeof (double)));
  return update (0, 0, c, M, nullptr);
}

// Two sweeps bring a column to working precision (Barlow, Smoktunowicz 2013) unless it shrinks to
// nothing in them; a third and the normalisation make sure of it.
template <class T>
gla_status krylov_of<T>::settle (int64_t c, int k, double lost, bool relative, uint64_t column_seed,
                                 double *h, int64_t *replaced)
{
  int64_t column = c * b + k;
  double norm = 0;
  for (uint64_t attempt = 0;; attempt++) {
    bool vanished = false;
    for (int sweep = 0; sweep < 4 && !vanished; sweep++) {
      GLA_TRY (clean (c, k, h, &norm));
      if (sweep == 0 && relative)
        lost = 1e3 * limits<real_t<T>>::eps * norm;
      vanished = !(norm > lost) || !(norm < INFINITY);
      if (sweep == 2 && !vanished) { // the fourth sees a unit vector
        if (h != nullptr)
          h[column * words] = norm;
        h = nullptr;
        GLA_TRY (normalise (c, k, norm));
        lost = 0;
      }
    }
    if (!vanished)
      return normalise (c, k, norm);
    if (replaced != nullptr)
      *replaced += attempt == 0;
    h = nullptr;
    relative = true;
    GLA_TRY (random_column (c, k, column_seed + attempt));
    if (attempt == 100) // no vector is left, which basis + block <= n excludes
      return GLA_ERROR_DEVICE_FAILURE;
  }
}

template <class T> gla_status krylov_of<T>::start (int64_t at, int64_t given, uint64_t start_seed)
{
  seed = start_seed;
  steps = 0;
  for (int k = (int)given; k < b; k++)
    GLA_TRY (random_column (at / b, k, seed));
  for (int k = 0; k < b; k++)
    GLA_TRY (settle (at / b, k, 0, true, seed, nullptr, nullptr));
  return GLA_OK;
}

#define GLA_INSTANTIATE(T)                                                                         \
  template gla_status krylov_of<T>::clean (int64_t, int, double *, double *);                      \
  template gla_status krylov_of<T>::normalise (int64_t, int, double);                              \
  template gla_status krylov_of<T>::settle (int64_t, int, double, bool, uint64_t, double *,        \
                                            int64_t *);                                            \
  template gla_status krylov_of<T>::start (int64_t, int64_t, uint64_t);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)

// lanczos_expand.cu: block Lanczos steps
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A step is W = A*V(j); W1 = W - V*C1 with C1 = V'*W; W1 = W2*R1 by Cholesky; W3 = W2 - V*C2 with
// C2 = V'*W2; W3 = V(j+1)*R2 by Cholesky (BCGS2: Barlow, Smoktunowicz 2013). W2 is never stored:
// kernels that need it multiply W1 by the inverse of R1 as they read it. So A*V(j) is V*(C1 +
// C2*R1) + V(j+1)*R2*R1, which the host computes at the end of the cycle.
//
// GPUs that share the rows multiply W3 in place of V(j+1), because they have each other's rows of
// W3 earlier: W of the next step is A*W3 times the inverse of R2.

#include "lanczos_state.cuh"

#include <cmath>
#include <cstdlib>
#include <cstring>

template <class T> int64_t krylov_of<T>::record_size () const
{
  return (2 * (blocks + 2) + 5) * square ();
}

template <class T> krylov_record krylov_of<T>::record_of (double *base, int64_t index) const
{
  int64_t one = square (), all = (blocks + 2) * one;
  double *at = base + index * record_size ();
  double *tail = at + 2 * all;
  return {at, at + all, tail, tail + one, tail + 2 * one, tail + 3 * one, tail + 4 * one};
}

// Makes the step from block c-1 to block c, without the host.
template <class T> gla_status krylov_of<T>::expand_step (int64_t c, int64_t index)
{
  const krylov_record r = record_of (records, index);
  const double *factor;
  GLA_TRY (multiply_next (c, &factor));
  GLA_TRY (project (c, c, factor, r.C1));
  GLA_TRY (update (0, c, c, factor, r.C1));
  GLA_TRY (project (0, c, nullptr, r.G));
  GLA_TRY (triangle (r.G, r.C1 + c * square (), r.R1, r.inverse1, (int)index));
  GLA_TRY (project (c, c, r.inverse1, r.C2));
  GLA_TRY (update_last (c, r.inverse1, r.C2, r.inverse2));
  GLA_TRY (project (0, c, nullptr, r.G));
  GLA_TRY (triangle (r.G, nullptr, r.R2, r.inverse2, (int)index));
  return update (0, 0, c, r.inverse2, nullptr);
}

namespace
{

// Adds a(i, :)*R(:, k) to (i, k) for rows x b matrices by rows; R is upper triangular.
template <int words>
void add_times_triangle (const double *a, const double *R, int64_t rows, int b, double *to)
{
  for (int64_t i = 0; i < rows; i++)
    for (int k = 0; k < b; k++)
      for (int q = 0; q <= k; q++) {
        const double *x = a + (i * b + q) * words, *y = R + (q * b + k) * words;
        double *z = to + (i * b + k) * words;
        z[0] += words == 2 ? x[0] * y[0] - x[words - 1] * y[words - 1] : x[0] * y[0];
        if (words == 2)
          z[words - 1] += x[0] * y[words - 1] + x[words - 1] * y[0];
      }
}

} // namespace

// Stores block column c-1 of T from the record of its step.
template <class T>
void krylov_of<T>::store_column (int64_t c, int64_t index, double *T_, int64_t ldt) const
{
  krylov_record r = record_of (host, index);
  double *product = r.G; // no longer needed
  memset (product, 0, (size_t)square () * sizeof (double));
  add_times_triangle<words> (r.R2, r.R1, b, b, product);
  add_times_triangle<words> (r.C2, r.R1, c * b, b, r.C1);
  for (int k = 0; k < b; k++) {
    double *column = T_ + ((c - 1) * b + k) * ldt * words;
    memset (column, 0, (size_t)(ldt * words) * sizeof (double));
    for (int64_t i = 0; i < c * b; i++)
      for (int w = 0; w < words; w++)
        column[i * words + w] = r.C1[(i * b + k) * words + w];
    for (int i = 0; i <= k; i++)
      for (int w = 0; w < words; w++)
        column[(c * b + i) * words + w] = product[(i * b + k) * words + w];
  }
}

// Makes the step from block c-1 to block c, column by column.
template <class T>
gla_status krylov_of<T>::expand_slowly (int64_t c, double *T_, int64_t ldt, int64_t *replaced)
{
  krylov_flags flags;
  GLA_TRY (read_flags (&flags));
  flags.failed = 0;
  GLA_TRY (to_device (place.flags, &flags, sizeof flags));
  GLA_TRY (multiply (c - 1, c));
  const size_t bytes = (size_t)((c + 1) * b * words) * sizeof (double);
  for (int k = 0; k < b; k++) {
    memset (host_h, 0, bytes);
    GLA_TRY (settle (c, k, krylov_vanish<T> * flags.norm, false, seed + 1 + (uint64_t)(c * b + k),
                     host_h, replaced));
    double *column = T_ + ((c - 1) * b + k) * ldt * words;
    memset (column, 0, (size_t)(ldt * words) * sizeof (double));
    memcpy (column, host_h, bytes);
  }
  return GLA_OK;
}

// Launches all steps at once; the first that failed, if any, is done again slowly.
template <class T>
gla_status krylov_of<T>::expand (int64_t from, int64_t to, double *T_, int64_t ldt,
                                 int64_t *replaced)
{
  *replaced = 0;
  const double step_seconds = 2e-5 + (double)n * b * sizeof (T) * (4.0 * blocks + 20) / 3e12;
  for (int64_t c0 = from / b + 1; c0 <= to / b;) {
    int64_t steps_now = to / b + 1 - c0;
    for (int64_t k = 0; k < steps_now; k++) {
      GLA_TRY (expand_step (c0 + k, k));
      GLA_TRY (pause (step_seconds));
    }
    krylov_flags flags = {};
    GLA_TRY (read_flags (&flags));
    int64_t good = flags.failed ? flags.failed - 1 : steps_now;
    if (good > 0)
      GLA_TRY (from_device (host, records, (size_t)(good * record_size ()) * sizeof (double)));
    for (int64_t k = 0; k < good; k++)
      store_column (c0 + k, k, T_, ldt);
    c0 += good;
    if (flags.failed) {
      GLA_TRY (expand_slowly (c0, T_, ldt, replaced));
      c0++;
    }
  }
  return GLA_OK;
}

#define GLA_INSTANTIATE(T)                                                                         \
  template int64_t krylov_of<T>::record_size () const;                                             \
  template krylov_record krylov_of<T>::record_of (double *, int64_t) const;                        \
  template gla_status krylov_of<T>::expand_step (int64_t, int64_t);                                \
  template void krylov_of<T>::store_column (int64_t, int64_t, double *, int64_t) const;            \
  template gla_status krylov_of<T>::expand_slowly (int64_t, double *, int64_t, int64_t *);         \
  template gla_status krylov_of<T>::expand (int64_t, int64_t, double *, int64_t, int64_t *);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)

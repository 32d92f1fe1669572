// eigs_answer.h: one call of gla_eigs, and checks of its results
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef EIGS_ANSWER_H
#define EIGS_ANSWER_H

#include "eigs_matrices.h"

typedef struct {
  gla_array values, vectors;
  double *residuals;
  gla_eigs_report report;
  gla_status status;
} answer;

static inline answer solve (gla_operator *A, gla_type type, int64_t n, int64_t k,
                            gla_eigs_which which, const gla_eigs_options *o, int vectors)
{
  answer a;
  memset (&a, 0, sizeof a);
  a.residuals = calloc ((size_t)k + 1, 8);
  a.values =
      gla_array_packed (calloc ((size_t)k + 1, 8), gla_type_real (type), k, 1, 1, GLA_DEVICE_HOST);
  a.vectors = gla_array_packed (vectors ? calloc ((size_t)(n * k) + 1, 16) : NULL, type, n, k, 1,
                                GLA_DEVICE_HOST);
  const gla_eigs_results r = {sizeof r, a.values, a.vectors, vectors ? a.residuals : NULL};
  gla_eigs_options options = o != NULL ? *o : (gla_eigs_options){.size = 0};
  options.size = sizeof options;
  a.report.size = sizeof a.report;
  a.status = gla_eigs (ctx, A, k, which, &r, &options, &a.report);
  return a;
}

static inline void answer_free (answer *a)
{
  free (a->residuals);
  free (a->values.data);
  free (a->vectors.data);
}

// The expected values, in the order of the results.
static inline void expected (const matrix *A, gla_eigs_which which, int64_t k, double *lambda)
{
  int64_t low = 0, high = A->n - 1;
  for (int64_t i = 0; i < k; i++) {
    int take_high = which == GLA_EIGS_WHICH_LA;
    if (which == GLA_EIGS_WHICH_LM)
      take_high = fabs (A->lambda[high]) >= fabs (A->lambda[low]);
    if (which == GLA_EIGS_WHICH_BE)
      take_high = i % 2 == 0;
    lambda[i] = take_high ? A->lambda[high--] : A->lambda[low++];
  }
  if (which == GLA_EIGS_WHICH_BE)
    qsort (lambda, (size_t)k, sizeof *lambda, ascending);
}

// Largest |A*x - theta*x| and |X'*X - I|, over the norm of A.
static inline double worst_vector (const matrix *A, const answer *a, int64_t k)
{
  const int64_t n = A->n;
  double complex *x = malloc ((size_t)(n * k) * 16), *y = malloc ((size_t)n * 16);
  double worst = 0;
  for (int64_t q = 0; q < n * k; q++)
    x[q] = get (A->type, a->vectors.data, q);
  for (int64_t c = 0; c < k; c++) {
    double sum = 0;
    multiply (A, x + c * n, y);
    for (int64_t i = 0; i < n; i++) {
      const double r =
          cabs (y[i] - real_at (&a->values, c) * x[c * n + i]) / fmax (A->norm, 1e-300);
      sum += r * r;
    }
    worst = fmax (worst, isnan (sum) ? INFINITY : sqrt (sum));
    for (int64_t d = 0; d <= c; d++) {
      double complex dot = d == c ? -1 : 0;
      for (int64_t i = 0; i < n; i++)
        dot += conj (x[d * n + i]) * x[c * n + i];
      worst = fmax (worst, isnan (cabs (dot)) ? INFINITY : cabs (dot));
    }
  }
  free (x);
  free (y);
  return worst;
}

// Values and residuals to 1e-12 relative to the norm; in single to the same multiple of eps.
static inline void check_answer (const matrix *A, const answer *a, int64_t k, gla_eigs_which which,
                                 const char *what)
{
  const double bound = 4500 * gla_type_eps (A->type);
  double *lambda = malloc ((size_t)k * 8), worst = 0;
  expected (A, which, k, lambda);
  CHECK (a->status == GLA_OK, "%s: status %d, %s", what, a->status, gla_message (ctx));
  CHECK (a->report.converged == k && a->report.complete, "%s: %lld of %lld, complete %d", what,
         (long long)a->report.converged, (long long)k, a->report.complete);
  for (int64_t i = 0; i < k; i++) {
    // of two values of equal magnitude, either may be first
    const double x = real_at (&a->values, i);
    const double d =
        which == GLA_EIGS_WHICH_LM ? fabs (fabs (x) - fabs (lambda[i])) : fabs (x - lambda[i]);
    worst = fmax (worst, isnan (d) ? INFINITY : d);
  }
  worst /= fmax (A->norm, 1e-300);
  CHECK (worst <= bound, "%s, %c, k %lld, which %d: values %g", what, A->type, (long long)k,
         (int)which, worst);
  if (a->vectors.data != NULL) {
    const double error = worst_vector (A, a, k);
    CHECK (error <= bound, "%s, %c, k %lld, which %d: vectors %g", what, A->type, (long long)k,
           (int)which, error);
  }
  free (lambda);
}

static inline void check_matrix (const matrix *A, int64_t k, const gla_eigs_options *o,
                                 const char *what)
{
  gla_sparse *S = to_sparse (A);
  gla_operator op = {.size = sizeof op, .sparse = S};
  for (int which = GLA_EIGS_WHICH_LM; which <= GLA_EIGS_WHICH_BE; which++) {
    answer a = solve (&op, A->type, A->n, k, (gla_eigs_which)which, o, which != GLA_EIGS_WHICH_SA);
    check_answer (A, &a, k, (gla_eigs_which)which, what);
    answer_free (&a);
  }
  gla_sparse_destroy (S);
}

#endif

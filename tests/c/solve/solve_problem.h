// solve_problem.h: arrays of one call of gla_pagesolve, and the check of its rcond
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef SOLVE_PROBLEM_H
#define SOLVE_PROBLEM_H

#include "solve_reference.h"

// GAP: elements between columns and between pages. BOUND: of LAPACK's ratios.
enum { PAGES = 3, GAP = 3, BOUND = 10 };
#define COUNT(a) ((int)(sizeof (a) / sizeof *(a)))

static gla_context *ctx;

typedef struct {
  gla_array A, B, X, rcond;
  int32_t info[64];
  char op;
  gla_side side;
  int no_rcond; // calls want none; rcond keeps what it holds
} problem;

static inline problem random_problem (gla_type type_a, gla_type type_b, int64_t n, int64_t r,
                                      int64_t pages, int64_t gap, char op, gla_side side)
{
  const gla_type type = gla_type_is_complex (type_a) ? type_a : type_b;
  const int64_t m = side == GLA_SIDE_LEFT ? n : r, k = side == GLA_SIDE_LEFT ? r : n;
  problem q = {.A = make (type_a, n, n, pages, gap),
               .B = make (type_b, m, k, pages, gap),
               .X = make (type, m, k, pages, gap),
               .rcond = make (gla_type_real (type), 1, 1, pages, gap),
               .op = op,
               .side = side};
  fill (&q.A, (unsigned long long)(n * 100 + r));
  fill (&q.B, (unsigned long long)(n * 100 + r + 7));
  memset (q.info, 0x55, sizeof q.info);
  return q;
}

static inline void release (problem *q)
{
  free (q->A.data);
  free (q->B.data);
  free (q->X.data);
  free (q->rcond.data);
}

static inline gla_status solve (problem *q, int inverse)
{
  const gla_pagesolve_options options = {.size = sizeof options, .op_a = q->op, .side = q->side};
  const gla_array none = {0};
  const gla_pagesolve_results results = {sizeof results, q->X, q->no_rcond ? none : q->rcond,
                                         q->info};
  return gla_pagesolve (ctx, &q->A, inverse ? NULL : &q->B, &results, &options, NULL);
}

static inline void expect_rcond (const problem *q, int64_t p, const char *what)
{
  const solved_page s = {&q->A, &q->B, &q->X, q->op, q->side, p, p, p};
  const double expected = true_rcond (&s), rcond = creal (get (&q->rcond, 0, 0, p));
  const double eps = gla_type_eps (q->X.type);
  // condition numbers beyond 1/eps are not determined by the matrix as it is stored
  const double least = expected / 3 - eps, most = expected * (q->A.rows <= 3 ? 3 : 10) + eps;
  CHECK (rcond >= least && rcond <= most, "%s n %lld page %lld: rcond %g instead of %g", what,
         (long long)q->A.rows, (long long)p, rcond, expected);
}

// The systems op (A)*X = B of a problem with op 'T', page (i, j, k) of X made of page `a_step` of A
// and `b_step` of B.
static inline void check_grid_pages (const problem *q, const int64_t size[3],
                                     const int64_t a_step[3], const int64_t b_step[3],
                                     gla_side side)
{
  for (int64_t p = 0; p < size[0] * size[1] * size[2]; p++) {
    const int64_t at[3] = {p % size[0], p / size[0] % size[1], p / size[0] / size[1]};
    int64_t a = 0, b = 0;
    for (int d = 0; d < 3; d++) {
      a += at[d] * a_step[d];
      b += at[d] * b_step[d];
    }
    const solved_page s = {&q->A, &q->B, &q->X, 'T', side, a, b, p};
    const double worst = page_ratio (&s, 0);
    CHECK (worst <= BOUND, "grid n %lld page %lld: ratio %g", (long long)q->A.rows, (long long)p,
           worst);
  }
}

#endif

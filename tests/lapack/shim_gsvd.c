// tests/lapack/shim_gsvd.c: generalized singular values: xGGSVD3
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The library gives A = U*C*X' and B = V*S*X'. LAPACK wants [0, R]*Q' = X' with R upper triangular,
// and the values in descending order.

#include "shim.h"

typedef struct {
  int m, n, p, q; // q = min (m + p, n)
  int rank, K;    // values that are numbers, and those of them that are infinite
  int *order;     // of the values, infinite ones first
  REAL *alpha, *beta;
  T *U, *V, *X;
} gsvd;

static int decompose (gsvd *g, T *a, int lda, T *b, int ldb)
{
  int32_t info = 0;
  gla_array A = shim_array (a, g->m, g->n, lda), B = shim_array (b, g->p, g->n, ldb);
  gla_gsvd_options o = {.size = sizeof o, .blank = 1, .method = shim_gsvd_method};
  gla_gsvd_results r = {.size = sizeof r, .info = &info};
  r.alpha = shim_column (g->alpha, g->q), r.beta = shim_column (g->beta, g->q);
  r.U = shim_array (g->U, g->m, g->m, g->m);
  r.V = shim_array (g->V, g->p, g->p, g->p);
  r.X = shim_array (g->X, g->n, g->q, g->n);
  shim_inside++;
  shim_check (gla_gsvd (shim_context, &A, &B, &r, &o, NULL), "gla_gsvd");
  shim_inside--;
  for (int j = g->q - 1; j >= 0; j--)
    if (!isnan (g->alpha[j]))
      g->order[g->rank++] = j;
  while (g->K < g->rank && g->beta[g->order[g->K]] == 0)
    g->K++;
  return info;
}

// Copies the columns at[i] of from, and where at[i] < 0 those that are left.
static void arrange (int m, const int *at, const T *from, T *to, int ld)
{
  char *used = calloc (m, 1);
  for (int i = 0; i < m; i++)
    if (at[i] >= 0)
      used[at[i]] = 1;
  for (int i = 0, next = 0; i < m; i++) {
    int column = at[i];
    if (column < 0) {
      while (used[next])
        next++;
      column = next++;
    }
    memcpy (to + (size_t)i * ld, from + (size_t)column * m, m * sizeof (T));
  }
  free (used);
}

static void write_vectors (const gsvd *g, T *u, int ldu, T *v, int ldv)
{
  const int shift = MAX (0, g->q - g->m);
  int *at = malloc (MAX (g->m, g->p) * sizeof *at);
  for (int i = 0; i < g->m; i++)
    at[i] = i < g->rank && g->order[i] >= shift ? g->order[i] - shift : -1;
  arrange (g->m, at, g->U, u, ldu);
  for (int i = 0; i < g->p; i++)
    at[i] = i + g->K < g->rank && g->order[i + g->K] < g->p ? g->order[i + g->K] : -1;
  arrange (g->p, at, g->V, v, ldv);
  free (at);
}

// R, by the system's RQ of X', in the last columns of A, and what is below row m in B; and Q.
static void write_triangle (const gsvd *g, T *a, int lda, T *b, int ldb, T *q, int ldq)
{
  int n = g->n, rank = g->rank, ld = MAX (rank, 1), lwork = 64 * n + 64, info = 0;
  T *x = shim_room ((int64_t)n * n), *tau = shim_room (n), *work = shim_room (lwork),
    *qt = shim_room ((int64_t)n * n);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < rank; i++)
      x[i + (size_t)j * ld] = CONJ (g->X[j + (size_t)g->order[i] * n]);
  shim_inside++;
  shim_real (TEXT (LAPACK (gerqf))) (&rank, &n, x, &ld, tau, work, &lwork, &info);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < rank; i++) {
      const T e = j - (n - rank) >= i ? x[i + (size_t)j * ld] : 0;
      if (i < g->m)
        a[i + (size_t)j * lda] = e;
      else
        b[i - g->K + (size_t)j * ldb] = e;
      qt[n - rank + i + (size_t)j * n] = x[i + (size_t)j * ld];
    }
  shim_real (TEXT (ORTHOGONAL (grq))) (&n, &n, &rank, qt, &n, tau, work, &lwork, &info);
  shim_inside--;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      q[i + (size_t)j * ldq] = CONJ (qt[j + (size_t)i * n]);
  free (x), free (tau), free (work), free (qt);
}

void LAPACK (ggsvd3) (char *jobu, char *jobv, char *jobq, int *m, int *n, int *p, int *k, int *l,
                      T *a, int *lda, T *b, int *ldb, REAL *alpha, REAL *beta, T *u, int *ldu, T *v,
                      int *ldv, T *q, int *ldq, T *work, int *lwork RWORK, int *iwork, int *info)
{
  OURS (*m > 0 && *n > 0 && *p > 0 && *lwork != -1 && is (jobu, 'u') && is (jobv, 'v') &&
            is (jobq, 'q'),
        jobu, jobv, jobq, m, n, p, k, l, a, lda, b, ldb, alpha, beta, u, ldu, v, ldv, q, ldq, work,
        lwork RWORK_, iwork, info)
  gsvd g = {.m = *m, .n = *n, .p = *p, .q = MIN (*m + *p, *n)};
  g.alpha = shim_room (g.q), g.beta = shim_room (g.q), g.order = calloc (g.q, sizeof *g.order);
  g.U = shim_room ((int64_t)g.m * g.m), g.V = shim_room ((int64_t)g.p * g.p);
  g.X = shim_room ((int64_t)g.n * g.q);
  *info = decompose (&g, a, *lda, b, *ldb);
  *k = g.K, *l = g.rank - g.K;
  for (int i = 0; i < g.n; i++) {
    alpha[i] = i < g.rank ? g.alpha[g.order[i]] : 0;
    beta[i] = i < g.rank ? g.beta[g.order[i]] : 0;
    iwork[i] = i + 1;
  }
  write_vectors (&g, u, *ldu, v, *ldv);
  write_triangle (&g, a, *lda, b, *ldb, q, *ldq);
  free (g.alpha), free (g.beta), free (g.order), free (g.U), free (g.V), free (g.X);
}

// test_eigs_rows.c: eigenvalues of sparse matrices whose rows are spread over ranks
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: tsan

#include "rank_rows.h"

//------------------------------------------------------------------------------
// eigenvalues
//------------------------------------------------------------------------------

typedef struct {
  const matrix *A;
  int64_t k;
  gla_eigs_which which;
  gla_eigs_options o;
  int64_t first[MOST_RANKS + 1];
  gla_array vectors; // of all ranks
  double values[MOST_RANKS][16], residuals[MOST_RANKS][16];
  gla_eigs_report reports[MOST_RANKS];
  int only_values;
} problem;

static void eigs_body (member *m)
{
  problem *p = m->all->user;
  rank_rows r = take_rows (p->A, p->first[m->rank], p->first[m->rank + 1], 1, 8);
  const gla_sparse_options o = {.size = sizeof o, .by_columns = 1};
  gla_sparse_rows *S;
  gla_eigs_results results = {.size = sizeof results};
  results.values = gla_array_packed (p->values[m->rank], gla_type_real (p->A->type), p->k, 1, 1,
                                     GLA_DEVICE_HOST);
  if (!p->only_values) {
    results.vectors = crew_rows (&p->vectors, p->first, m->rank);
    results.residuals = p->residuals[m->rank];
  }
  gla_eigs_options own = p->o;
  if (own.v0 != NULL)
    own.v0 = (const char *)own.v0 + (size_t)p->first[m->rank] * gla_type_size (p->A->type);
  p->reports[m->rank] = (gla_eigs_report){.size = sizeof (gla_eigs_report)};
  m->status = gla_sparse_rows_create (m->ctx, m->ranks, &r.csr, &S, &o);
  if (m->status == GLA_OK)
    m->status = gla_eigs_rows (m->ctx, S, p->k, p->which, &results, &own, &p->reports[m->rank]);
  // the GPUs of the ranks have other numbers
  m->good = p->reports[m->rank].dense || m->status != GLA_OK ||
            (p->reports[m->rank].device == GLA_DEVICE_HOST) == (crew_place == GLA_PLACE_CPU);
  p->reports[m->rank].device = 0;
  gla_sparse_rows_destroy (S);
  rows_free (&r);
}

static problem *new_problem (const matrix *A, int64_t k, gla_eigs_which which,
                             const gla_eigs_options *o, int ranks, int split)
{
  problem *p = calloc (1, sizeof *p);
  p->A = A;
  p->k = k;
  p->which = which;
  p->o = *o;
  p->o.size = sizeof p->o;
  p->vectors =
      gla_array_packed (calloc ((size_t)(A->n * k) + 1, 16), A->type, A->n, k, 1, GLA_DEVICE_HOST);
  crew_split (A->n, ranks, split, p->first);
  return p;
}

static void problem_free (problem *p)
{
  free (p->vectors.data);
  free (p);
}

static void check_eigs (problem *p, int ranks, const char *what)
{
  crew_run (&all, ranks, eigs_body, p);
  crew_expect (&all, GLA_OK, "", what);
  answer a = {.values = gla_array_packed (p->values[0], gla_type_real (p->A->type), p->k, 1, 1,
                                          GLA_DEVICE_HOST),
              .vectors = p->vectors,
              .report = p->reports[0],
              .status = all.members[0].status};
  if (p->only_values)
    a.vectors.data = NULL;
  check_answer (p->A, &a, p->k, p->which, what);
  for (int r = 0; r < ranks; r++)
    CHECK (all.members[r].good, "%s: the place of rank %d", what, r);
  for (int r = 1; r < ranks; r++)
    CHECK (memcmp (p->values[r], p->values[0], sizeof p->values[0]) == 0 &&
               memcmp (p->residuals[r], p->residuals[0], sizeof p->residuals[0]) == 0 &&
               memcmp (&p->reports[r], &p->reports[0], sizeof p->reports[0]) == 0,
           "%s: rank %d has other results than rank 0", what, r);
}

static void test_graph (gla_type type, element f, int64_t n, int64_t k, double scale,
                        const gla_eigs_options *o, const char *what)
{
  matrix A = make (type, n, f, scale);
  lambda_of (&A, f);
  for (int64_t i = 0; i < n; i++)
    A.lambda[i] *= scale;
  A.norm *= scale;
  static int turn; // each case has other numbers of ranks and other splits than the last one
  for (int which = 0; which <= GLA_EIGS_WHICH_BE; which++, turn++) {
    char text[120];
    const int few = SLOW || crew_place != GLA_PLACE_CPU;
    const int ranks = counts[turn % (few ? 3 : 5)], split = turn % 7 % SPLITS;
    snprintf (text, sizeof text, "%s, %d ranks, split %d", what, ranks, split);
    problem *p = new_problem (&A, k, (gla_eigs_which)which, o, ranks, split);
    p->only_values = which == GLA_EIGS_WHICH_SA;
    check_eigs (p, ranks, text);
    problem_free (p);
  }
  matrix_free (&A);
}

static void test_graphs (gla_type type)
{
  const int single = gla_type_real (type) == GLA_TYPE_S;
  const gla_eigs_options o = {.block = 0}, blocks = {.block = 3, .basis = 33}, eight = {.block = 8};
  test_graph (type, grid, SIDE * SIDE, 7, 1, &o, "grid");
  test_graph (type, grid, SIDE * SIDE, 7, 1, &blocks, "grid in blocks of 3");
  test_graph (type, paths, 200, 10, 1, &eight, "equal paths in blocks of 8");
  test_graph (type, star, 100, 4, 1, &o, "star");
  test_graph (type, diagonal, 130, 6, 1, &o, "diagonal");
  test_graph (type, identity, 110, 5, 1, &o, "identity");
  test_graph (type, zero, 100, 3, 1, &o, "zero");
  test_graph (type, paths, 150, 7, single ? 1e30 : 1e200, &o, "huge entries");
  test_graph (type, paths, 150, 7, single ? 1e-30 : 1e-200, &o, "tiny entries");
  test_graph (type, path, 40, 5, 1, &o, "small path");
  test_graph (type, path, 3, 2, 1, &o, "path of 3");
  if (gla_type_is_complex (type))
    test_graph (type, phases, 140, 4, 1, &o, "path with phases");
}

// Values of the plain recurrence; single ones, because it finds no copies.
static void test_plain (void)
{
  matrix A = make (GLA_TYPE_D, 130, diagonal, 1);
  const gla_eigs_options o = {.method = GLA_EIGS_METHOD_PLAIN};
  lambda_of (&A, diagonal);
  for (int c = 0; c < 4; c++) {
    problem *p = new_problem (&A, 4, GLA_EIGS_WHICH_LA, &o, counts[c], c);
    crew_run (&all, counts[c], eigs_body, p);
    crew_expect (&all, GLA_OK, "", "plain");
    CHECK (p->reports[0].converged == 4, "plain: %lld", (long long)p->reports[0].converged);
    for (int i = 0; i < 4; i++)
      CHECK (fabs (p->values[counts[c] - 1][i] - A.lambda[129 - i]) < 1e-11 * A.norm,
             "plain, %d ranks: %g", counts[c], p->values[0][i] - A.lambda[129 - i]);
    problem_free (p);
  }
  matrix_free (&A);
}

// A start vector, the bits of a second call, and long chunks of rows.
static void test_bits (void)
{
  enum { N = 5000, K = 2 };
  matrix A = {.type = GLA_TYPE_D, .n = N};
  double *v0 = malloc (N * sizeof *v0);
  A.start = calloc (N + 1, 8);
  A.index = malloc (3 * N * 8);
  A.values = malloc (3 * N * 8);
  A.lambda = calloc (N, 8);
  int64_t e = 0;
  for (int64_t i = 0; i < N; i++) {
    // a path whose first nodes are heavy, so that the largest eigenvalues are far apart
    for (int64_t j = i - 1; j <= i + 1; j++)
      if (j >= 0 && j < N) {
        A.index[e] = j;
        ((double *)A.values)[e++] = j != i ? 1 : i < 5 ? 20.0 - 3 * (double)i : 0;
      }
    A.start[i + 1] = e;
    v0[i] = 1 + 1e-3 * (double)(i % 7);
  }
  const gla_eigs_options o = {.v0 = v0};
  double values[2][K];
  for (int k = 0; k < 4; k++) {
    problem *p = new_problem (&A, K, GLA_EIGS_WHICH_LA, &o, k < 2 ? 3 : k == 2 ? 1 : 8, k / 2);
    crew_run (&all, k < 2 ? 3 : k == 2 ? 1 : 8, eigs_body, p); // 8 of them share the GPUs
    crew_expect (&all, GLA_OK, "", "a long path");
    CHECK (p->reports[0].converged == K, "a long path: %lld", (long long)p->reports[0].converged);
    if (k < 2)
      memcpy (values[k], p->values[0], sizeof values[k]);
    for (int i = 0; i < K; i++)
      CHECK (fabs (p->values[0][i] - values[0][i]) < 1e-12 * 20,
             "other values with other ranks: %g", p->values[0][i] - values[0][i]);
    problem_free (p);
  }
  CHECK (memcmp (values[0], values[1], sizeof values[0]) == 0, "other bits in a second call");
  matrix_free (&A);
  free (v0);
}

//------------------------------------------------------------------------------
// errors
//------------------------------------------------------------------------------

typedef enum { ONE_ELEMENT, NOT_REAL, NOT_FINITE, BAD_K, OTHER_OPTION, STOPPED, FAULTS } fault;

static int stop_now (void *user)
{
  (void)user;
  return 1;
}

static void faulty_body (member *m)
{
  problem *p = m->all->user;
  const fault kind = (fault)p->only_values;
  const int odd = m->rank == m->all->count - 1;
  rank_rows r = take_rows (p->A, p->first[m->rank], p->first[m->rank + 1], 1, 8);
  const gla_sparse_options o = {.size = sizeof o, .by_columns = 1};
  gla_sparse_rows *S;
  double values[16];
  gla_eigs_results results = {.size = sizeof results};
  results.values = gla_array_packed (values, GLA_TYPE_D, p->k, 1, 1, GLA_DEVICE_HOST);
  gla_eigs_options own = {.size = sizeof own};
  if (odd && kind == OTHER_OPTION)
    own.tol = 1e-3;
  if (odd && kind == ONE_ELEMENT)
    ((double complex *)r.values)[3] *= 1 + 1e-15;
  if (odd && kind == NOT_REAL)
    ((double complex *)r.values)[2] += 1e-300 * I;
  if (odd && kind == NOT_FINITE)
    ((double complex *)r.values)[0] = NAN;
  m->status = gla_sparse_rows_create (m->ctx, m->ranks, &r.csr, &S, &o);
  if (odd && kind == STOPPED)
    gla_set_stop (m->ctx, stop_now, NULL);
  if (m->status == GLA_OK)
    m->status = gla_eigs_rows (m->ctx, S, odd && kind == BAD_K ? p->A->n + 1 : p->k, p->which,
                               &results, &own, NULL);
  gla_sparse_rows_destroy (S);
  rows_free (&r);
}

static void test_faults (void)
{
  static const struct {
    gla_status status;
    const char *says;
  } expected_of[FAULTS] = {
      [ONE_ELEMENT] = {GLA_ERROR_NOT_HERMITIAN, "A is not Hermitian"},
      [NOT_REAL] = {GLA_ERROR_NOT_HERMITIAN, "A is not Hermitian"},
      [NOT_FINITE] = {GLA_ERROR_BAD_ARGUMENT, "A has NaN or Inf"},
      [BAD_K] = {GLA_ERROR_BAD_ARGUMENT, "k = 145 must be 1 to n = 144"},
      [OTHER_OPTION] = {GLA_ERROR_RANKS_DIFFER, "has other options than rank 0"},
  };
  matrix A = make (GLA_TYPE_Z, SIDE * SIDE, grid, 1);
  for (int kind = 0; kind < FAULTS; kind++)
    for (int ranks = 1; ranks < 5; ranks++) {
      const gla_eigs_options o = {.block = 0};
      problem *p = new_problem (&A, 3, GLA_EIGS_WHICH_LA, &o, ranks, 0);
      p->only_values = kind;
      if (ranks == 1 && kind == OTHER_OPTION) {
        problem_free (p);
        continue;
      }
      crew_run (&all, ranks, faulty_body, p);
      if (kind == STOPPED)
        for (int r = 0; r < ranks; r++)
          CHECK (all.members[r].status ==
                     (r == ranks - 1 ? GLA_ERROR_STOPPED : GLA_ERROR_RANK_LOST),
                 "stop, rank %d of %d: %d %s", r, ranks, (int)all.members[r].status,
                 all.members[r].message);
      else
        crew_expect (&all, expected_of[kind].status, expected_of[kind].says, "a fault");
      problem_free (p);
    }
  matrix_free (&A);
}

// Blocks of 1, 2, 4 and 8 columns, vectors that vanish, and entries that have to be scaled.
static void test_on_gpus (void)
{
  for (int t = 0; t < 4; t++) {
    const gla_type type = types[t];
    const int single = gla_type_real (type) == GLA_TYPE_S;
    const gla_eigs_options o = {.block = 0}, one = {.block = 1}, two = {.block = 2},
                           eight = {.block = 8};
    test_graph (type, grid, SIDE * SIDE, 7, 1, &o, "grid");
    test_graph (type, grid, SIDE * SIDE, 7, 1, &one, "grid, single vectors");
    test_graph (type, paths, 200, 10, 1, t % 2 ? &eight : &two, "equal paths in blocks");
    test_graph (type, identity, 110, 5, 1, &o, "identity");
    test_graph (type, zero, 100, 3, 1, &o, "zero");
    test_graph (type, paths, 150, 7, single ? 1e30 : 1e200, &o, "huge entries");
    test_graph (type, path, 40, 5, 1, &o, "small path");
    if (gla_type_is_complex (type))
      test_graph (type, phases, 140, 4, 1, &o, "path with phases");
  }
  test_bits ();
}

int main (int argc, char **argv)
{
  CHECK (gla_context_create (&ctx) == GLA_OK, "context");
  if (crew_on_gpus (argc, argv)) {
    test_on_gpus ();
    gla_context_destroy (ctx);
    return check_report ("test_eigs_rows on GPUs");
  }
  for (int t = 0; t < 4; t++)
    if (!SLOW || t % 3 == 0)
      test_graphs (types[t]);
  test_plain ();
  test_bits ();
  test_faults ();
  gla_context_destroy (ctx);
  return check_report ("test_eigs_rows");
}

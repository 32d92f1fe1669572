// test_rows_pairs.c: GSVD and pencils of pairs of matrices whose rows are spread over ranks
// SPDX-License-Identifier: GPL-3.0-or-later

#include "rank_pairs.h"

//------------------------------------------------------------------------------
// GSVD and pencils
//------------------------------------------------------------------------------

static void run_gsvd (gla_type type, const int *size, int ranks, int split)
{
  static problem p;
  char what[80];
  snprintf (what, sizeof what, "%d ranks, split %d", ranks, split);
  const gsvd_call c = {.type = type,
                       .m = size[0],
                       .n = size[1],
                       .p = size[2],
                       .pages = 1,
                       .gap = 2,
                       .u = 1,
                       .v = 1,
                       .x = 1};
  gsvd_page g = gsvd_page_new (&c);
  const int ra = least (size[3], least (size[0], size[2])),
            rb = least (size[4], least (size[1], size[2]));
  fill_rank (&g, 0, ra, size[2]);
  fill_rank (&g, 1, rb, size[2]);
  p.gsvd = &g;
  crew_split (c.m, ranks, split, p.first[0]);
  crew_split (c.n, ranks, (split + 1) % SPLITS, p.first[1]);
  crew_run (&all, ranks, gsvd_body, &p);
  crew_expect (&all, GLA_OK, "", what);
  for (int k = 0; k < 3; k++) {
    check_common (&p, k, ranks, what);
    copy_pages (&g.a[GSVD_ALPHA + k + 2 * (k == 2)], &p.common[ranks - 1][k]);
  }
  for (int r = 0; r < ranks; r++) {
    CHECK (p.info[r][0] == 0 && p.stats[r].sweeps == p.stats[0].sweeps, "%s: info", what);
    g.info[0] = p.info[r][0];
  }
  g.status = GLA_OK;
  gsvd_check (&g, what);
  free_common (&p, ranks);
  gsvd_page_free (&g);
}

static void test_gsvd (gla_type type)
{
  // m, n, p, rank of A, rank of B
  static const int sizes[][5] = {{60, 50, 7, 99, 99}, {33, 41, 16, 99, 99}, {30, 5, 9, 99, 99},
                                 {4, 40, 9, 99, 99},  {3, 4, 9, 99, 99},    {50, 40, 8, 5, 8},
                                 {50, 40, 8, 8, 3},   {1, 1, 1, 99, 99}};
  for (int s = 0; s < 8; s += 1 + SLOW)
    for (int k = 0; k < 6; k += 1 + SLOW)
      run_gsvd (type, sizes[s], counts[k], (s + k) % SPLITS);
}

static void gevd_body (member *m)
{
  problem *p = m->all->user;
  const gsvd_page *g = p->gsvd;
  const gla_array A = crew_rows (&g->a[GSVD_A], p->first[0], m->rank),
                  B = crew_rows (&g->a[GSVD_B], p->first[1], m->rank);
  const gla_array *common = take_common (m);
  const gla_gevd_results r = {.size = sizeof r,
                              .alpha = common[0],
                              .beta = common[1],
                              .Z = common[2],
                              .info = p->info[m->rank]};
  m->status = gla_gevd_rows (m->ctx, m->ranks, &A, &B, &r, NULL, NULL);
}

// The largest |Z'*A'*A*Z - diag (alpha.^2)|, or that of B and beta.
static double pencil_error (const gsvd_page *g, const problem *p, int of_b)
{
  const gla_array *A = &g->a[of_b ? GSVD_B : GSVD_A], *Z = &p->common[0][2],
                  *value = &p->common[0][of_b];
  double worst = 0;
  for (int64_t k = 0; k < Z->columns; k++)
    for (int64_t l = 0; l < Z->columns; l++) {
      const double v = creal (gsvd_get (value, k, 0, 0));
      double complex s = k == l ? -v * v : 0;
      for (int64_t i = 0; i < A->rows; i++) {
        double complex x = 0, y = 0;
        for (int64_t j = 0; j < A->columns; j++) {
          x += gsvd_get (A, i, j, 0) * gsvd_get (Z, j, k, 0);
          y += gsvd_get (A, i, j, 0) * gsvd_get (Z, j, l, 0);
        }
        s += conj (x) * y;
      }
      worst = check_worst (worst, cabs (s));
    }
  return worst;
}

static void test_gevd (gla_type type, int most)
{
  static problem p;
  const gsvd_call c = {.type = type, .m = 61, .n = 47, .p = 9, .pages = 1, .x = 1};
  gsvd_page g = gsvd_page_new (&c);
  fill_rank (&g, 0, 9, 9);
  fill_rank (&g, 1, 9, 9);
  p.gsvd = &g;
  for (int k = 0; k < most; k++) {
    crew_split (c.m, counts[k], k % SPLITS, p.first[0]);
    crew_split (c.n, counts[k], 0, p.first[1]);
    crew_run (&all, counts[k], gevd_body, &p);
    crew_expect (&all, GLA_OK, "", "gevd");
    for (int which = 0; which < 3; which++)
      check_common (&p, which, counts[k], "gevd");
    const double a = pencil_error (&g, &p, 0), b = pencil_error (&g, &p, 1);
    CHECK (a <= 300 * gla_type_eps (type) && b <= 300 * gla_type_eps (type),
           "%c pencil on %d ranks: %g and %g", type, counts[k], a, b);
    free_common (&p, counts[k]);
  }
  gsvd_page_free (&g);
}

static void test_on_gpus (void)
{
  static const int sizes[][5] = {{60, 50, 7, 99, 99}, {4, 40, 9, 99, 99}, {5000, 700, 30, 99, 99}};
  for (int t = 0; t < 4; t++) {
    for (int s = 0; s < 3; s++)
      for (int k = 0; k < 3; k++)
        run_gsvd (types[t], sizes[s], counts[k], (s + k) % SPLITS);
    test_gevd (types[t], 3);
  }
}

int main (int argc, char **argv)
{
  if (crew_on_gpus (argc, argv)) {
    test_on_gpus ();
    return check_report ("test_rows_pairs on GPUs");
  }
  for (int t = 0; t < 4; t++) {
    test_gsvd (types[t]);
    test_gevd (types[t], 6);
  }
  return check_report ("test_rows_pairs");
}

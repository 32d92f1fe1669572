// gpu_large_svds.c: singular values of pages with more than 256 columns on a GPU
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Products of whole matrices would take the host minutes. So what must be 0 is multiplied by random
// vectors, which finds every error that is larger than rounding with certainty.

#include "gpu_svd.h"

// Columns stay as far from multiples of 16 bytes as without gaps: cuBLAS, which multiplies tall
// pages, chooses its kernel by that.
enum { GAP = 4 };

// x, and what becomes of it.
typedef struct {
  double complex *x;
  int64_t rows;
} vector;

static vector vector_new (int64_t rows)
{
  return (vector){calloc ((size_t)rows, sizeof (double complex)), rows};
}

static vector random_vector (int64_t rows, gla_type type, unsigned long long *seed)
{
  vector v = vector_new (rows);
  for (int64_t i = 0; i < rows; i++)
    v.x[i] = random_of (type, seed);
  return v;
}

static double norm_of (vector v)
{
  double sum = 0;
  for (int64_t i = 0; i < v.rows; i++)
    sum += creal (v.x[i]) * creal (v.x[i]) + cimag (v.x[i]) * cimag (v.x[i]);
  return isnan (sum) ? INFINITY : sqrt (sum);
}

// Page `page` of 2^shift*a, or its adjoint, times x.
static vector product (const gla_array *a, int page, int shift, int adjoint, vector x)
{
  vector y = vector_new (adjoint ? a->columns : a->rows);
  for (int64_t j = 0; j < a->columns; j++)
    for (int64_t i = 0; i < a->rows; i++) {
      const double complex z = svd_at (a, i, j, page);
      const double complex e = ldexp (creal (z), shift) + ldexp (cimag (z), shift) * I;
      if (adjoint)
        y.x[j] += conj (e) * x.x[i];
      else
        y.x[i] += e * x.x[j];
    }
  return y;
}

static void subtract (vector *x, vector y)
{
  for (int64_t i = 0; i < x->rows; i++)
    x->x[i] -= y.x[i];
}

//------------------------------------------------------------------------------
// errors, over the longer side and eps
//------------------------------------------------------------------------------

static double error_scale (const svd_page *p)
{
  return (p->call.m > p->call.n ? p->call.m : p->call.n) * gla_type_eps (p->call.type);
}

// |Q'*Q*x - x|
static double off_one (const svd_page *p, const gla_array *Q, int page, unsigned long long *seed)
{
  vector x = random_vector (Q->columns, Q->type, seed);
  vector y = product (Q, page, 0, 0, x), z = product (Q, page, 0, 1, y);
  subtract (&z, x);
  const double off = norm_of (z) / norm_of (x) / error_scale (p);
  free (x.x), free (y.x), free (z.x);
  return off;
}

// |A*x - U*S*V'*x| over the largest value; numbers of A are multiplied by a power of two. The
// rounding errors of denormal numbers do not count.
static double residual (const svd_page *p, int page, unsigned long long *seed)
{
  const int single = gla_type_real (p->call.type) == GLA_TYPE_S;
  const double top = svd_value (p, 0, page);
  const int shift = top > 0 ? -ilogb (top) : 0;
  vector x = random_vector (p->call.n, p->call.type, seed);
  vector y = product (&p->a[SVD_V], page, 0, 1, x), w = product (&p->a[SVD_A], page, shift, 0, x);
  for (int64_t j = 0; j < y.rows; j++)
    y.x[j] *= ldexp (svd_value (p, j, page), shift);
  vector z = product (&p->a[SVD_U], page, 0, 0, y);
  subtract (&w, z);
  const double grain = ldexp (1, (single ? -149 : -1074) + shift) * p->call.n * norm_of (x);
  const double off = fmax (0, norm_of (w) - grain) / norm_of (x) / error_scale (p);
  free (x.x), free (y.x), free (w.x), free (z.x);
  return top > 0 ? off / ldexp (top, shift) : off;
}

static void check_large_page (const svd_page *p, int page, const char *what)
{
  enum { VECTORS = 3 };
  const svd_call *c = &p->call;
  unsigned long long seed = 17;
  double r = 0, u = 0, v = 0;
  for (int k = 0; k < VECTORS; k++) {
    r = check_worst (r, residual (p, page, &seed));
    u = check_worst (u, off_one (p, &p->a[SVD_U], page, &seed));
    v = check_worst (v, off_one (p, &p->a[SVD_V], page, &seed));
  }
  CHECK (p->info[page] == 0, "%c %dx%d %s: info %d", c->type, c->m, c->n, what, p->info[page]);
  CHECK (svd_descending (p, page), "%c %dx%d %s: not descending", c->type, c->m, c->n, what);
  CHECK (r <= 5 && u <= 5 && v <= 5, "%c %dx%d %s: residual %g, U %g, V %g", c->type, c->m, c->n,
         what, r, u, v);
  CHECK (svd_phases (p, page), "%c %dx%d %s: phases", c->type, c->m, c->n, what);
}

//------------------------------------------------------------------------------
// all kinds of pages in one batch
//------------------------------------------------------------------------------

// The pages alone, from the host and from the GPU, and beside one that is not finite.
static void check_bits (const svd_page *all)
{
  const int last = all->call.pages - 1;
  for (int page = 0; page <= last; page = page == last || page + 5 < last ? page + 5 : last)
    check_page_alone (all, page);
  svd_call c = all->call;
  c.pages = 2;
  c.gap = 0;
  svd_page p = svd_page_new (&c);
  copy_page (&p, 0, all, 0);
  copy_page (&p, 1, all, 0);
  svd_set (&p, c.m / 2, c.n - 1, 0, NAN);
  run_on_device (&p);
  CHECK (p.status == GLA_OK && p.info[0] == svd_least (&c) + 1 && all_nan (&p.a[SVD_S], 0) &&
             all_nan (&p.a[SVD_U], 0) && all_nan (&p.a[SVD_V], 0),
         "%c %dx%d: NaN, info %d", c.type, c.m, c.n, p.info[0]);
  CHECK (p.info[1] == 0 && same_results (all, 0, &p, 1), "%c %dx%d: beside NaN", c.type, c.m, c.n);
  svd_page_free (&p);
}

// Values alone, the largest third of them with V alone, and those of LAPACK.
static void check_values (const svd_page *all)
{
  const int k = svd_least (&all->call);
  const double bound = 20 * k * gla_type_eps (all->call.type);
  svd_call c = all->call;
  c.u = c.v = 0;
  svd_page alone = svd_page_new (&c), cpu = svd_page_new (&c);
  c.v = 1;
  c.values = (k + 2) / 3;
  svd_page some = svd_page_new (&c);
  for (int page = 0; page < c.pages; page++) {
    copy_page (&alone, page, all, page);
    copy_page (&cpu, page, all, page);
    copy_page (&some, page, all, page);
  }
  run_on_device (&alone);
  run_on_device (&some);
  svd_run (on_cpu, &cpu);
  CHECK (alone.status == GLA_OK && some.status == GLA_OK && cpu.status == GLA_OK, "%s",
         gla_message (on_gpu));
  check_page_alone (&alone, c.pages - 1);
  for (int page = 0; page < c.pages; page++) {
    double far = 0, from_cpu = 0;
    int same = 1;
    const double top = svd_value (all, 0, page);
    for (int j = 0; j < k; j++) {
      const double s = svd_value (all, j, page);
      far = check_worst (far, fabs (svd_value (&alone, j, page) - s));
      from_cpu = check_worst (from_cpu, fabs (svd_value (&cpu, j, page) - s));
      same &= j >= c.values || svd_value (&some, j, page) == s;
    }
    const double grain = gla_type_real (c.type) == GLA_TYPE_S ? 0x1p-146 : 0x1p-1071;
    CHECK (far <= bound * top + grain, "%c %dx%d page %d: values alone differ by %g", c.type, c.m,
           c.n, page, far / top);
    CHECK (from_cpu <= bound * top + k * grain, "%c %dx%d page %d: LAPACK's values differ by %g",
           c.type, c.m, c.n, page, from_cpu / top);
    CHECK (same, "%c %dx%d page %d: the largest %d", c.type, c.m, c.n, page, c.values);
  }
  CHECK (svd_untouched (&some), "%c %dx%d: wrote where it must not", c.type, c.m, c.n);
  svd_page_free (&alone);
  svd_page_free (&some);
  svd_page_free (&cpu);
}

static void check_large (gla_type type, int m, int n, int pages)
{
  const svd_call c = {type, m, n, pages, GAP, 1, 1, 0, n % 2, GLA_SVD_METHOD_AUTO};
  svd_page p = svd_page_new (&c);
  unsigned long long seed = (unsigned long long)n;
  char what[40];
  for (int page = 0; page < pages; page++)
    fill_page (&p, page, (kind_of_page)(page % KINDS), &seed);
  run_on_device (&p);
  if (!is_refused (&p)) {
    CHECK (p.status == GLA_OK, "%c %dx%d: %s", type, m, n, gla_message (on_gpu));
    for (int page = 0; page < pages; page++) {
      snprintf (what, sizeof what, "kind %d", page % KINDS);
      check_large_page (&p, page, what);
    }
    CHECK (svd_untouched (&p), "%c %dx%d: wrote where it must not", type, m, n);
    check_bits (&p);
    check_values (&p);
  }
  svd_page_free (&p);
}

// Pages that take different numbers of steps, from random to singular ones, change places all the
// time; what each of them is does not depend on the others.
static void check_many (gla_type type, int n, int pages)
{
  const svd_call c = {type, n, n, pages, GAP, 1, 1, 0, 0, GLA_SVD_METHOD_AUTO};
  svd_page p = svd_page_new (&c);
  unsigned long long seed = 5;
  for (int page = 0; page < pages; page++)
    fill_page (&p, page, (kind_of_page)(page % 3 > 0 ? 0 : page % KINDS), &seed);
  run_on_device (&p);
  if (!is_refused (&p)) {
    CHECK (p.status == GLA_OK, "%c %dx%d, %d pages: %s", type, n, n, pages, gla_message (on_gpu));
    for (int page = 0; page < pages; page += page + 8 < pages || page == pages - 1 ? 7 : 1) {
      check_large_page (&p, page, "one of many");
      if (page % 4 == 0 || page == pages - 1)
        check_page_alone (&p, page);
    }
    CHECK (svd_untouched (&p), "%c %dx%d, %d pages: wrote where it must not", type, n, n, pages);
  }
  svd_page_free (&p);
}

// One has all kinds of pages; of the larger ones there are fewer. Values alone go by tiles of 64
// and panels of 8 from 193, 225 or 257 columns on, to 1024 rows without QR.
static const struct {
  int m, n, pages;
} shapes[] = {{193, 193, 3},         {240, 225, 3},     {256, 256, 2},  {577, 561, 1},
              {257, 257, KINDS + 2}, {300, 300, KINDS}, {600, 300, 6},  {300, 700, 6},
              {2000, 260, 3},        {320, 320, 2},     {321, 321, 2},  {328, 335, 2},
              {512, 512, 6},         {600, 1024, 1},    {1025, 600, 1}, {700, 690, 2},
              {1000, 1000, 2},       {1024, 1024, 1}};

int gpu_large_svds (const char *wanted)
{
  if (gla_context_create (&on_gpu) != GLA_OK || gla_context_create (&on_cpu) != GLA_OK ||
      use_first_gpu (on_gpu) != GLA_OK)
    return 1;
  gla_set_place (on_cpu, GLA_PLACE_CPU, NULL, 0);
  for (int t = 0; t < COUNT (types); t++)
    for (int s = 0; s < COUNT (shapes) && strchr (wanted, types[t]) != NULL; s++)
      check_large (types[t], shapes[s].m, shapes[s].n, shapes[s].pages);
  for (int t = 0; t < COUNT (types); t++)
    if (strchr (wanted, types[t]) != NULL)
      check_many (types[t], 268 + t, 128);
  if (strchr (wanted, 'd') != NULL) { // products by cuBLAS, and the other way of batcheig
    check_large (GLA_TYPE_D, 1300, 1100, 1);
    check_large (GLA_TYPE_D, 2000, 2000, 1);
    check_large (GLA_TYPE_D, 1101, 1101, 2); // an odd order: pages begin at other alignments
  }
  if (strchr (wanted, 'z') != NULL) {
    check_large (GLA_TYPE_Z, 1101, 1101, 2);
    check_large (GLA_TYPE_Z, 1040, 1030, 5); // more pages than go at a time without vectors
  }
  if (strchr (wanted, 's') != NULL)
    check_large (GLA_TYPE_S, 1540, 1540, 1);
  gla_context_destroy (on_gpu);
  gla_context_destroy (on_cpu);
  printf ("gpu_large_svds: %d passed, %d failed, %d skipped\n", n_passed, n_failed, n_skipped);
  return n_failed > 0;
}

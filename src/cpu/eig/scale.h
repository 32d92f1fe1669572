// scale_template.h: exact scaling by powers of two, and the search for NaN and Inf
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The largest entry comes from exponent_template.h.

// Bits of the largest entry that is to be read.
static GLA_BITS N (largest_of_page) (int64_t n, const GLA_REAL *A, int64_t ld,
                                     gla_triangle triangle)
{
  GLA_BITS m = 0;
  for (int64_t j = 0; j < n; j++) {
    const GLA_REAL *column = A + j * ld * GLA_PARTS;
    if (triangle == GLA_FULL) {
      m = N (largest_of) (column, n * GLA_PARTS, m);
      continue;
    }
    int64_t first = triangle == GLA_LOWER ? j + 1 : 0,
            count = triangle == GLA_LOWER ? n - j - 1 : j;
    m = N (largest_of) (column + first * GLA_PARTS, count * GLA_PARTS, m);
    m = N (largest_of) (column + j * GLA_PARTS, 1, m);
  }
  return m;
}

// What is known of a page before it is solved. Its entries are multiplied by down[0]*down[1] so
// that the largest lies in [1, 2), its eigenvalues by up[0]*up[1]: two factors, because 2^1074 is
// no number.
typedef struct {
  int32_t info; // 0: solve it
  GLA_REAL largest;
  GLA_REAL down[2], up[2];
} N (scaling);

static N (scaling) N (scaling_of) (GLA_BITS largest, int64_t n)
{
  N (scaling) s = {0, 0, {1, 1}, {1, 1}};
  memcpy (&s.largest, &largest, sizeof largest);
  if (!(s.largest <= GLA_MAX)) {
    s.info = (int32_t)(n + 1);
    s.down[0] = 0;
    return s;
  }
  int e = (int)(largest >> GLA_FRACTION) - GLA_BIAS;
  if (e == -GLA_BIAS) {
    (void)frexp (s.largest, &e);
    e--;
  }
  int half = e / 2, rest = e - half;
  s.down[0] = N (power_of_two) (-half);
  s.down[1] = N (power_of_two) (-rest);
  s.up[0] = N (power_of_two) (half);
  s.up[1] = N (power_of_two) (rest);
  return s;
}

// Looks at the largest squared |A - A'| of the scaled page; marks the page if it is too large.
static void N (check_skew) (N (scaling) * s, GLA_REAL difference2, int64_t n, double *skew)
{
  // the largest scaled entry, in [1, 2)
  GLA_REAL largest = s->largest * s->down[0] * s->down[1];
  GLA_REAL difference = GLA_SQRT (difference2);
  if (s->info != 0 || difference <= 10 * (GLA_REAL)n * GLA_EPS * largest)
    return;
  s->info = GLA_INFO_SKEW;
  double d = (double)difference * s->up[0] * s->up[1];
  if (skew)
    *skew = d <= DBL_MAX ? d : DBL_MAX;
}

// order[0..n-1]: places of w[0], w[stride], ... in ascending order; equal ones keep theirs.
static void N (sort) (int n, const GLA_REAL *w, int stride, int *order)
{
  for (int i = 0; i < n; i++) {
    GLA_REAL x = w[i * stride];
    int j = i;
    for (; j > 0 && x < w[order[j - 1] * stride]; j--)
      order[j] = order[j - 1];
    order[j] = i;
  }
}

//------------------------------------------------------------------------------
// results
//------------------------------------------------------------------------------

// Eigenvalues and eigenvectors of a page where the solver has left them. Eigenvalue j is
// w[j*w_stride]; element i of its vector starts at v + (i + j*ldv)*v_stride, imag_offset later
// stands its imaginary part.
typedef struct {
  const GLA_REAL *w, *v;
  int w_stride;
  int64_t ldv, v_stride, imag_offset;
} N (result);

static inline __attribute__ ((always_inline)) void
N (store_column) (GLA_REAL *to, const GLA_REAL *from, int64_t n, int64_t stride, int64_t imag)
{
  // + 0 makes -0 into 0: which of them a zero is depends on what the other lanes did
  (void)imag;
  for (int64_t i = 0; i < n; i++) {
    to[GLA_PARTS * i] = from[i * stride] + 0;
#if GLA_COMPLEX
    to[2 * i + 1] = from[i * stride + imag] + 0;
#endif
  }
}

// Writes info and the eigenvalues, ascending; order tells where they were. Returns whether vectors
// are to follow: a page that failed becomes NaN.
static int N (store_values) (gla_cpu_task *task, int64_t page, const N (scaling) * s,
                             const GLA_REAL *w, int stride, int *order)
{
  const gla_eig_chunk *c = task->chunk;
  const int64_t n = task->job->n;
  GLA_REAL *lambda = (GLA_REAL *)c->lambda.data + page * c->lambda.page_stride;
  GLA_REAL *V = c->V.data;
  c->info[page] = s->info;
  if (s->info != 0) {
    for (int64_t i = 0; i < n; i++)
      lambda[i * c->lambda.row_stride] = (GLA_REAL)NAN;
    for (int64_t j = 0; V && j < n; j++) {
      GLA_REAL *to = V + (page * c->V.page_stride + j * c->V.column_stride) * GLA_PARTS;
      for (int64_t i = 0; i < n * GLA_PARTS; i++)
        to[i] = (GLA_REAL)NAN;
    }
    return 0;
  }
  N (sort) ((int)n, w, stride, order);
  for (int64_t i = 0; i < n; i++)
    lambda[i * c->lambda.row_stride] = w[order[i] * stride] * s->up[0] * s->up[1] + 0;
  return V != NULL;
}

// Writes a page, or NaN where info says that it failed.
static void N (store) (gla_cpu_task *task, int64_t page, const N (scaling) * s, N (result) r,
                       int *order)
{
  const gla_array *V = &task->chunk->V;
  const int64_t n = task->job->n;
  if (!N (store_values) (task, page, s, r.w, r.w_stride, order))
    return;
  for (int64_t j = 0; j < n; j++) {
    GLA_REAL *to = (GLA_REAL *)V->data + (page * V->page_stride + j * V->column_stride) * GLA_PARTS;
    const GLA_REAL *from = r.v + order[j] * r.ldv * r.v_stride;
    N (store_column) (to, from, n, r.v_stride, r.imag_offset);
  }
}

// spmv_element_template.h: sums over entries of a sparse matrix, for one type
// SPDX-License-Identifier: GPL-3.0-or-later

// a*b + c, rounded once where the processor can. Left to the compiler, it is once in one loop and
// twice in another, and the bits of a product would be a matter of the indices' size.
static inline __attribute__ ((always_inline)) GLA_REAL N (add_product) (GLA_REAL a, GLA_REAL b,
                                                                        GLA_REAL c)
{
#if !defined __FMA__
  return a * b + c;
#elif GLA_SINGLE
  return __builtin_fmaf (a, b, c);
#else
  return __builtin_fma (a, b, c);
#endif
}

// sum[0..width-1] += a*x[0..width-1]
static inline __attribute__ ((always_inline)) void N (add_entry) (GLA_REAL *sum, const GLA_REAL *a,
                                                                  const GLA_REAL *x, int width,
                                                                  int pattern, int conjugate)
{
  for (int c = 0; c < width; c++) {
#if GLA_COMPLEX
    const GLA_REAL re = x[2 * c], im = x[2 * c + 1];
    if (pattern) {
      sum[2 * c] += re;
      sum[2 * c + 1] += im;
    } else {
      const GLA_REAL b = conjugate ? -a[1] : a[1];
      sum[2 * c] = N (add_product) (-b, im, N (add_product) (a[0], re, sum[2 * c]));
      sum[2 * c + 1] = N (add_product) (b, re, N (add_product) (a[0], im, sum[2 * c + 1]));
    }
#else
    (void)conjugate;
    sum[c] = pattern ? sum[c] + x[c] : N (add_product) (a[0], x[c], sum[c]);
#endif
  }
}

// y of row i from its sum
static inline __attribute__ ((always_inline)) void
N (store_sum) (const gla_cpu_spmv_task *t, int64_t i, const GLA_REAL *sum, int width, int pattern)
{
  const double *value = t->sparse->M.value;
  GLA_REAL *y = (GLA_REAL *)t->y + i * GLA_PARTS;
  for (int c = 0; c < width; c++, y += t->ldy * GLA_PARTS) {
#if GLA_COMPLEX
    const GLA_REAL a = pattern ? (GLA_REAL)value[0] : 1;
    const GLA_REAL b = pattern ? (GLA_REAL)(t->conjugate ? -value[1] : value[1]) : 0;
    y[0] = a * sum[2 * c] - b * sum[2 * c + 1];
    y[1] = a * sum[2 * c + 1] + b * sum[2 * c];
#else
    y[0] = pattern ? (GLA_REAL)value[0] * sum[c] : sum[c];
#endif
  }
}

static void N (join_segments) (const gla_cpu_spmv_task *t, const gla_cpu_segment *s, int64_t count,
                               const void *sums)
{
  GLA_REAL sum[GLA_SPMV_WIDTH * GLA_PARTS] = {0};
  const GLA_REAL *part = sums;
  for (int64_t k = 0; k < count; k++, part += GLA_SPMV_WIDTH * GLA_PARTS)
    for (int c = 0; c < t->width * GLA_PARTS; c++)
      sum[c] += part[c];
  if (t->sparse->M.pattern)
    N (store_sum) (t, s->row, sum, t->width, 1);
  else
    N (store_sum) (t, s->row, sum, t->width, 0);
}

static void N (to_rows) (const void *x, int64_t ld, int64_t first, int64_t end, int b, void *to)
{
  const GLA_REAL *from = x;
  GLA_REAL *row = (GLA_REAL *)to + first * b * GLA_PARTS;
  for (int64_t j = first; j < end; j++)
    for (int c = 0; c < b; c++, row += GLA_PARTS)
      memcpy (row, from + (j + c * ld) * GLA_PARTS, GLA_PARTS * sizeof (GLA_REAL));
}

// Elements first..end-1 of y as the sum of `count` vectors, one after the other, n apart.
static void N (add_vectors) (const void *vectors, int64_t n, int count, int64_t first, int64_t end,
                             void *y)
{
  const GLA_REAL *from = vectors;
  GLA_REAL *to = y;
  for (int64_t i = first * GLA_PARTS; i < end * GLA_PARTS; i++) {
    GLA_REAL sum = from[i];
    for (int p = 1; p < count; p++)
      sum += from[i + p * n * GLA_PARTS];
    to[i] = sum;
  }
}

// spmv_rows_template.h: products by rows, for one type and one type of indices
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The includer defines GLA_INDEX as int32_t or int64_t, and I (name) as the name with both types at
// its end. width, pattern, conjugate and far are constants where these functions are inlined.

// Asks for what entry k + GLA_SPMV_AHEAD will need of x. Rows of graphs are short and of any
// length, so that the processor itself does not look as far ahead as the memory is away. Where x
// is near, to ask takes longer than to wait.
static inline __attribute__ ((always_inline)) void I (look_ahead) (const gla_cpu_spmv_task *t,
                                                                   int64_t k, int width)
{
  const GLA_INDEX *index = t->sparse->M.csr.index;
  if (k >= t->sparse->M.entries - GLA_SPMV_AHEAD)
    return;
  const char *x =
      (const char *)((const GLA_REAL *)t->x + index[k + GLA_SPMV_AHEAD] * t->ldx * GLA_PARTS);
  for (size_t at = 0; at < (size_t)width * GLA_PARTS * sizeof (GLA_REAL); at += 64)
    __builtin_prefetch (x + at);
}

// One vector: four sums side by side hide the latency of the additions.
static inline __attribute__ ((always_inline)) void I (sum_one) (const gla_cpu_spmv_task *t,
                                                                int64_t first, int64_t end,
                                                                int pattern, int conjugate, int far,
                                                                GLA_REAL *sum)
{
  const gla_csr *m = &t->sparse->M.csr;
  const GLA_INDEX *index = m->index;
  const GLA_REAL *values = m->values, *x = t->x;
  GLA_REAL s[4][GLA_PARTS] = {{0}};
  int64_t k = first;
  for (; k + 4 <= end; k += 4)
    for (int u = 0; u < 4; u++) {
      if (far)
        I (look_ahead) (t, k + u, 1);
      N (add_entry)
      (s[u], pattern ? NULL : values + (k + u) * GLA_PARTS, x + index[k + u] * t->ldx * GLA_PARTS,
       1, pattern, conjugate);
    }
  for (; k < end; k++) {
    if (far)
      I (look_ahead) (t, k, 1);
    N (add_entry)
    (s[0], pattern ? NULL : values + k * GLA_PARTS, x + index[k] * t->ldx * GLA_PARTS, 1, pattern,
     conjugate);
  }
  for (int p = 0; p < GLA_PARTS; p++)
    sum[p] = (s[0][p] + s[1][p]) + (s[2][p] + s[3][p]);
}

static inline __attribute__ ((always_inline)) void
I (sum_row) (const gla_cpu_spmv_task *t, int64_t first, int64_t end, int width, int pattern,
             int conjugate, int far, GLA_REAL *sum)
{
  const gla_csr *m = &t->sparse->M.csr;
  const GLA_INDEX *index = m->index;
  const GLA_REAL *values = m->values, *x = t->x;
  if (width == 1) {
    I (sum_one) (t, first, end, pattern, conjugate, far, sum);
    return;
  }
  for (int c = 0; c < width * GLA_PARTS; c++)
    sum[c] = 0;
  for (int64_t k = first; k < end; k++) {
    I (look_ahead) (t, k, width);
    N (add_entry)
    (sum, pattern ? NULL : values + k * GLA_PARTS, x + index[k] * t->ldx * GLA_PARTS, width,
     pattern, conjugate);
  }
}

static inline __attribute__ ((always_inline)) void I (rows_of) (const gla_cpu_spmv_task *t,
                                                                int64_t first, int64_t end,
                                                                int width, int pattern,
                                                                int conjugate, int far)
{
  const GLA_INDEX *start = t->sparse->M.csr.start;
  for (int64_t i = first; i < end; i++) {
    GLA_REAL sum[GLA_SPMV_WIDTH * GLA_PARTS];
    if (start[i + 1] - start[i] > GLA_SPMV_LONG)
      continue;
    I (sum_row) (t, start[i], start[i + 1], width, pattern, conjugate, far, sum);
    N (store_sum) (t, i, sum, width, pattern);
  }
}

static inline __attribute__ ((always_inline)) void
I (rows_of_kind) (const gla_cpu_spmv_task *t, int64_t first, int64_t end, int width, int far)
{
  if (t->sparse->M.pattern)
    I (rows_of) (t, first, end, width, 1, 0, far);
  else if (GLA_COMPLEX && t->conjugate)
    I (rows_of) (t, first, end, width, 0, 1, far);
  else
    I (rows_of) (t, first, end, width, 0, 0, far);
}

static void I (rows) (const gla_cpu_spmv_task *t, int64_t first, int64_t end)
{
  switch (t->width) {
  case 1:
    if (t->sparse->M.csr.columns * GLA_PARTS * (int64_t)sizeof (GLA_REAL) > GLA_SPMV_NEAR)
      I (rows_of_kind) (t, first, end, 1, 1);
    else
      I (rows_of_kind) (t, first, end, 1, 0);
    break;
  case 2:
    I (rows_of_kind) (t, first, end, 2, 1);
    break;
  case 4:
    I (rows_of_kind) (t, first, end, 4, 1);
    break;
  default:
    I (rows_of_kind) (t, first, end, GLA_SPMV_WIDTH, 1);
    break;
  }
}

static void I (segment) (const gla_cpu_spmv_task *t, const gla_cpu_segment *s, void *sum)
{
  if (t->sparse->M.pattern)
    I (sum_row) (t, s->first, s->end, t->width, 1, 0, 1, sum);
  else
    I (sum_row) (t, s->first, s->end, t->width, 0, t->conjugate, 1, sum);
}

// Adds to y what rows first..end-1 of M bring to M.'*x.
static void I (scatter) (const gla_cpu_spmv_task *t, int64_t first, int64_t end)
{
  const gla_spmv_matrix *M = &t->sparse->M;
  const GLA_INDEX *start = M->csr.start, *index = M->csr.index;
  const GLA_REAL *values = M->csr.values, *x = t->x;
  GLA_REAL *y = t->y;
  const int conjugate = t->conjugate, pattern = M->pattern;
  const GLA_REAL one[2] = {(GLA_REAL)M->value[0], (GLA_REAL)M->value[1]};
  for (int64_t i = first; i < end; i++)
    for (int64_t k = start[i]; k < start[i + 1]; k++)
      N (add_entry)
  (y + index[k] * GLA_PARTS, pattern ? one : values + k * GLA_PARTS, x + i * GLA_PARTS, 1, 0,
   conjugate);
}

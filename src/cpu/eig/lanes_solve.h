// lanes_solve_template.h: solves pages that stand side by side in lanes and writes them back
// SPDX-License-Identifier: GPL-3.0-or-later

// Workspace of a thread: for Jacobi one register of pages, for QL one or two.
typedef struct {
  N (num) * a[2], *tau[2], *v, *cross, *work;
  N (vec) * d[2];
  N (ql_group) q[2];
  GLA_REAL *scratch;
  int *order, *place; // n per page; n
} N (lanes_work);

static void N (lanes_layout_qr) (char *base, size_t *at, const gla_eig_job *job, int g,
                                 N (lanes_work) * w)
{
  const size_t n = (size_t)job->n;
  N (ql_group) *q = &w->q[g];
  w->tau[g] = gla_carve (base, at, n * sizeof (N (num)));
  q->d = w->d[g];
  q->e = gla_carve (base, at, n * sizeof (N (vec)));
  q->turns = gla_carve (base, at, N (ql_sweeps) * n * sizeof (N (turn)));
  q->ldz = N (ql_row_length) ((int)n);
  if (job->vectors)
    q->z = gla_carve (base, at, n * (size_t)q->ldz * sizeof (N (vec)));
}

// Lays the workspace for so many pages out from `base` (NULL: only counts) and returns its bytes.
static size_t N (lanes_layout) (char *base, const gla_eig_job *job, int jacobi, int pages,
                                N (lanes_work) * w)
{
  const size_t n = (size_t)job->n;
  size_t at = 0;
  memset (w, 0, sizeof *w);
  for (int g = 0; g * GLA_LANES < pages; g++) {
    w->a[g] = gla_carve (base, &at, n * n * sizeof (N (num)));
    w->d[g] = gla_carve (base, &at, n * sizeof (N (vec)));
    if (!jacobi)
      N (lanes_layout_qr) (base, &at, job, g, w);
  }
  if (jacobi)
    w->v = job->vectors ? gla_carve (base, &at, n * n * sizeof (N (num))) : NULL;
  else {
    w->work = gla_carve (base, &at, 4 * (n + 3) * sizeof (N (num)));
    w->cross = gla_carve (base, &at, n * sizeof (N (num)));
    w->scratch = gla_carve (base, &at, 2 * n * sizeof (GLA_REAL));
  }
  w->order = gla_carve (base, &at, GLA_LANES * n * sizeof (int));
  w->place = gla_carve (base, &at, n * sizeof (int));
  return at;
}

//------------------------------------------------------------------------------
// QL
//------------------------------------------------------------------------------

// How many eigenvalues of lane l did not converge.
static int N (unconverged) (int n, const N (ql_group) * q, int l)
{
  int count = 0;
  for (int i = 0; i + 1 < n; i++)
    count += q->e[i][l] != 0;
  return count;
}

// Vectors j..j+count-1 of QL: transforms them back and writes them where the order wants them.
static void N (store_strip) (gla_cpu_task *task, const N (lanes_work) * w, int g, int64_t first,
                             int j, int count, const int *live)
{
  const int n = (int)task->job->n;
  const gla_array *V = &task->chunk->V;
  N (num) *y = w->work;
  for (int c = 0; c < count; c++)
    for (int i = 0; i < n; i++)
      y[i + c * n] = N (from_real) (w->q[g].z[i + (j + c) * w->q[g].ldz]);
  N (back_transform) (n, w->a[g], w->tau[g], w->cross, y, count);
  for (int l = 0; l < GLA_LANES; l++)
    for (int c = 0; live[l] && c < count; c++) {
      const int64_t to = (first + l) * V->page_stride + w->order[l * n + j + c] * V->column_stride;
      N (store_column)
      ((GLA_REAL *)V->data + to * GLA_PARTS, (const GLA_REAL *)(y + c * n) + l, n,
       GLA_PARTS * GLA_LANES, GLA_LANES);
    }
}

// Pages first..first+count-1 from group g. `order` is turned into the place that each vector gets.
static void N (store_group) (gla_cpu_task *task, const N (lanes_work) * w, int g, int64_t first,
                             int count, N (scaling) * s)
{
  const int n = (int)task->job->n;
  int live[GLA_LANES] = {0}, some = 0, *place = w->place;
  for (int l = 0; l < count; l++) {
    int *order = w->order + l * n;
    if (s[l].info == 0)
      s[l].info = N (unconverged) (n, &w->q[g], l);
    live[l] =
        N (store_values) (task, first + l, &s[l], (const GLA_REAL *)w->d[g] + l, GLA_LANES, order);
    some |= live[l];
    for (int k = 0; live[l] && k < n; k++)
      place[order[k]] = k;
    if (live[l])
      memcpy (order, place, (size_t)n * sizeof *place);
  }
  if (some)
    N (back_prepare) (n, w->a[g], w->cross);
  for (int j = 0; some && j < n; j += N (back_columns)) {
    if (n > GLA_UNASKED && gla_cpu_task_stopped (task))
      return;
    N (store_strip)
    (task, w, g, first, j, n - j < N (back_columns) ? n - j : N (back_columns), live);
  }
}

// Up to two registers of pages, because QL runs better on two.
static void N (solve_lanes_qr) (gla_cpu_task *task, int64_t first, int count)
{
  const int n = (int)task->job->n, groups = (count + GLA_LANES - 1) / GLA_LANES;
  N (lanes_work) w;
  N (lanes_layout) (task->work, task->job, 0, count, &w);
  N (scaling) s[2 * GLA_LANES];
  for (int g = 0; g < groups; g++) {
    int left = count - g * GLA_LANES, lanes = left < GLA_LANES ? left : GLA_LANES;
    N (load_group) (task, first + g * GLA_LANES, lanes, w.a[g], s + g * GLA_LANES);
    N (tridiagonalise) (n, w.a[g], w.d[g], w.q[g].e, w.tau[g], w.work);
    N (ql_begin) (n, &w.q[g], (GLA_REAL)task->job->tol, task->job->maxit, w.scratch);
  }
  N (ql_lanes) (task, groups, w.q);
  for (int g = 0; g < groups; g++) {
    if (n > GLA_UNASKED && gla_cpu_task_stopped (task))
      return;
    int left = count - g * GLA_LANES, lanes = left < GLA_LANES ? left : GLA_LANES;
    N (store_group) (task, &w, g, first + g * GLA_LANES, lanes, s + g * GLA_LANES);
  }
}

//------------------------------------------------------------------------------
// Jacobi
//------------------------------------------------------------------------------

static void N (solve_lanes_jacobi) (gla_cpu_task *task, int64_t first, int count)
{
  const int n = (int)task->job->n;
  N (lanes_work) w;
  N (lanes_layout) (task->work, task->job, 1, count, &w);
  N (scaling) s[GLA_LANES];
  int unconverged[GLA_LANES];
  N (vec) *d = w.d[0];
  N (load_group) (task, first, count, w.a[0], s);
  N (jacobi) (n, w.a[0], w.v, (GLA_REAL)task->job->tol, task->job->maxit, unconverged);
  for (int i = 0; i < n; i++)
    d[i] = w.a[0][i + i * n].re;

  for (int l = 0; l < count; l++) {
    N (result)
    r = {(const GLA_REAL *)d + l, NULL, GLA_LANES, n, GLA_PARTS * GLA_LANES, GLA_LANES};
    if (w.v)
      r.v = (const GLA_REAL *)w.v + l;
    if (s[l].info == 0)
      s[l].info = unconverged[l];
    N (store) (task, first + l, &s[l], r, w.order);
  }
}

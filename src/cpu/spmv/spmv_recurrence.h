// krylov_rows_template.h: a few long vectors and a basis, some rows of them, for one real type
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The BLAS copies both factors of a product before it multiplies them, which for a few vectors
// takes longer than the product. Here the basis is read once, from where it is, by two columns at a
// time; the vectors stay in a cache meanwhile. Every sum has its order by rows alone.

typedef GLA_REAL N (some)
    __attribute__ ((vector_size (GLA_VECTOR_BYTES), may_alias, aligned (sizeof (GLA_REAL))));

// Rows that stay in a cache; columns of V and W in a tile.
enum { N (rows_near) = 4096 / sizeof (GLA_REAL), N (tile_v) = 2, N (tile_w) = 4 };
// Columns of a large matrix may all begin at the same place of a cache; copies of the vectors' rows
// stand this far apart instead.
enum { N (ldw) = N (rows_near) + 2 * GLA_LANES };

// Asks for row i of the columns that are read next (where there are any): the processor itself
// looks ahead in one page of memory only.
static inline __attribute__ ((always_inline)) void N (ask) (const GLA_REAL *next, int64_t n,
                                                            int64_t i, int nv)
{
  if (next == NULL)
    return;
  for (int v = 0; v < nv; v++)
    __builtin_prefetch (next + v * n + i);
}

// out += V'*W for nv x nw columns
static inline __attribute__ ((always_inline)) void
N (project_tile) (const GLA_REAL *V, int64_t n, int64_t rows, int nv, const GLA_REAL *W, int nw,
                  GLA_REAL *out, int64_t ldo, const GLA_REAL *next)
{
  N (some) sum[N (tile_v) * N (tile_w)] = {{0}};
  int64_t i = 0;
  for (; i + GLA_LANES <= rows; i += GLA_LANES) {
    N (ask) (next, n, i, nv);
    for (int v = 0; v < nv; v++)
      for (int c = 0; c < nw; c++)
        sum[v + c * nv] +=
            *(const N (some) *)(V + v * n + i) * *(const N (some) *)(W + c * N (ldw) + i);
  }
  for (int v = 0; v < nv; v++)
    for (int c = 0; c < nw; c++) {
      GLA_REAL all = 0;
      for (int l = 0; l < GLA_LANES; l++)
        all += sum[v + c * nv][l];
      for (int64_t r = i; r < rows; r++)
        all += V[v * n + r] * W[c * N (ldw) + r];
      out[v + c * ldo] += all;
    }
}

// W -= V*F for nv x nw columns
static inline __attribute__ ((always_inline)) void
N (subtract_tile) (const GLA_REAL *V, int64_t n, int64_t rows, int nv, const GLA_REAL *F,
                   int64_t ldf, GLA_REAL *W, int nw, const GLA_REAL *next)
{
  int64_t i = 0;
  for (; i + GLA_LANES <= rows; i += GLA_LANES) {
    N (ask) (next, n, i, nv);
    for (int c = 0; c < nw; c++) {
      N (some) *w = (N (some) *)(W + c * N (ldw) + i);
      N (some) x = *w;
      for (int v = 0; v < nv; v++)
        x -= F[v + c * ldf] * *(const N (some) *)(V + v * n + i);
      *w = x;
    }
  }
  for (; i < rows; i++)
    for (int c = 0; c < nw; c++)
      for (int v = 0; v < nv; v++)
        W[c * N (ldw) + i] -= F[v + c * ldf] * V[v * n + i];
}

//------------------------------------------------------------------------------
// tiles of any number of columns
//------------------------------------------------------------------------------

static inline __attribute__ ((always_inline)) void
N (project_columns) (const GLA_REAL *V, int64_t n, int64_t rows, int nv, const GLA_REAL *W,
                     int64_t nw, GLA_REAL *out, int64_t ldo, const GLA_REAL *next)
{
  for (; nw >= N (tile_w); nw -= N (tile_w), W += N (tile_w) * N (ldw), out += N (tile_w) * ldo) {
    N (project_tile) (V, n, rows, nv, W, N (tile_w), out, ldo, next);
    next = NULL;
  }
  switch (nw) {
  case 1:
    N (project_tile) (V, n, rows, nv, W, 1, out, ldo, next);
    break;
  case 2:
    N (project_tile) (V, n, rows, nv, W, 2, out, ldo, next);
    break;
  case 3:
    N (project_tile) (V, n, rows, nv, W, 3, out, ldo, next);
    break;
  }
}

static inline __attribute__ ((always_inline)) void
N (subtract_columns) (const GLA_REAL *V, int64_t n, int64_t rows, int nv, const GLA_REAL *F,
                      int64_t ldf, GLA_REAL *W, int64_t nw, const GLA_REAL *next)
{
  for (; nw >= N (tile_w); nw -= N (tile_w), W += N (tile_w) * N (ldw), F += N (tile_w) * ldf) {
    N (subtract_tile) (V, n, rows, nv, F, ldf, W, N (tile_w), next);
    next = NULL;
  }
  switch (nw) {
  case 1:
    N (subtract_tile) (V, n, rows, nv, F, ldf, W, 1, next);
    break;
  case 2:
    N (subtract_tile) (V, n, rows, nv, F, ldf, W, 2, next);
    break;
  case 3:
    N (subtract_tile) (V, n, rows, nv, F, ldf, W, 3, next);
    break;
  }
}

//------------------------------------------------------------------------------
// the functions of the table
//------------------------------------------------------------------------------

// The two columns that are read after column j, perhaps `down` rows below; NULL at the end.
static const GLA_REAL *N (after) (const GLA_REAL *V, int64_t n, int64_t j, int64_t p, int64_t down)
{
  if (j + 2 * N (tile_v) <= p)
    return V + (j + N (tile_v)) * n;
  return down > 0 ? V + down : NULL;
}

// Columns from (leading dimension n) to the copy W.
static void N (near_rows) (const GLA_REAL *from, int64_t n, int64_t rows, int width, GLA_REAL *W)
{
  for (int c = 0; c < width; c++)
    memcpy (W + c * N (ldw), from + c * n, (size_t)rows * sizeof *W);
}

static void N (project_rows) (const void *basis, int64_t n, int64_t rows, int64_t p,
                              const void *vectors, int width, void *result)
{
  GLA_REAL *out = result;
  memset (out, 0, (size_t)(p * width) * sizeof *out);
  for (int64_t first = 0; first < rows; first += N (rows_near)) {
    const int64_t left = rows - first, here = left < N (rows_near) ? left : N (rows_near);
    const GLA_REAL *V = (const GLA_REAL *)basis + first;
    GLA_REAL W[N (ldw) * GLA_SPMV_WIDTH];
    int64_t j = 0;
    N (near_rows) ((const GLA_REAL *)vectors + first, n, here, width, W);
    for (; j + N (tile_v) <= p; j += N (tile_v))
      N (project_columns)
    (V + j * n, n, here, N (tile_v), W, width, out + j, p,
     N (after) (V, n, j, p, first + here < rows ? here : 0));
    if (j < p)
      N (project_columns) (V + j * n, n, here, 1, W, width, out + j, p, NULL);
  }
}

// W = W*R^-1
static void N (divide_rows) (GLA_REAL *W, int64_t rows, const GLA_REAL *R, int width)
{
  for (int c = 0; c < width; c++) {
    const GLA_REAL factor = 1 / R[c + c * width];
    for (int v = 0; v < c; v++)
      N (subtract_tile)
    (W + v * N (ldw), N (ldw), rows, 1, R + v + c * width, width, W + c * N (ldw), 1, NULL);
    for (int64_t i = 0; i < rows; i++)
      W[c * N (ldw) + i] *= factor;
  }
}

static void N (subtract_rows) (const void *basis, int64_t n, int64_t rows, int64_t p,
                               const void *factor, const void *R, void *vectors, int width)
{
  const GLA_REAL *F = factor;
  for (int64_t first = 0; first < rows; first += N (rows_near)) {
    const int64_t left = rows - first, here = left < N (rows_near) ? left : N (rows_near);
    const GLA_REAL *V = (const GLA_REAL *)basis + first;
    GLA_REAL W[N (ldw) * GLA_SPMV_WIDTH], *to = (GLA_REAL *)vectors + first;
    int64_t j = 0;
    N (near_rows) (to, n, here, width, W);
    for (; j + N (tile_v) <= p; j += N (tile_v))
      N (subtract_columns)
    (V + j * n, n, here, N (tile_v), F + j, p, W, width,
     N (after) (V, n, j, p, first + here < rows ? here : 0));
    if (j < p)
      N (subtract_columns) (V + j * n, n, here, 1, F + j, p, W, width, NULL);
    if (R != NULL)
      N (divide_rows) (W, here, R, width);
    for (int c = 0; c < width; c++)
      memcpy (to + c * n, W + c * N (ldw), (size_t)here * sizeof *W);
  }
}

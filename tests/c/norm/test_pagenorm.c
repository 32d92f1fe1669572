// test_pagenorm.c: norms of pages against long double; strides, NaN, the ends of the range
// SPDX-License-Identifier: GPL-3.0-or-later

#include "frame/check.h"

enum { LARGEST = 40, PAGES = 70 };

static const gla_type types[] = {GLA_TYPE_S, GLA_TYPE_D, GLA_TYPE_C, GLA_TYPE_Z};
static const gla_norm norms[] = {GLA_NORM_FRO, GLA_NORM_ONE, GLA_NORM_INF, GLA_NORM_TWO};
static double complex memory[LARGEST * LARGEST * PAGES];
static double results[2 * PAGES];

static void store (gla_type type, int64_t at, double complex x)
{
  if (type == GLA_TYPE_S)
    ((float *)memory)[at] = (float)creal (x);
  else if (type == GLA_TYPE_D)
    ((double *)memory)[at] = creal (x);
  else if (type == GLA_TYPE_C)
    ((float complex *)memory)[at] = (float complex)x;
  else
    memory[at] = x;
}

static long double complex element (gla_type type, int64_t at)
{
  if (type == GLA_TYPE_S)
    return ((float *)memory)[at];
  if (type == GLA_TYPE_D)
    return ((double *)memory)[at];
  return type == GLA_TYPE_C ? (long double complex) ((float complex *)memory)[at]
                            : (long double complex)memory[at];
}

static double result_at (gla_type type, int64_t at)
{
  return gla_type_real (type) == GLA_TYPE_S ? (double)((float *)results)[at] : results[at];
}

// Makes columns x and y orthogonal; returns their product before that.
static long double rotate (long double complex *x, long double complex *y, int64_t rows)
{
  long double xx = 0, yy = 0;
  long double complex xy = 0;
  for (int64_t i = 0; i < rows; i++) {
    xx += creall (x[i] * conjl (x[i]));
    yy += creall (y[i] * conjl (y[i]));
    xy += conjl (x[i]) * y[i];
  }
  const long double size = cabsl (xy);
  if (size <= 1e-4000L)
    return 0;
  const long double zeta = (yy - xx) / (2 * size);
  const long double t = (zeta < 0 ? -1 : 1) / (fabsl (zeta) + sqrtl (1 + zeta * zeta));
  const long double c = 1 / sqrtl (1 + t * t);
  const long double complex phase = xy / size;
  for (int64_t i = 0; i < rows; i++) {
    const long double complex a = x[i] * phase, b = y[i];
    x[i] = c * (a - t * b);
    y[i] = c * (t * a + b);
  }
  return size;
}

// The largest singular value, by one-sided Jacobi rotations.
static long double expected_two (const gla_array *A, int64_t page)
{
  static long double complex w[LARGEST * LARGEST];
  const int wide = A->rows < A->columns;
  const int64_t m = wide ? A->columns : A->rows, n = wide ? A->rows : A->columns;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++)
      w[j * m + i] = element (A->type, page * A->page_stride + (wide ? i : j) * A->column_stride +
                                           (wide ? j : i));
  long double worst = INFINITY, largest = 0, all = 0;
  for (int64_t k = 0; k < m * n; k++)
    all += creall (w[k] * conjl (w[k]));
  for (int sweep = 0; sweep < 40 && worst > 1e-17L * all; sweep++) {
    worst = 0;
    for (int64_t j = 0; j < n; j++)
      for (int64_t k = j + 1; k < n; k++) {
        const long double product = rotate (w + j * m, w + k * m, m);
        worst = product > worst ? product : worst;
      }
  }
  CHECK (worst <= 1e-17L * all, "no convergence: %Lg of %Lg", worst, all);
  for (int64_t j = 0; j < n; j++) {
    long double squares = 0;
    for (int64_t i = 0; i < m; i++)
      squares += creall (w[j * m + i] * conjl (w[j * m + i]));
    largest = squares > largest ? squares : largest;
  }
  return sqrtl (largest);
}

// The norm of a page as the definition has it.
static long double expected (const gla_array *A, gla_norm norm, int64_t page)
{
  if (norm == GLA_NORM_TWO)
    return expected_two (A, page);
  const int by_rows = norm == GLA_NORM_INF;
  const int64_t outer = by_rows ? A->rows : A->columns, inner = by_rows ? A->columns : A->rows;
  long double most = 0, squares = 0;
  for (int64_t o = 0; o < outer; o++) {
    long double sum = 0;
    for (int64_t k = 0; k < inner; k++) {
      const int64_t i = by_rows ? o : k, j = by_rows ? k : o;
      const long double x =
          cabsl (element (A->type, page * A->page_stride + j * A->column_stride + i));
      sum += x;
      squares += x * x;
    }
    most = sum > most ? sum : most;
  }
  return norm == GLA_NORM_FRO ? sqrtl (squares) : most;
}

static void check_pages (gla_context *ctx, const gla_array *A, gla_norm norm, int64_t stride)
{
  gla_array to =
      gla_array_packed (results, gla_type_real (A->type), 1, 1, A->pages, GLA_DEVICE_HOST);
  to.page_stride = stride;
  memset (results, 0x55, sizeof results);
  const gla_status status = gla_pagenorm (ctx, A, norm, &to, NULL);
  CHECK (status == GLA_OK, "%c %lldx%lld norm %d: %s", (char)A->type, (long long)A->rows,
         (long long)A->columns, (int)norm, gla_message (ctx));
  double worst = 0;
  const int64_t step = norm == GLA_NORM_TWO ? 9 : 1; // what is expected takes long
  for (int64_t p = 0; p < A->pages; p += step) {
    const double right = (double)expected (A, norm, p), got = result_at (A->type, p * stride);
    worst = check_worst (worst, right > 0 ? fabs (got - right) / right : fabs (got));
  }
  // half a unit for the result, and as much for each of the sums, which are in double but for the
  // products of the 2-norm
  const double bound = gla_type_real (A->type) == GLA_TYPE_S && norm != GLA_NORM_TWO
                           ? FLT_EPSILON
                           : (double)(A->rows + A->columns + 4) * gla_type_eps (A->type);
  CHECK (worst <= bound, "%c %lldx%lld norm %d: off by %g", (char)A->type, (long long)A->rows,
         (long long)A->columns, (int)norm, worst);
}

static void check_whole_numbers (gla_context *ctx, const gla_array *A, gla_norm norm, double unit)
{
  const gla_type real = gla_type_real (A->type);
  const gla_array to = gla_array_packed (results, real, 1, 1, A->pages, GLA_DEVICE_HOST);
  CHECK (gla_pagenorm (ctx, A, norm, &to, NULL) == GLA_OK, "%s", gla_message (ctx));
  for (int64_t p = 0; p < A->pages; p += 9) {
    const long double right = expected (A, norm, p);
    CHECK (fabsl (result_at (A->type, p) - right) <= (long double)unit, "%c norm %d: %g, not %Lg",
           (char)A->type, (int)norm, result_at (A->type, p), right);
  }
}

static void test_sizes (gla_context *ctx)
{
  static const int64_t sizes[][2] = {{1, 1}, {1, 9}, {9, 1}, {5, 7}, {33, 40}, {40, 3},
                                     {0, 4}, {4, 0}, {2, 2}, {4, 4}, {3, 2}};
  unsigned long long seed = 7;
  for (int t = 0; t < 4; t++)
    for (int s = 0; s < (int)(sizeof sizes / sizeof *sizes); s++) {
      gla_array A =
          gla_array_packed (memory, types[t], sizes[s][0], sizes[s][1], PAGES, GLA_DEVICE_HOST);
      A.column_stride = LARGEST;
      A.page_stride = LARGEST * LARGEST;
      for (int64_t k = 0; k < LARGEST * LARGEST * PAGES; k++)
        store (types[t], k, check_random (&seed) + check_random (&seed) * I);
      for (int k = 0; k < 4; k++) {
        check_pages (ctx, &A, norms[k], 1);
        check_pages (ctx, &A, norms[k], 2);
      }
    }
}

// Squares of these overflow or vanish. The smallest ones have no bits to spare for a root, so the
// norms of such pages are whole numbers of them but for 1.
static void test_range (gla_context *ctx)
{
  static const double scales[] = {1e300, 1e-300, 1e-315, 5e-324};
  for (int t = 0; t < 4; t++) {
    const int is_single = gla_type_real (types[t]) == GLA_TYPE_S;
    const gla_array A = gla_array_packed (memory, types[t], 6, 5, PAGES, GLA_DEVICE_HOST);
    for (int s = 0; s < 4; s++) {
      const double scale = is_single && s < 2 ? cbrt (cbrt (scales[s])) * (s ? 1e-4 : 1e3)
                           : is_single        ? (double)FLT_TRUE_MIN
                                              : scales[s];
      for (int64_t k = 0; k < 30 * PAGES; k++)
        store (types[t], k,
               scale * (double)(1 + k % 3) *
                   (k % 2                            ? 1
                    : gla_type_is_complex (types[t]) ? I
                                                     : -1));
      for (int k = 0; k < 4; k++)
        if (s < 2)
          check_pages (ctx, &A, norms[k], 1);
        else
          check_whole_numbers (ctx, &A, norms[k], is_single ? (double)FLT_TRUE_MIN : 5e-324);
    }
  }
}

// The pages are scaled one by one: the pages beside them does not change their bits.
static void test_mixed_range (gla_context *ctx)
{
  static double alone[PAGES];
  for (int t = 0; t < 4; t++) {
    gla_array A = gla_array_packed (memory, types[t], 6, 5, PAGES, GLA_DEVICE_HOST);
    const gla_type real = gla_type_real (types[t]);
    const gla_array to = gla_array_packed (results, real, 1, 1, PAGES, GLA_DEVICE_HOST);
    const gla_array one = gla_array_packed (alone, real, 1, 1, 1, GLA_DEVICE_HOST);
    const double big = real == GLA_TYPE_S ? 1e30 : 1e300;
    unsigned long long seed = 3;
    for (int64_t k = 0; k < 30 * PAGES; k++)
      store (types[t], k,
             (check_random (&seed) + check_random (&seed) * I) * (k / 30 % 3 == 0   ? big
                                                                  : k / 30 % 3 == 1 ? 1
                                                                                    : 1 / big));
    for (int k = 0; k < 4; k++) {
      CHECK (gla_pagenorm (ctx, &A, norms[k], &to, NULL) == GLA_OK, "%s", gla_message (ctx));
      for (int64_t p = 0; p < PAGES; p++) {
        gla_array page = A;
        page.data = (char *)A.data + (size_t)(30 * p) * gla_type_size (A.type);
        page.pages = 1;
        CHECK (gla_pagenorm (ctx, &page, norms[k], &one, NULL) == GLA_OK, "%s", gla_message (ctx));
        CHECK (memcmp ((char *)results + (size_t)p * gla_type_size (real), alone,
                       gla_type_size (real)) == 0,
               "%c norm %d, page %lld", (char)types[t], (int)norms[k], (long long)p);
      }
    }
  }
}

// diag (x, x) has the Frobenius norm sqrt (2)*x, which overflows, and the 2-norm x.
static void test_largest (gla_context *ctx)
{
  for (int t = 0; t < 4; t++) {
    const gla_type real = gla_type_real (types[t]);
    const gla_array A = gla_array_packed (memory, types[t], 2, 2, 1, GLA_DEVICE_HOST);
    const gla_array to = gla_array_packed (results, real, 1, 1, 1, GLA_DEVICE_HOST);
    const double x = real == GLA_TYPE_S ? 0x1p127 : 0x1p1023;
    for (int64_t k = 0; k < 4; k++)
      store (types[t], k, k % 3 == 0 ? x : 0);
    CHECK (gla_pagenorm (ctx, &A, GLA_NORM_TWO, &to, NULL) == GLA_OK, "%s", gla_message (ctx));
    CHECK (result_at (types[t], 0) == x, "%c: %g", (char)types[t], result_at (types[t], 0));
  }
}

// NaN and Inf stay on their pages, and NaN wins over Inf.
static void test_not_finite (gla_context *ctx)
{
  for (int t = 0; t < 4; t++) {
    const gla_array A = gla_array_packed (memory, types[t], 4, 3, 4, GLA_DEVICE_HOST);
    const gla_array to =
        gla_array_packed (results, gla_type_real (types[t]), 1, 1, 4, GLA_DEVICE_HOST);
    for (int64_t k = 0; k < 48; k++)
      store (types[t], k, 1);
    store (types[t], 12 + 5, NAN);
    store (types[t], 24 + 11, -INFINITY);
    store (types[t], 36, INFINITY);
    store (types[t], 36 + 11, NAN);
    for (int k = 0; k < 4; k++) {
      CHECK (gla_pagenorm (ctx, &A, norms[k], &to, NULL) == GLA_OK, "%s", gla_message (ctx));
      CHECK (result_at (types[t], 0) > 2 && result_at (types[t], 0) < 5, "page 0");
      CHECK (isnan (result_at (types[t], 1)), "NaN, norm %d", k);
      if (norms[k] == GLA_NORM_TWO)
        CHECK (isnan (result_at (types[t], 2)), "Inf, 2-norm");
      else
        CHECK (result_at (types[t], 2) == INFINITY, "Inf, norm %d", k);
      CHECK (isnan (result_at (types[t], 3)), "NaN and Inf, norm %d", k);
    }
  }
}

static void test_arguments (gla_context *ctx)
{
  gla_array A = gla_array_packed (memory, GLA_TYPE_D, 4, 3, 5, GLA_DEVICE_HOST);
  gla_array to = gla_array_packed (results, GLA_TYPE_D, 1, 1, 5, GLA_DEVICE_HOST), bad = to;
  gla_pagenorm_report report = {.base.size = sizeof report};
  CHECK (gla_pagenorm (NULL, &A, GLA_NORM_ONE, &to, NULL) == GLA_ERROR_BAD_ARGUMENT, "no context");
  check_refused (ctx, gla_pagenorm (ctx, NULL, GLA_NORM_FRO, &to, NULL), "A must not be NULL");
  check_refused (ctx, gla_pagenorm (ctx, &A, GLA_NORM_FRO, NULL, NULL), "norms must not be NULL");
  CHECK (gla_pagenorm (ctx, &A, (gla_norm)9, &to, NULL) == GLA_ERROR_BAD_ARGUMENT, "norm 9");
  const size_t unset[] = {0, 3, (size_t)1 << 40};
  for (int k = 0; k < 3; k++) {
    gla_pagenorm_report strange = {.base.size = unset[k]};
    check_refused (ctx, gla_pagenorm (ctx, &A, GLA_NORM_ONE, &to, &strange), "size of");
  }
  bad.type = GLA_TYPE_S;
  CHECK (gla_pagenorm (ctx, &A, GLA_NORM_ONE, &bad, NULL) == GLA_ERROR_BAD_ARGUMENT, "type");
  bad = to;
  bad.pages = 4;
  CHECK (gla_pagenorm (ctx, &A, GLA_NORM_ONE, &bad, NULL) == GLA_ERROR_BAD_ARGUMENT, "pages");
  bad = to;
  bad.data = (double *)memory + 3;
  CHECK (gla_pagenorm (ctx, &A, GLA_NORM_ONE, &bad, NULL) == GLA_ERROR_BAD_ARGUMENT, "overlap");
  CHECK (gla_message (ctx)[0] != '\0', "no message");
  bad = A;
  bad.device = to.device = 0;
  CHECK (gla_pagenorm (ctx, &bad, GLA_NORM_TWO, &to, NULL) == GLA_ERROR_BAD_ARGUMENT, "on a GPU");
  CHECK (strstr (gla_message (ctx), "on the host") != NULL, "%s", gla_message (ctx));
  to.device = GLA_DEVICE_HOST;
  CHECK (gla_pagenorm (ctx, &A, GLA_NORM_ONE, &to, &report) == GLA_OK, "%s", gla_message (ctx));
  CHECK (report.base.device == GLA_DEVICE_HOST && report.base.chunk_pages == 5, "report: %d, %lld",
         report.base.device, (long long)report.base.chunk_pages);
  A.pages = to.pages = 0;
  CHECK (gla_pagenorm (ctx, &A, GLA_NORM_ONE, &to, &report) == GLA_OK &&
             report.base.chunk_pages == 0,
         "no pages");
}

typedef struct {
  int64_t done, total;
  int backwards, stop;
} watched;

static void watch (void *user, int64_t done, int64_t total)
{
  watched *w = user;
  w->backwards |= done < w->done;
  w->done = done;
  w->total = total;
}

static int stop (void *user)
{
  return ((const watched *)user)->stop;
}

// The 2-norm is several calls inside of one: they count as one, and end when the user wants it.
static void test_callbacks (gla_context *ctx)
{
  enum { ORDER = 200, COUNT = 120 }; // several groups
  double *data = malloc (sizeof *data * ORDER * ORDER * COUNT);
  const gla_array A = gla_array_packed (data, GLA_TYPE_D, ORDER, ORDER, COUNT, GLA_DEVICE_HOST);
  double values[COUNT];
  const gla_array to = gla_array_packed (values, GLA_TYPE_D, 1, 1, COUNT, GLA_DEVICE_HOST);
  unsigned long long seed = 5;
  watched w = {0};
  for (int64_t k = 0; k < ORDER * ORDER * COUNT; k++)
    data[k] = check_random (&seed);
  gla_set_progress (ctx, watch, &w);
  gla_set_stop (ctx, stop, &w);
  CHECK (gla_pagenorm (ctx, &A, GLA_NORM_TWO, &to, NULL) == GLA_OK, "%s", gla_message (ctx));
  CHECK (w.done == COUNT && w.total == COUNT && !w.backwards, "progress: %lld of %lld, %d",
         (long long)w.done, (long long)w.total, w.backwards);
  w = (watched){.stop = 1};
  CHECK (gla_pagenorm (ctx, &A, GLA_NORM_TWO, &to, NULL) == GLA_ERROR_STOPPED, "not stopped");
  w = (watched){0};
  CHECK (gla_pagenorm (ctx, &A, GLA_NORM_FRO, &to, NULL) == GLA_OK, "%s", gla_message (ctx));
  CHECK (w.done == COUNT, "the progress function was not put back");
  gla_set_progress (ctx, NULL, NULL);
  gla_set_stop (ctx, NULL, NULL);
  free (data);
}

static void test_all (gla_context *ctx, gla_place place)
{
  CHECK (gla_set_place (ctx, place, NULL, 0) == GLA_OK, "%s", gla_message (ctx));
  test_sizes (ctx);
  test_range (ctx);
  test_mixed_range (ctx);
  test_largest (ctx);
  test_not_finite (ctx);
}

int main (void)
{
  gla_context *ctx = NULL;
  CHECK (gla_context_create (&ctx) == GLA_OK, "context");
  test_all (ctx, GLA_PLACE_CPU);
  test_arguments (ctx);
  test_callbacks (ctx);
  if (gla_device_count (ctx) > 0)
    test_all (ctx, GLA_PLACE_GPU);
  gla_context_destroy (ctx);
  return check_report ("test_pagenorm");
}

// solve_triangle_template.h: X = R \ X of one page, and whether R tells the rank without doubt
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rank is judged with the columns of R brought to one length, S = R*D^-1: so a column that is
// much shorter than the others counts in full. |S^-1| is at most the sum of d.*z, where z solves
// with the comparison matrix of R (Higham 2002, section 8.3) and d has the sums of moduli in the
// columns; that costs as much as a right-hand side. Where this bound is too large, |S^-1| is
// estimated by inverse iteration.

// Columns up to which loops stay scalar, and up to which the bound is looked at: beyond that it is
// seldom small enough. Elements of X from which the BLAS solves; iterations.
enum {
  N (scalar_triangle) = 8,
  N (bound_triangle) = GLA_SINGLE ? 24 : 256,
  N (blas_elements) = 4096,
  N (inverse_iterations) = 3
};

typedef struct {
  GLA_REAL *size, *bound; // n: d, and z
  GLA_REAL *y;            // n elements: the vector that is iterated
} N (triangle_work);

static size_t N (triangle_layout) (char *base, const gla_pages_job *job, N (triangle_work) * w)
{
  const size_t n = (size_t)job->X.rows;
  size_t at = 0;
  w->size = gla_carve (base, &at, n * sizeof (GLA_REAL));
  w->bound = gla_carve (base, &at, n * sizeof (GLA_REAL));
  w->y = gla_carve (base, &at, n * GLA_PARTS * sizeof (GLA_REAL));
  return at;
}

static inline const GLA_REAL *N (column_at) (const gla_array *a, int64_t page, int64_t j)
{
  return (const GLA_REAL *)a->data + (page * a->page_stride + j * a->column_stride) * GLA_PARTS;
}

static inline GLA_REAL *N (column_of) (const gla_array *a, int64_t page, int64_t j)
{
  return (GLA_REAL *)a->data + (page * a->page_stride + j * a->column_stride) * GLA_PARTS;
}

// At least |x|, at most sqrt (2) times that.
static inline GLA_REAL N (modulus_of) (const GLA_REAL *x, int64_t i)
{
  return GLA_COMPLEX ? GLA_ABS (x[GLA_PARTS * i]) + GLA_ABS (x[GLA_PARTS * i + GLA_COMPLEX])
                     : GLA_ABS (x[i]);
}

// y = y - t*x
static inline void N (subtract) (int64_t count, N (el) t, const GLA_REAL *x, GLA_REAL *y)
{
#if GLA_COMPLEX
  const GLA_REAL re = __real__ t, im = __imag__ t;
#pragma omp simd
  for (int64_t i = 0; i < count; i++) {
    const GLA_REAL xr = x[2 * i], xi = x[2 * i + 1];
    y[2 * i] -= re * xr - im * xi;
    y[2 * i + 1] -= re * xi + im * xr;
  }
#else
#pragma omp simd
  for (int64_t i = 0; i < count; i++)
    y[i] -= t * x[i];
#endif
}

// x = R \ x for one column; count: of the columns of R that take part. The diagonal is real.
static inline void N (back) (int64_t count, const GLA_REAL *R, int64_t ldr, GLA_REAL *x)
{
  for (int64_t k = count - 1; k >= 0; k--) {
    const GLA_REAL *c = R + k * ldr * GLA_PARTS;
    const N (el) t = N (make) (x[k * GLA_PARTS] / c[k * GLA_PARTS],
                               GLA_COMPLEX ? x[k * GLA_PARTS + GLA_COMPLEX] / c[k * GLA_PARTS] : 0);
    ((N (el) *)x)[k] = t;
    N (subtract) (k, t, c, x);
  }
}

// x = R \ x of one column, and the bound of |S^-1|, which is NaN where R holds NaN or Inf. No
// vector unit, which short columns only hold up.
static inline GLA_REAL N (back_and_bound_small) (int64_t n, const GLA_REAL *R, int64_t ldr,
                                                 GLA_REAL *x, GLA_REAL *z, GLA_REAL *size)
{
  GLA_REAL total = 0;
  for (int64_t k = 0; k < n; k++)
    z[k] = 1;
  for (int64_t k = n - 1; k >= 0; k--) {
    const GLA_REAL *c = R + k * ldr * GLA_PARTS, inverse = 1 / c[k * GLA_PARTS];
    const GLA_REAL u = z[k] * GLA_ABS (inverse);
    const N (el) t = N (el_scale) (inverse, ((N (el) *)x)[k]);
    GLA_REAL sum = GLA_ABS (c[k * GLA_PARTS]);
    ((N (el) *)x)[k] = t;
    for (int64_t i = 0; i < k; i++) {
      const GLA_REAL length = N (modulus_of) (c, i);
      sum += length;
      z[i] += u * length;
      ((N (el) *)x)[i] -= N (el_mul) (t, ((const N (el) *)c)[i]);
    }
    size[k] = sum;
    total += sum * u;
  }
  return total;
}

// The same in the vector unit.
static GLA_REAL N (back_and_bound) (int64_t n, const GLA_REAL *R, int64_t ldr, GLA_REAL *x,
                                    GLA_REAL *z, GLA_REAL *size)
{
  GLA_REAL total = 0;
  for (int64_t k = 0; k < n; k++)
    z[k] = 1;
  for (int64_t k = n - 1; k >= 0; k--) {
    const GLA_REAL *c = R + k * ldr * GLA_PARTS, inverse = 1 / c[k * GLA_PARTS];
    const GLA_REAL u = z[k] * GLA_ABS (inverse);
    const N (el) t = N (el_scale) (inverse, ((N (el) *)x)[k]);
    GLA_REAL sum = 0;
    ((N (el) *)x)[k] = t;
#if GLA_COMPLEX
    N (subtract) (k, t, c, x);
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < k; i++) {
      const GLA_REAL length = N (modulus_of) (c, i);
      sum += length;
      z[i] += u * length;
    }
#else
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < k; i++) {
      const GLA_REAL length = GLA_ABS (c[i]);
      sum += length;
      z[i] += u * length;
      x[i] -= t * c[i];
    }
#endif
    size[k] = sum + GLA_ABS (c[k * GLA_PARTS]);
    total += size[k] * u;
  }
  return total;
}

// Sums of moduli in the columns.
static void N (find_sums) (int64_t n, const GLA_REAL *R, int64_t ldr, GLA_REAL *size)
{
  for (int64_t j = 0; j < n; j++) {
    const GLA_REAL *c = R + j * ldr * GLA_PARTS;
    GLA_REAL sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < (j + 1) * GLA_PARTS; i++)
      sum += GLA_ABS (c[i]);
    size[j] = sum;
  }
}

// x = R' \ x
static void N (forward_adjoint) (int64_t n, const GLA_REAL *R, int64_t ldr, GLA_REAL *x)
{
  for (int64_t k = 0; k < n; k++) {
    const GLA_REAL *c = R + k * ldr * GLA_PARTS;
    GLA_REAL re = x[k * GLA_PARTS], im = GLA_COMPLEX ? x[k * GLA_PARTS + GLA_COMPLEX] : 0;
#if GLA_COMPLEX
#pragma omp simd reduction(- : re, im)
    for (int64_t i = 0; i < k; i++) {
      re -= c[2 * i] * x[2 * i] + c[2 * i + 1] * x[2 * i + 1];
      im -= c[2 * i] * x[2 * i + 1] - c[2 * i + 1] * x[2 * i];
    }
#else
#pragma omp simd reduction(- : re)
    for (int64_t i = 0; i < k; i++)
      re -= c[i] * x[i];
#endif
    ((N (el) *)x)[k] = N (make) (re / c[k * GLA_PARTS], im / c[k * GLA_PARTS]);
  }
}

static double N (length_of) (int64_t count, const GLA_REAL *x)
{
  double sum = 0;
  for (int64_t i = 0; i < count * GLA_PARTS; i++)
    sum += (double)x[i] * (double)x[i];
  return sqrt (sum);
}

// size becomes the lengths of the columns; they are sums of moduli before.
static void N (find_lengths) (int64_t n, const GLA_REAL *R, int64_t ldr, GLA_REAL *size)
{
  for (int64_t j = 0; j < n; j++) {
    const GLA_REAL *c = R + j * ldr * GLA_PARTS, most = size[j];
    GLA_REAL sum = 0;
    for (int64_t i = 0; i < (j + 1) * GLA_PARTS; i++)
      sum += (c[i] / most) * (c[i] / most);
    size[j] = most * GLA_SQRT (sum);
  }
}

static void N (times_lengths) (int64_t n, const GLA_REAL *size, double factor, GLA_REAL *x)
{
  for (int64_t i = 0; i < n; i++)
    ((N (el) *)x)[i] = N (el_scale) ((GLA_REAL)(size[i] * factor), ((N (el) *)x)[i]);
}

// |S^-1| in the 2-norm by inverse iteration with S'*S, S^-1 = D*R^-1; the start is the same in
// every run. At most the norm, and near it after one step where the norm is large.
static double N (inverse_norm) (int64_t n, const GLA_REAL *R, int64_t ldr, double most,
                                const N (triangle_work) * w)
{
  double norm = 0, length;
  N (find_lengths) (n, R, ldr, w->size);
  for (int64_t i = 0; i < n; i++)
    ((N (el) *)w->y)[i] =
        N (make) ((GLA_REAL)1 + (GLA_REAL)(i * 37 % 101) / 64, (GLA_REAL)(i % 7) / 8);
  for (int step = 0; step < N (inverse_iterations); step++) {
    length = N (length_of) (n, w->y);
    N (times_lengths) (n, w->size, 1 / length, w->y);
    N (forward_adjoint) (n, R, ldr, w->y);
    norm = N (length_of) (n, w->y); // of S'^-1 times a vector of length 1
    for (int64_t i = 0; i < n; i++)
      ((N (el) *)w->y)[i] = N (el_scale) ((GLA_REAL)(1 / norm), ((N (el) *)w->y)[i]);
    N (back) (n, R, ldr, w->y);
    N (times_lengths) (n, w->size, 1, w->y);
    length = N (length_of) (n, w->y);
    norm = length > norm ? length : norm;
    if (!(length < INFINITY))
      return INFINITY;
    if (norm * 1000 < most)
      return norm;
  }
  return norm;
}

// Whether the columns are independent, where `bound` is above that of |S^-1|, most.
static int N (is_regular) (int64_t n, const GLA_REAL *R, int64_t ldr, double most,
                           const N (triangle_work) * w)
{
  for (int64_t j = 0; j < n; j++) // NaN, Inf, and zeros on the diagonal
    if (!(w->size[j] <= GLA_MAX) || R[(j + j * ldr) * GLA_PARTS] == 0)
      return 0;
  return N (inverse_norm) (n, R, ldr, most, w) <= most;
}

// Whether all is finite: zeros times it add up to zero.
static inline int N (is_finite) (int64_t count, const GLA_REAL *x)
{
  GLA_REAL sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < count; i++)
    sum += 0 * x[i];
  return sum == 0;
}

// X = R \ C in the first column, if there is one; whether the columns of R are independent.
static int N (solve_first) (int64_t n, int64_t r, const GLA_REAL *R, int64_t ldr, double most,
                            GLA_REAL *X, const N (triangle_work) * w)
{
  GLA_REAL *x = r > 0 ? X : w->y;
  if (r == 0)
    memset (x, 0, (size_t)(n * GLA_PARTS) * sizeof *x);
  if (n <= N (bound_triangle)) {
    const GLA_REAL bound = n <= N (scalar_triangle)
                               ? N (back_and_bound_small) (n, R, ldr, x, w->bound, w->size)
                               : N (back_and_bound) (n, R, ldr, x, w->bound, w->size);
    if ((double)bound <= most)
      return 1;
  } else {
    N (back) (n, R, ldr, x);
    N (find_sums) (n, R, ldr, w->size);
  }
  return N (is_regular) (n, R, ldr, most, w);
}

// X is C on entry. What is not regular, or not finite, is for N (least_norm_page) to look at.
static void N (solve_pages) (const gla_pages_job *job, int64_t first, int64_t end, char *work)
{
  const int64_t n = job->X.rows, r = job->X.columns, ldr = job->R.column_stride;
  const double most = 1 / ((double)gla_more (job->A.rows, n) * (double)GLA_EPS);
  N (triangle_work) w;
  N (triangle_layout) (work, job, &w);
  for (int64_t page = first; page < end; page++) {
    const GLA_REAL *R = N (column_at) (&job->R, page, 0);
    GLA_REAL *X = N (column_of) (&job->X, page, 0);
    int fine = N (solve_first) (n, r, R, ldr, most, X, &w);
    if (fine && r > 1 && n * r >= N (blas_elements))
      N (trsm)
    ((N (triangle)){"L", "U", "N", "N"}, n, r - 1, 1, R, ldr, N (column_of) (&job->X, page, 1),
     job->X.column_stride);
    else for (int64_t j = 1; fine && j < r; j++)
        N (back) (n, R, ldr, N (column_of) (&job->X, page, j));
    for (int64_t j = 0; fine && j < r; j++)
      fine = N (is_finite) (n * GLA_PARTS, N (column_of) (&job->X, page, j));
    job->info[page] = fine ? 0 : GLA_INFO_AGAIN;
  }
}

// gsvd_small_template.h: pivoted QR of small matrices in lanes, in the form of LAPACK
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Up to 64 rows and columns, where calls of LAPACK and the BLAS take longer than the arithmetic.
// Norms of what remains are computed anew in each step, so they need no care.

enum { N (small) = 64 };

static int N (is_small) (int64_t m, int64_t n)
{
  return m <= N (small) && n <= N (small);
}

// Lanes of register k / GLA_LANES that stand behind row k.
static inline N (vec) N (behind) (int64_t k)
{
  N (vec) mask;
  for (int l = 0; l < GLA_LANES; l++)
    mask[l] = l > k % GLA_LANES;
  return mask;
}

// |x|^2 behind row k
static inline GLA_REAL N (rest_norm2) (int64_t rv, const N (num) * x, int64_t k)
{
  const int64_t first = k / GLA_LANES;
  N (vec) sum = N (abs2) (x[first]) * N (behind) (k);
  for (int64_t i = first + 1; i < rv; i++)
    sum += N (abs2) (x[i]);
  return N (sum_lanes) (sum);
}

// y = y - v (tau v'y), rows from k on; v is zero before
static inline void N (reflect_column) (int64_t rv, const N (num) * v, N (el) tau, N (num) * y,
                                       int64_t k)
{
  N (num) sum = N (zero) ();
  for (int64_t i = k / GLA_LANES; i < rv; i++)
    sum = N (fmac) (sum, v[i], y[i]);
  const N (num) t = N (spread) (N (el_mul) (tau, N (sum_num) (sum)));
  for (int64_t i = k / GLA_LANES; i < rv; i++)
    y[i] = N (fnma) (y[i], v[i], t);
}

// The rows of c from k on become the vector of a reflector in v; returns beta and tau. Rows so
// small that their squares lose digits are scaled up first, and count as zero if they still do.
static N (reflector) N (make_reflector) (int64_t rv, const N (num) * c, int64_t k, N (num) * v)
{
  const int64_t first = k / GLA_LANES;
  const int up = GLA_SINGLE ? 60 : 500;
  int e = N (el_abs2) (N (get) (c, k)) + N (rest_norm2) (rv, c, k) < GLA_QR_SMALL ? up : 0;
  const N (vec) scale = N (all) (N (power_of_two) (e));
  for (int64_t i = 0; i < rv; i++)
    v[i] = i < first ? N (zero) () : N (scale) (scale, c[i]);
  const N (el) alpha = N (get) (v, k);
  const GLA_REAL sum = N (rest_norm2) (rv, v, k);
  const int some = N (el_abs2) (alpha) + sum >= GLA_QR_SMALL;
  N (reflector) h = some ? N (reflect) (alpha, sum) : N (no_reflector) (N (make) (0, 0));
  const N (num) inverse = N (spread) (h.inv);
  v[first] = N (scale) (N (behind) (k), v[first]);
  for (int64_t i = first; i < rv; i++)
    v[i] = N (mul) (v[i], inverse);
  N (set) (v, k, N (make) (1, 0));
  h.beta *= N (power_of_two) (-e);
  return h;
}

// Stores column k: R above, beta, and what is behind the 1 of v.
static void N (store_reflector) (int64_t m, const N (num) * c, const N (num) * v, int64_t k,
                                 GLA_REAL beta, GLA_REAL *a)
{
  for (int64_t i = 0; i < m; i++)
    ((N (el) *)a)[i] = i < k ? N (get) (c, i) : i > k ? N (get) (v, i) : N (make) (beta, 0);
}

// A P = Q R as N (qr_pivot); lanes: room for n + 1 columns.
static void N (small_qr_pivot) (int64_t m, int64_t n, GLA_REAL *a, int64_t lda, GLA_REAL *tau,
                                int *perm, N (num) * lanes)
{
  const int64_t rv = N (registers) (m), k_last = gla_less (m, n);
  GLA_REAL norm2[N (small)];
  N (num) *v = lanes + n * rv;
  for (int64_t j = 0; j < n; j++) {
    N (load_column) (lanes + j * rv, m, a + j * lda * GLA_PARTS, 1);
    norm2[j] = N (el_abs2) (N (get) (lanes + j * rv, 0)) + N (rest_norm2) (rv, lanes + j * rv, 0);
    perm[j] = (int)j;
  }
  for (int64_t k = 0; k < k_last; k++) {
    int64_t best = k;
    for (int64_t j = k + 1; j < n; j++)
      best = norm2[j] > norm2[best] ? j : best;
    if (best != k) {
      N (swap_columns) (rv, lanes + k * rv, lanes + best * rv);
      norm2[best] = norm2[k];
      const int t = perm[k];
      perm[k] = perm[best];
      perm[best] = t;
    }
    const N (reflector) h = N (make_reflector) (rv, lanes + k * rv, k, v);
    ((N (el) *)tau)[k] = h.tau;
    N (store_reflector) (m, lanes + k * rv, v, k, h.beta, a + k * lda * GLA_PARTS);
    for (int64_t j = k + 1; j < n; j++) {
      N (reflect_column) (rv, v, N (el_conj) (h.tau), lanes + j * rv, k);
      norm2[j] = N (rest_norm2) (rv, lanes + j * rv, k);
    }
  }
  for (int64_t j = k_last; j < n; j++)
    N (store_rows) (a + j * lda * GLA_PARTS, m, lanes + j * rv);
}

// C = Q C or Q' C as N (apply_q), C of at most 64 columns; lanes: room for n + 1 columns.
static void N (small_apply_q) (int adjoint, int64_t m, int64_t n, int64_t k, const GLA_REAL *a,
                               int64_t lda, const GLA_REAL *tau, GLA_REAL *c, int64_t ldc,
                               N (num) * lanes)
{
  const int64_t rv = N (registers) (m);
  N (num) *v = lanes + n * rv;
  for (int64_t j = 0; j < n; j++)
    N (load_column) (lanes + j * rv, m, c + j * ldc * GLA_PARTS, 1);
  for (int64_t step = 0; step < k; step++) {
    const int64_t i = adjoint ? step : k - 1 - step, first = i / GLA_LANES;
    const N (el) t = ((const N (el) *)tau)[i];
    N (load_column) (v, m, a + i * lda * GLA_PARTS, 1);
    for (int64_t r = 0; r < first; r++)
      v[r] = N (zero) ();
    v[first] = N (scale) (N (behind) (i), v[first]);
    N (set) (v, i, N (make) (1, 0));
    for (int64_t j = 0; j < n; j++)
      N (reflect_column) (rv, v, adjoint ? N (el_conj) (t) : t, lanes + j * rv, i);
  }
  for (int64_t j = 0; j < n; j++)
    N (store_rows) (c + j * ldc * GLA_PARTS, m, lanes + j * rv);
}

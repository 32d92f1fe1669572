// qr_cholesky_shape.cu: which pages use Cholesky's factor of A'A, which products, what memory
// SPDX-License-Identifier: GPL-3.0-or-later

#include <cmath>
#include "qr_cholesky.cuh"

namespace
{

// Matrices of up to PANELS_MOST columns are factored leaf by leaf, larger ones by strips of STRIP
// columns.
enum { PANELS_MOST = 1600, STRIP = 512 };

// Q is formed before the signs if it has at most so many rows for each column: applying the signs
// takes another pass over it.
enum { EARLY = 8 };

// Products of so many m n k at most are done by our own kernel: cuBLAS takes 10 us to be called,
// and for every page.
const double OWN_PRODUCTS = 0x1p25;

// Numbers of the product of the halves of so many columns, and of those of inner halves.
int64_t half_of (int64_t columns)
{
  const int64_t left = qr_left_half (columns), right = columns - left;
  return right == 0 ? 0 : left * (left > right ? left : right);
}

// Our own kernel makes A'A up to so many columns, of matrices with so many times as many rows.
enum { TALL_COLUMNS = 512, TALL = 16 };

// As a product of pages: measured with 300 to 2000 pages.
enum { PAGE_COLUMNS = 128, PAGE_ROWS = 2048 };

} // namespace

bool qr_own_product (int64_t m, int64_t n, int64_t k)
{
  return (double)m * (double)n * (double)k <= OWN_PRODUCTS;
}

int64_t qr_square_blocks (int64_t n)
{
  return (n + QR_SQUARE_ROWS - 1) / QR_SQUARE_ROWS;
}

int64_t qr_left_half (int64_t columns)
{
  int64_t left = (columns / 2 + QR_LEAF - 1) / QR_LEAF * QR_LEAF;
  return left < columns ? left : columns;
}

bool qr_page_gram_serves (int64_t m, int64_t n)
{
  return n <= PAGE_COLUMNS && m <= PAGE_ROWS;
}

bool qr_gram_serves (int64_t m, int64_t n)
{
  return n <= TALL_COLUMNS && m >= TALL * n;
}

// For sizes at which random matrices are well conditioned and this method is faster: leaves
// of 64 columns are for more than 32, or for pages that are high enough.
bool qr_cholesky_serves (const gla_qr_job &job)
{
  bool wide = job.n > 32 && job.m >= 128, high = job.n > 16 && job.m >= 512;
  return job.rhs == 0 && !job.wy && !job.pivot && job.block == 0 && job.n >= 2 &&
         2 * job.m >= 3 * job.n && (job.q_columns == 0 || job.q_columns == job.n) &&
         (qr_needs_blas (job) || ((wide || high) && gpu_blas_expected ()));
}

bool qr_cholesky_own_products (const gla_qr_job &job)
{
  return qr_own_product (job.m, job.n, job.n);
}

template <class T>
qr_cholesky<T>::qr_cholesky (const gla_qr_job &job, int64_t pages, carver &k, bool bare)
    : m (job.m), n (job.n), pages (pages)
{
  panels = bare || n <= PANELS_MOST;
  early = panels && m <= EARLY * n;
  signs = !bare;
  strip = panels ? n : (int64_t)STRIP;
  const int64_t left = qr_left_half (strip), half = half_of (strip), square = pages * n * n;
  int64_t side = panels ? (n > QR_LEAF ? QR_LEAF * (n - QR_LEAF) : 0) : STRIP * n;
  side = bare ? 0 : side;
  G = {k.take<T> (bare && job.q_columns > 0 ? 0 : square), n, n * n};
  R = {k.take<T> (bare ? 0 : square), n, n * n};
  M = {k.take<T> (bare ? 0 : square), n, n * n};
  W = {k.take<T> (pages * half), left, half};
  side_W = {k.take<T> (pages * side), QR_LEAF, side};
  V = {k.take<T> (pages * n * QR_CHOLESKY_VECTORS), n, n * QR_CHOLESKY_VECTORS};
  X = {k.take<T> (pages * n * QR_CHOLESKY_VECTORS), n, n * QR_CHOLESKY_VECTORS};
  int64_t numbers = qr_gram_serves (m, n) ? pages * qr_gram_work (m, n) : 0;
  parts = k.take<double> (is_complex_v<T> ? 2 * numbers : numbers);
  norms = k.take<double> (pages * n);
  squares =
      k.take<double2> (pages * qr_square_blocks (n) * QR_CHOLESKY_VECTORS * QR_CHOLESKY_VECTORS);
  sign = k.take<int> (pages * n);
  failed = k.take<int> (pages + 1);
  failures = failed + pages;
  const bool whole = bare && sizeof (real_t<T>) == 8 && qr_page_gram_serves (m, n);
  int64_t chain = !whole && qr_gram_serves (m, n) ? qr_gram_chain (m, n) : m;
  norm_most = 28.0 * (double)(n < 4 ? 4 : n) / (16 + sqrt ((double)chain));
}

template <class T>
qr_cholesky<T>::qr_cholesky (page_matrix<T> G, page_matrix<T> R, int64_t n, int64_t pages,
                             carver &k)
    : m (n), n (n), pages (pages), strip (n), panels (true), early (false), signs (false), G (G),
      R (R), M{}, side_W{}, V{}, X{}, parts (nullptr), norms (nullptr), squares (nullptr),
      sign (nullptr), failures (nullptr), norm_most (0)
{
  const int64_t half = half_of (n);
  W = {k.take<T> (pages * half), qr_left_half (n), half};
  failed = k.take<int> (pages);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template qr_cholesky<T>::qr_cholesky (const gla_qr_job &, int64_t, carver &, bool);              \
  template qr_cholesky<T>::qr_cholesky (page_matrix<T>, page_matrix<T>, int64_t, int64_t, carver &);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)

// svd_polar.cuh: arguments of the kernels that find singular values by the polar form A = X*H
// SPDX-License-Identifier: GPL-3.0-or-later
//
// X'*X = I, and H is Hermitian without negative eigenvalues: with H = V*S*V' the left singular
// vectors are X*V (Higham and Papadimitriou 1994; Nakatsukasa and Higham 2013). X is the limit of
//
//   X = (z*X + inv (X)'/z)/2, z = sqrt (|inv (X)|/|X|) in the Frobenius norm (Higham 1986),
//
// whose singular values are at least 1 after one step. Where they are at most POLAR_LARGEST, which
// takes one step for most random pages and at most POLAR_STEPS, products go on:
//
//   X = X*(3*s*I - s^3*X'*X)/2, with s by the least singular value that is possible (Chen and Chow
//   2014), POLAR_PRODUCTS times in double precision, once less in single.
//
// From 1/80 the least singular value then is 1 - 8e-18, or 1 - 5e-9.
// Each page goes through the same steps in every batch. A is scaled by a power of two, and
// eps*|A|/4 is added to its diagonal in X, so that singular pages have an inverse; H = X'*A has A
// itself. Where X'*A is not Hermitian to rounding, because the first inverse of a nearly singular A
// was not accurate, the page fails, and is done again with A = Q*R before (svd_chunk.cuh).

#ifndef GPULINALG_SVD_POLAR_CUH
#define GPULINALG_SVD_POLAR_CUH

#include <cuda_runtime.h>
#include "svd/job.h"

#include "common/pages.cuh"
#include "common/reduce.cuh"

enum { POLAR_LARGEST = 80, POLAR_STEPS = 5, POLAR_PRODUCTS = 9, POLAR_PARTS = 256 };

template <class T> constexpr int polar_products = POLAR_PRODUCTS - (sizeof (real_t<T>) == 4);

// The largest entry of X'*X - I that is allowed before the last product.
const double POLAR_NEAR = 1e-3;

// Numbers of one page; the last one on pages that go by steps.
struct polar_page {
  double norm;    // |A| after it was scaled, in the Frobenius norm; 0 where A is 0
  double largest; // bound of the singular values of X after the inverses
  int exponent;   // A was divided by 2^exponent
  int active;     // whether the next inverse is wanted; by steps the polar_step that comes next
  int failed;     // 1: not finite, 2: no accurate result
  double least;   // of the singular values of X, as a part of what is enough for products
};

// Matrices of work are packed, n x n. Each page is shared by `parts` blocks of threads, whose sums
// stand in sum[page*parts ..]: of squares of A, then of X.
template <class T> struct polar_args {
  int n, parts;
  int64_t pages;
  page_matrix<const T> A;
  T *scaled, *X, *Y;
  double *sum, *sum_new;
  polar_page *page;
  int32_t *pending; // info of the inverse; not 0 before it where the inverse is wanted
  double2 *weights; // x and y of each product, POLAR_PRODUCTS times those of all pages
  int32_t *far;     // whether X'*X was not near I in the last product; NULL by steps
  cudaStream_t stream;
};

// Pages with more columns go by the steps below.
__host__ __device__ constexpr int64_t polar_inverted (bool is_complex)
{
  return is_complex ? 96 : 112;
}
__host__ __device__ constexpr bool polar_by_steps (int64_t n, bool is_complex)
{
  return n > polar_inverted (is_complex);
}

// Whether products of the steps may be cuBLAS's.
constexpr bool polar_needs_blas (int64_t n)
{
  return n > 256;
}

constexpr int polar_parts (int64_t n, bool is_complex)
{
  const int64_t wanted = n * n / (polar_by_steps (n, is_complex) ? 2048 : 16384);
  return wanted < 1 ? 1 : wanted > POLAR_PARTS ? (int)POLAR_PARTS : (int)wanted;
}

// `scaled` and X from A.
template <class T> cudaError_t polar_start (const polar_args<T> &a);
// X from X and its inverse in Y.
template <class T> cudaError_t polar_newton (const polar_args<T> &a, bool last);
// a.weights: X is multiplied by x*I + y*X'*X; a.far becomes 0.
template <class T> cudaError_t polar_weights (const polar_args<T> &a);
// X unitary and Y = H from X after the inverses, of pages of at most so many columns.
template <class T> int polar_small_most (int smem_limit);
template <class T> cudaError_t polar_small_h (const polar_args<T> &a);
// Y = X'*A becomes H.
template <class T> cudaError_t polar_hermitian (const polar_args<T> &a);

// Values and vectors from the eigenvalues `lambda` and eigenvectors W of H, packed: S descending,
// the first `columns` of V, where wanted, and VS, which has V with the signs of the eigenvalues.
template <class T> struct polar_results {
  const real_t<T> *lambda;
  const int32_t *eig_info;
  const T *W;
  real_t<T> *S;
  int64_t row_s, page_s;
  int values, v_columns, vs_columns;
  page_matrix<T> V, VS;
  int32_t *order; // n of each page: the column that comes next, -1-column where its sign changes
  int32_t *info;  // as in svd_args
  int *any;
};
template <class T> cudaError_t polar_finish (const polar_args<T> &a, const polar_results<T> &r);

//------------------------------------------------------------------------------
// pages that are shared by some blocks of threads, for the kernels of svd_polar*.cu
//------------------------------------------------------------------------------

// Each page is shared by `parts` blocks of threads: block (x, y) is part x of pages y, y +
// gridDim.y, .. A part of a page is what its threads meet when they take every parts-th run of
// POLAR_THREADS entries. Sums of a page are added in the same order by every block that needs them.

enum { POLAR_THREADS = 256, POLAR_GRID_MOST = 65535 };

template <class T> dim3 polar_grid (const polar_args<T> &a, unsigned across)
{
  return dim3 (across, (unsigned)(a.pages < POLAR_GRID_MOST ? a.pages : POLAR_GRID_MOST));
}

// f (i, j) for the entries of this block's part.
template <class F> GLA_DEVICE void for_entries (int n, int parts, F f)
{
  const int64_t all = (int64_t)n * n;
  for (int64_t k = (int64_t)blockIdx.x * POLAR_THREADS + threadIdx.x; k < all;
       k += (int64_t)parts * POLAR_THREADS)
    f ((int)(k % n), (int)(k / n));
}

GLA_DEVICE double sum_of_parts (const double *sum, int parts)
{
  double all = 0;
  for (int part = 0; part < parts; part++)
    all += sum[part];
  return all;
}

template <class T> GLA_DEVICE double square_of (T x)
{
  const double r = (double)re (x), i = (double)im (x);
  return fma (r, r, i * i);
}

//------------------------------------------------------------------------------
// kernels for the polar factor of pages with many columns (polar_by_steps)
//------------------------------------------------------------------------------

// X becomes unitary by steps of two kinds, from G = X'*X alone, so that no inverse of X is needed:
//
//   X = X*(b/c*I + (a - b/c)*inv (I + c*G)), the dynamically weighted Halley iteration
//     (Nakatsukasa, Bai, Gygi 2010) with c = POLAR_WEIGHT always: singular values up to 1 become
//     at most 1, small ones `a` times as large, and those from POLAR_ENOUGH on at least 0.65.
//     I + c*G has a condition number of 1 + c, so its inverse is accurate. A step moves A by about
//     sqrt (c)*eps*|A|.
//   X = X*(x*I + y*(G - t*I)^2), three of them, which bring singular values from 0.65 to 1 to
//     within 0.0067, 5e-7 and eps/2: the quadratic polynomials that come nearest to G^(-1/2) there.
//
// What the least singular value is says a power iteration with inv (I + c*G). Where it has said too
// much, |G - I| in the last step tells, and more steps come. Random pages take three or four
// inverses; a condition number of 1e16 takes 13. Singular values of 0 grow from rounding errors, or
// from the random numbers that X began with.
//
// Pages that want the same kind of step stand side by side, in slots: first inverses, then
// products, those that may be the last ones behind the others. A step multiplies the X of each page
// into another slot of the other place for X, where the next step wants it, so nothing is moved
// otherwise. Pages that are done come behind all others and are not overwritten: the next step
// writes only so many slots as there are pages left. So the steps of a page are its own.

enum {
  POLAR_WEIGHT = 150,
  POLAR_VECTORS = 4, // of the power iteration
  POLAR_POWER = 4,   // its products
  POLAR_STEPS_MOST = 100
};

// What a page takes next.
enum polar_step { POLAR_DONE, POLAR_INVERSE, POLAR_FIRST, POLAR_SECOND, POLAR_LAST };

// Slots of the pages that go on: those that want inverses, then `products`, of which the last
// `lasts` want POLAR_LAST.
struct polar_counts {
  int inverses, products, lasts;
  __host__ __device__ int all () const { return inverses + products; }
};

// Y, Z and weights are those of slots.
template <class T> struct polar_steps {
  polar_args<T> a;
  T *Z;               // n x n: what X is multiplied by
  T *vectors[2];      // n x POLAR_VECTORS of slots, for polar_power
  double *largest;    // what polar_power finds in slots
  double2 *gram;      // (x, y): Y is x*I + y*G
  double2 *factor;    // of an inverse, or of the square of Y: Z is x*I + y times it
  int32_t *page_of;   // the page that is in a slot ..
  int32_t *page_next; // .. and after the step
  int64_t *from;      // the slot that the page of a slot was in before the step
  int64_t *where;     // of each page: the slot of X, those of the other place behind all pages
  polar_counts *counts;
};

// largest: eigenvalues of the Hermitian M of `slots` slots by POLAR_POWER products with random
// vectors, at most as large as they are; of M - x*I where there are weights.
template <class T>
cudaError_t polar_power (const polar_steps<T> &s, const T *M, const double2 *weights, int slots);
// Before the first step, in which a page has its own slot, after polar_power with G: weights.
template <class T> cudaError_t polar_first (const polar_steps<T> &s);
// M = x*I + y*M of `slots` slots.
template <class T>
cudaError_t polar_weigh (const polar_steps<T> &s, T *M, const double2 *weights, int slots);
// After polar_power with Z: the least singular values, of the slots of inverses.
template <class T> cudaError_t polar_estimate (const polar_steps<T> &s, int slots);
// |G - I| of slots first .. first+slots-1, from Y in the last step.
template <class T> cudaError_t polar_distance (const polar_steps<T> &s, int first, int slots);
// The next step of the pages of `slots` slots, and their slots in it; X goes to a place that is so
// many pages behind its first one.
template <class T> cudaError_t polar_order (const polar_steps<T> &s, int slots, int64_t place);
// Pages that are not done have failed.
template <class T> cudaError_t polar_give_up (const polar_steps<T> &s);
// The lower triangle of Y becomes the adjoint of the upper one.
template <class T> cudaError_t polar_mirror (T *Y, int n, int64_t pages, cudaStream_t stream);

//------------------------------------------------------------------------------
// what X is multiplied by in these steps
//------------------------------------------------------------------------------

// Of X*(x*I + y*(G - t*I)^2).
struct polar_square {
  double t, x, y;
};

// The nearest to G^(-1/2), relative to it, for eigenvalues of G from 0.65^2 to 1.03 (by Lawson's
// method): 0.0067 at most are left of singular values. Within h of 1: the series of
// (1 + E)^(-1/2) up to E^2, and of the linear term so much less that a quarter of the cubic one is
// left.
__host__ __device__ constexpr polar_square square_of_step (int step)
{
  if (step == POLAR_FIRST) {
    const double c0 = 2.31566216934, c1 = -2.2663353116, c2 = 0.952569151316;
    return {-c1 / (2 * c2), c0 - c1 * c1 / (4 * c2), c2};
  }
  const double h = step == POLAR_SECOND ? 0.0147 : 0, down = 4 / 3.0 * (0.5 + 15 / 64.0 * h * h);
  return {1 + down, 1 - 3 / 8.0 * down * down, 3 / 8.0};
}

// Of X*(x*I + y*inv (I + c*G)), X times `scale` before.
GLA_DEVICE double2 halley_weights (double scale)
{
  const double c = POLAR_WEIGHT, q = 2 * (sqrt (1 + c) - 1), b = q * q / 4;
  return make_double2 (scale * b / c, scale * (1 + q - b / c));
}

#endif

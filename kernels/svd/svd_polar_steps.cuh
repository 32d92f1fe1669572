// svd_polar_steps.cuh: kernels for the polar factor of pages with many columns (polar_by_steps)
// SPDX-License-Identifier: GPL-3.0-or-later
//
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

#ifndef GPULINALG_SVD_POLAR_STEPS_CUH
#define GPULINALG_SVD_POLAR_STEPS_CUH

#include "svd_polar.cuh"

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

#endif

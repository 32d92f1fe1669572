// svd_polar_steps.cuh: kernels for the polar factor of pages with more than 256 columns
// SPDX-License-Identifier: GPL-3.0-or-later
//
// X becomes unitary by steps of two kinds, from G = X'*X alone, so that no inverse of X is needed:
//
//   X = X*(b/c*I + (a - b/c)*inv (I + c*G)), the dynamically weighted Halley iteration
//     (Nakatsukasa, Bai, Gygi 2010) with c = POLAR_WEIGHT always: singular values up to 1 become
//     at most 1, small ones `a` times as large, and those from POLAR_BEST on at least
//     POLAR_REACHED. I + c*G has a condition number of 1 + c, so its inverse is accurate. A step
//     moves A by about sqrt (c)*eps*|A|.
//   X = X*(3*s*I - s^3*G)/2, the Newton-Schulz iteration with s by the least singular value (Chen
//     and Chow 2014), as soon as all are known to be large.
//
// What the least singular value is says a power iteration with inv (I + c*G), and later |G - I|.
// Where it has said too much, products do not bring G to I, and inverses come again. Random pages
// take three or four inverses and five products; a condition number of 1e16 takes 13 inverses.
// Singular values of 0 grow from rounding errors, or from the random numbers that X began with.

#ifndef GPULINALG_SVD_POLAR_STEPS_CUH
#define GPULINALG_SVD_POLAR_STEPS_CUH

#include "svd_polar.cuh"

enum {
  POLAR_WEIGHT = 150,
  POLAR_VECTORS = 4,      // of the power iteration
  POLAR_POWER = 5,        // its products
  POLAR_PATIENCE = 6,     // products that are made before |G - I| must be small
  POLAR_STEPS_MOST = 100, // of all kinds, of all pages of a chunk: pages wait for each other
};

// Bits; a page has one of them, or none when it is done.
enum polar_step { POLAR_PRODUCT = 1, POLAR_INVERSE = 2, POLAR_LAST = 4 };

// G is in a.Y. Every page of a chunk takes every step: those that do not want it are multiplied by
// the identity, which changes no bit.
template <class T> struct polar_steps {
  polar_args<T> a;
  T *Z;          // n x n: the inverse, then what X is multiplied by
  T *vectors[2]; // n x POLAR_VECTORS
  int *wanted;   // the steps that pages want, all in one word
};

// vectors[1] = M^k*v and vectors[0] = M^(k-1)*v for random v, M Hermitian.
template <class T> cudaError_t polar_power (polar_steps<T> &s, const T *M);
// The step that each page wants; first: after polar_power with G.
template <class T> cudaError_t polar_choose (const polar_steps<T> &s, bool first);
// Y = I + c*G.
template <class T> cudaError_t polar_shift (const polar_steps<T> &s);
// After polar_power with the inverse in Z: what X is multiplied by, to Z.
template <class T> cudaError_t polar_weigh (const polar_steps<T> &s);
// What X is multiplied by in a step with products alone, to Y.
template <class T> cudaError_t polar_polynomial (const polar_steps<T> &s);
// Pages that are not done have failed.
template <class T> cudaError_t polar_give_up (const polar_steps<T> &s);
// The lower triangle of Y becomes the adjoint of the upper one.
template <class T> cudaError_t polar_mirror (T *Y, int n, int64_t pages, cudaStream_t stream);

#endif

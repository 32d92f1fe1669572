// geev_lanes_reduce.h: balancing and reduction to Hessenberg form, one page per lane
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_GEEV_GEEV_LANES_REDUCE_H
#define GPULINALG_CPU_GEEV_GEEV_LANES_REDUCE_H

#include "cpu/common/lanes_reflector.h"

#include "geev_lanes.h"

//------------------------------------------------------------------------------
// balancing
//------------------------------------------------------------------------------

// Scale factors stay between the inverse of 2^this and 2^this; there are at most so many sweeps.
// Pages that need more are left to LAPACK.
enum { BALANCE_EXPONENT = GLA_SINGLE ? 40 : 300, BALANCE_SWEEPS = 60 };

// Returns the lanes in which a row or a column is zero but for its diagonal. LAPACK moves these to
// the end, and finds an eigenvalue without an error.
static mask lanes_decompose (const lanes_work *w)
{
  mask any = {0};
  for (int i = 0; i < w->n && w->n > 1; i++) {
    vec row = vec_broadcast (0), column = row;
    for (int j = 0; j < w->n; j++)
      if (j != i) {
        row += num_size (w->h[i + j * w->ld]);
        column += num_size (w->h[j + i * w->ld]);
      }
    any |= (row == vec_broadcast (0)) | (column == vec_broadcast (0));
  }
  return any;
}

// Returns the 2-norm of n elements `apart` from each other, at most of the size of n. If squares
// have lost digits to underflow, it is computed from scaled ones.
static vec lanes_norm (const num *x, int apart, int n)
{
  vec sum = vec_broadcast (0), again = sum;
  for (int i = 0; i < n; i++)
    sum += num_abs2 (x[i * apart]);
  const mask low = sum < vec_broadcast (GLA_TINY / GLA_EPS);
  if (!mask_any (low))
    return vec_sqrt (sum);
  const int e = GLA_SINGLE ? 100 : 900;
  const vec up = vec_select (low, vec_broadcast (power_of_two (e)), vec_broadcast (1));
  for (int i = 0; i < n; i++)
    again += num_abs2 (num_scale (up, x[i * apart]));
  return vec_sqrt (again) * inverse_power (up);
}

// Brings row and column i to about the same 2-norm, with the diagonal element: without it balancing
// makes some matrices in Hessenberg form worse (James, Langou, Lowery 2014); returns the lanes in
// which that makes a difference.
static mask lanes_balance_one (const lanes_work *w, int i)
{
  const int n = w->n, ld = w->ld;
  const vec row = lanes_norm (w->h + i, ld, n), column = lanes_norm (w->h + i * ld, 1, n);
  // f = 2^k, where column*f and row/f differ by less than a factor of 2
  const bits bias = GLA_BIAS;
  const mask e = (mask)(row / column) >> GLA_FRACTION;
  const mask k = ((e - bias + 1) >> 1) + bias;
  const vec most = vec_broadcast (power_of_two (BALANCE_EXPONENT)) * inverse_power (w->d[i]);
  const vec least = vec_broadcast (power_of_two (-BALANCE_EXPONENT)) * inverse_power (w->d[i]);
  vec f = vec_smaller (vec_larger ((vec)(k << GLA_FRACTION), least), most);
  const vec inverse = inverse_power (f);
  const mask change = (column > vec_broadcast (0)) & (row > vec_broadcast (0)) &
                      (column * f + row * inverse < (real)0.95 * (column + row));
  if (!mask_any (change))
    return change;
  const vec one = vec_broadcast (1), back = vec_select (change, inverse, one);
  f = vec_select (change, f, one);
  w->d[i] *= f;
  for (int j = 0; j < n; j++)
    w->h[i + j * ld] = num_scale (back, w->h[i + j * ld]);
  for (int j = 0; j < n; j++)
    w->h[j + i * ld] = num_scale (f, w->h[j + i * ld]);
  return change;
}

// Returns the lanes in which pages are balanced.
static mask lanes_balance (const lanes_work *w)
{
  mask change = ~(mask){0};
  for (int sweep = 0; sweep < BALANCE_SWEEPS && mask_any (change); sweep++) {
    change = (mask){0};
    for (int i = 0; i < w->n; i++)
      change |= lanes_balance_one (w, i);
  }
  const vec most = vec_broadcast (power_of_two (BALANCE_EXPONENT));
  const vec least = vec_broadcast (power_of_two (-BALANCE_EXPONENT));
  mask done = ~change;
  for (int i = 0; i < w->n; i++)
    done &= (w->d[i] > least) & (w->d[i] < most);
  return done;
}

//------------------------------------------------------------------------------
// Hessenberg form
//------------------------------------------------------------------------------

// Multiplies rows r .. r+R-1 of the columns from k on by I - v*tau*v'; v[0] is 1.
static inline __attribute__ ((always_inline)) void lanes_right_rows (num *c, int ld, const num *v,
                                                                     int count, num tau, int R)
{
  num sum[4];
  for (int x = 0; x < R; x++)
    sum[x] = c[x];
  for (int j = 1; j < count; j++)
    for (int x = 0; x < R; x++)
      sum[x] = num_fma (sum[x], v[j], c[x + j * ld]);
  for (int x = 0; x < R; x++) {
    sum[x] = num_mul (sum[x], tau);
    c[x] = num_sub (c[x], sum[x]);
  }
  for (int j = 1; j < count; j++)
    for (int x = 0; x < R; x++)
      c[x + j * ld] = num_fnmac (c[x + j * ld], v[j], sum[x]);
}

// Replaces h by Q'*h*Q, with the reflectors of Q below the subdiagonal and their taus in v.
static void lanes_reduce (const lanes_work *w)
{
  const int n = w->n, ld = w->ld;
  for (int k = 0; k + 2 < n; k++) {
    num *x = w->h + (k + 1) + k * ld; // the column below the diagonal
    const int count = n - k - 1;
    const num alpha = x[0];
    vec sum = vec_broadcast (0);
    for (int i = 1; i < count; i++)
      sum += num_abs2 (x[i]);
    const mask none = sum < vec_broadcast (GLA_TINY / GLA_EPS); // negligible beside the page
    const lanes_reflector r = lanes_reflect (alpha, sum, none);
    x[0] = num_select (none, alpha, num_from_real (r.beta));
    for (int i = 1; i < count; i++)
      x[i] = num_mul (x[i], r.inv);
    w->v[k] = r.tau;
    lanes_update (count, x, num_conj (r.tau), w->h + (k + 1) + (k + 1) * ld, ld, count);
    int i = 0;
    for (; i + 4 <= n; i += 4)
      lanes_right_rows (w->h + i + (k + 1) * ld, ld, x, count, r.tau, 4);
    for (; i < n; i++)
      lanes_right_rows (w->h + i + (k + 1) * ld, ld, x, count, r.tau, 1);
  }
}

// Replaces z by Q if it is wanted, and sets zeros in h below the subdiagonal.
static void lanes_form_q (const lanes_work *w, int wanted)
{
  const int n = w->n, ld = w->ld;
  for (int j = 0; wanted && j < n; j++)
    for (int i = 0; i < n; i++)
      w->z[i + j * ld] = num_from_real (vec_broadcast (i == j));
  for (int k = n - 3; wanted && k >= 0; k--)
    lanes_update (n - k - 1, w->h + (k + 1) + k * ld, w->v[k], w->z + (k + 1) + (k + 1) * ld, ld,
                  n - k - 1);
  for (int j = 0; j < n; j++)
    for (int i = j + 2; i < n; i++)
      w->h[i + j * ld] = num_zero ();
}

#endif

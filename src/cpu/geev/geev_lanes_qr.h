// geev_lanes_qr.h: shifted QR on the Hessenberg matrices of several pages, one per lane
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each lane has its own window of rows low .. high, below which all eigenvalues are found. All
// lanes sweep through the rows that lie in a window of one of them; a lane makes identities in rows
// outside of its own. In a sweep only the rows and columns near the diagonal follow each step;
// columns on the right join in blocks, when the steps come to them, and rows above the steps get
// them all at the end, as do the vectors.

#ifndef GPULINALG_CPU_GEEV_GEEV_LANES_QR_H
#define GPULINALG_CPU_GEEV_GEEV_LANES_QR_H

#include "geev_lanes_steps.h"

enum { COLUMN_BLOCK = 8, ROW_BLOCK = 4, SWEEPS_MAX = 60 }; // sweeps for one eigenvalue

typedef struct {
  vec low, high; // rows, from 0; high is -1 where all is done
  vec sweeps;    // since the last eigenvalue was found
  vec failed;    // 1 where that took too many
} qr_state;

//------------------------------------------------------------------------------
// deflation
//------------------------------------------------------------------------------

// Whether (k, k-1) counts as zero: by Ahues and Tisseur, as LAPACK's lahqr.
static mask lanes_small (const lanes_work *w, int k)
{
  const int n = w->n, ld = w->ld;
  const vec zero = vec_broadcast (0), eps = vec_broadcast (GLA_EPS);
  const vec least = vec_broadcast (GLA_TINY / GLA_EPS * (real)n);
  const num *at = w->h + (k - 1) + (k - 1) * ld; // the 2 x 2 block around it
  const vec below = num_size (at[1]), size = num_size (at[0]) + num_size (at[ld + 1]);
  const mask tiny = below <= least;
  if (!mask_any ((below <= eps * size) | (size == zero) | tiny))
    return tiny;
  vec around = k > 1 ? num_size (at[-ld]) : zero;
  if (k + 1 < n)
    around += num_size (at[2 + ld]);
  const mask near = below <= eps * vec_select (size == zero, around, size);
  const vec above = num_size (at[ld]), last = num_size (at[ld + 1]);
  const vec gap = num_size (num_sub (at[0], at[ld + 1]));
  const vec ab = vec_larger (below, above), ba = vec_smaller (below, above);
  const vec aa = vec_larger (last, gap), bb = vec_smaller (last, gap), s = aa + ab;
  return tiny | (near & (ba * (ab / s) <= vec_larger (least, eps * (bb * (aa / s)))));
}

static int last_row (const qr_state *s)
{
  int last = -1;
  for (int l = 0; l < GLA_LANES; l++)
    last = s->high[l] > last ? (int)s->high[l] : last;
  return last;
}

// Eigenvalues that stand by themselves at the end of a window, and pairs of real pages, are found:
// the window ends above them. Returns nonzero where there was one.
static int lanes_found (const lanes_work *w, qr_state *s)
{
  const vec zero = vec_broadcast (0), one = vec_broadcast (1);
  const int last = last_row (s);
  s->low = zero;
  for (int k = 1; k <= last; k++) {
    const vec row = vec_broadcast ((real)k);
    const num below = w->h[k + (k - 1) * w->ld];
    s->low = vec_select ((num_size (below) == zero) & (s->high >= row), row, s->low);
  }
  const mask open = s->high >= zero, single = open & (s->low == s->high);
  const mask pairs = GLA_COMPLEX ? (mask){0} : (mask)(open & (s->low == s->high - one));
  s->high = vec_select (single | pairs, s->low - one, s->high);
  s->sweeps = vec_select (single | pairs, zero, s->sweeps);
  return mask_any (single | pairs);
}

static void lanes_deflate (const lanes_work *w, qr_state *s)
{
  const int last = last_row (s);
  for (int k = 1; k <= last; k++) {
    num *below = w->h + k + (k - 1) * w->ld;
    const mask here = s->high >= vec_broadcast ((real)k);
    *below = num_select (here & lanes_small (w, k), num_zero (), *below);
  }
  while (lanes_found (w, s))
    ;
}

//------------------------------------------------------------------------------
// a sweep
//------------------------------------------------------------------------------

// Where each lane's window begins and ends, as places of diagonal elements. Lanes that are done
// have the first window.
typedef struct {
  int low[GLA_LANES], high[GLA_LANES];
} qr_places;

static qr_places places_of (const lanes_work *w, const qr_state *s)
{
  qr_places p;
  for (int l = 0; l < GLA_LANES; l++) {
    const int done = s->high[l] < 0, low = done ? 0 : (int)s->low[l];
    p.low[l] = low * (w->ld + 1);
    p.high[l] = (done ? STEP_WIDTH - 1 : (int)s->high[l]) * (w->ld + 1);
  }
  return p;
}

// Element at[l] + offset of lane l.
static inline num lanes_pick (const lanes_work *w, const int *at, int offset)
{
  num x = num_zero ();
  for (int l = 0; l < GLA_LANES; l++) {
    const num *from = w->h + at[l] + offset;
    x.re[l] = from->re[l];
#if GLA_COMPLEX
    x.im[l] = from->im[l];
#endif
  }
  return x;
}

#if GLA_COMPLEX
#include "geev_lanes_single.h"
#else
#include "geev_lanes_double.h"
#endif

// All windows once; with `schur` all of h, else only what the windows need.
static void lanes_sweep (const lanes_work *w, const qr_state *s, int schur, int vectors)
{
  const int n = w->n, to = last_row (s);
  int from = to, k;
  for (int l = 0; l < GLA_LANES; l++)
    from = s->high[l] >= 0 && s->low[l] < from ? (int)s->low[l] : from;
  const int columns = schur ? n : to + 1, row = schur ? 0 : from / ROW_BLOCK * ROW_BLOCK;
  const qr_start start = lanes_start (w, s);
  int joined = from; // columns up to here have had all steps before k
  for (k = from; k < to; k++) {
    lanes_chase (w, s, &start, k);
    if (k + STEP_WIDTH > joined) {
      const int end = (k + STEP_WIDTH + COLUMN_BLOCK - 1) / COLUMN_BLOCK * COLUMN_BLOCK;
      const int next = end < columns ? end : columns;
      march_columns (w, from, k, w->h, joined, next);
      joined = next;
    }
    march_columns (w, k, k + 1, w->h, k, joined);
    const int rows = k + STEP_WIDTH < to ? k + STEP_WIDTH : to;
    const int near = k / ROW_BLOCK * ROW_BLOCK;
    march_rows (w, k, k + 1, w->h, near > row ? near : row, rows + 1);
  }
  march_columns (w, from, to, w->h, joined, columns);
  for (int r = row; r + ROW_BLOCK < to; r += ROW_BLOCK)
    march_rows (w, r + ROW_BLOCK > from ? r + ROW_BLOCK : from, to, w->h, r, r + ROW_BLOCK);
  if (vectors)
    march_rows (w, from, to, w->z, 0, n);
}

// The Schur form, with `schur` all of it. Returns the lanes that have one.
static mask lanes_qr (const lanes_work *w, mask live, int schur, int vectors)
{
  const vec zero = vec_broadcast (0), one = vec_broadcast (1);
  qr_state s = {zero, vec_select (live, vec_broadcast ((real)(w->n - 1)), -one), zero, zero};
  for (lanes_deflate (w, &s); last_row (&s) >= 0; lanes_deflate (w, &s)) {
    s.sweeps += one;
    lanes_sweep (w, &s, schur, vectors);
    const mask late = (s.sweeps >= vec_broadcast (SWEEPS_MAX)) & (s.high >= zero);
    s.failed = vec_select (late, one, s.failed);
    s.high = vec_select (late, -one, s.high);
  }
  return live & (s.failed == zero);
}

#endif

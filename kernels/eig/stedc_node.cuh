// stedc_node.cuh: merge of two halves: code shared by the block and the warp version
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_STEDC_NODE_CUH
#define GPULINALG_STEDC_NODE_CUH

#include "secular.cuh"

// Which halves of a node a column of its Z has entries in.
enum { STEDC_UPPER = 1, STEDC_LOWER = 2 };

// Shared memory of one block: arrays over the m rows of the node.
template <class R> struct stedc_workspace {
  R *d, *z;           // ascending; later the vector z that belongs to the roots
  R *pole, *pole_z;   // all poles in order; later those that do not deflate
  R *origin, *tau;    // c and s of the rotations; later the roots
  R *top, *bottom;    // first and last row of Z (without vectors)
  int *column;        // of Z, in the order of d
  int *order;         // k places in d that do not deflate, then those that do, from the end
  int *upper, *lower; // poles by half
  unsigned *pair;     // places of the columns that a rotation joins
  int *partner;
  unsigned char *halves;
  GLA_DEVICE stedc_workspace (unsigned char *base, int m, bool vectors)
  {
    R *real = reinterpret_cast<R *> (base);
    d = real;
    z = d + m;
    pole = z + m;
    pole_z = pole + m;
    origin = pole_z + m;
    tau = origin + m;
    top = tau + m;
    bottom = top + (vectors ? 0 : m);
    column = reinterpret_cast<int *> (bottom + (vectors ? 0 : m));
    order = column + m;
    upper = order + m;
    lower = upper + m;
    pair = reinterpret_cast<unsigned *> (lower + m);
    partner = lower + 2 * m;
    halves = reinterpret_cast<unsigned char *> (partner + m);
  }
};

template <class R> __host__ __device__ constexpr size_t stedc_workspace_bytes (int m, bool vectors)
{
  return (size_t)m * ((vectors ? 6 : 8) * sizeof (R) + 6 * sizeof (int) + 1);
}

// The state of the scan for deflation, and what it finds.
struct stedc_scan {
  int roots, upper, lower, deflated, rotations;
};

template <class R> GLA_DEVICE void accept (const stedc_workspace<R> &w, stedc_scan &s, int place)
{
  w.order[s.roots] = place;
  if (w.halves[place] & STEDC_UPPER)
    w.upper[s.upper++] = s.roots;
  if (w.halves[place] & STEDC_LOWER)
    w.lower[s.lower++] = s.roots;
  s.roots++;
}

// LAPACK's ?laed2 by one thread: entries of z that are negligible deflate; of two poles that are
// too near, a rotation makes one deflate. The rotation is kept as (pair, partner, origin, tau),
// with the halves of the two columns before it in bits 28 to 31 of pair.
template <class R> GLA_DEVICE stedc_scan deflate (const stedc_workspace<R> &w, int m, R rho, R tol)
{
  stedc_scan s = {0, 0, 0, 0, 0};
  int previous = -1;
  for (int j = 0; j < m; j++) {
    if (rho * absmax (w.z[j]) <= tol) {
      w.order[m - 1 - s.deflated++] = j;
      continue;
    }
    if (previous >= 0) {
      R sn = w.z[previous], cs = w.z[j], gap = w.d[j] - w.d[previous];
      R square = madd (sn, sn, cs * cs);
      if (absmax (gap * cs * sn) <= tol * square) {
        R root = sqrt_of (square);
        cs /= root;
        sn = -sn / root;
        w.z[j] = root;
        R low = w.d[previous], high = w.d[j];
        w.d[j] = low * (sn * sn) + high * (cs * cs);
        w.d[previous] = low * (cs * cs) + high * (sn * sn);
        unsigned halves = w.halves[previous] | w.halves[j] << 2;
        w.pair[s.rotations] = (unsigned)previous | halves << 28;
        w.partner[s.rotations] = j;
        w.origin[s.rotations] = cs;
        w.tau[s.rotations++] = sn;
        w.halves[previous] = w.halves[j] = w.halves[previous] | w.halves[j];
        w.order[m - 1 - s.deflated++] = previous;
      } else {
        accept (w, s, previous);
      }
    }
    previous = j;
  }
  if (previous >= 0)
    accept (w, s, previous);
  return s;
}

template <class R> GLA_DEVICE void rotate (R &x, R &y, R c, R s)
{
  R t = madd (c, x, s * y);
  y = madd (c, y, -s * x);
  x = t;
}

// The rotations of the scan on row i of Z (a pointer to the row, columns `stride` apart).
template <class R>
GLA_DEVICE void rotate_row (const stedc_workspace<R> &w, int rotations, R *row, int64_t stride,
                            int half)
{
  for (int t = 0; t < rotations; t++) {
    unsigned pair = w.pair[t];
    R *x = row + w.column[pair & 0xfffffff] * stride, *y = row + w.column[w.partner[t]] * stride;
    R xv = pair >> 28 & half ? *x : R (0), yv = pair >> 30 & half ? *y : R (0);
    rotate (xv, yv, w.origin[t], w.tau[t]);
    *x = xv;
    *y = yv;
  }
}

// Entry i of the z that makes the computed roots exact: the square root of
// prod_j (lambda(j)-d(i)) / prod_{j != i} (d(j)-d(i)), with the sign of the old one.
template <class R> GLA_DEVICE R loewner (const stedc_workspace<R> &w, int k, int i)
{
  R here = w.pole[i], product = (w.origin[i] - here) + w.tau[i];
#pragma unroll 4
  for (int j = 0; j < k; j++)
    if (j != i)
      product *= ((w.origin[j] - here) + w.tau[j]) * quick_reciprocal (w.pole[j] - here);
  return copy_sign (sqrt_of (absmax (product)), w.pole_z[i]);
}

// Norms of the columns of U; with edge rows, these rows times U.
template <class R, bool EDGES>
GLA_DEVICE void columns (const stedc_workspace<R> &w, int k, int j, R *norm, R *top, R *bottom)
{
  R square = 0, first = 0, last = 0, origin = w.origin[j], tau = w.tau[j];
#pragma unroll 4
  for (int i = 0; i < k; i++) {
    R u = w.z[i] * quick_reciprocal ((w.pole[i] - origin) - tau);
    square = madd (u, u, square);
    if (EDGES) {
      int place = w.column[w.order[i]];
      first = madd (w.top[place], u, first);
      last = madd (w.bottom[place], u, last);
    }
  }
  R inverse = 1 / sqrt_of (square);
  *norm = inverse;
  *top = first * inverse;
  *bottom = last * inverse;
}

// Column j of the m of U, of which the first k belong to roots: what the update makes it from, or
// without vectors the edge rows times it.
template <bool VECTORS, class R>
GLA_DEVICE void store_column (const stedc_level<R> &s, const stedc_workspace<R> &w, int k, int m,
                              int j, int64_t at, R *edge)
{
  R norm = 0, top = 0, bottom = 0;
  if (j < k) {
    columns<R, !VECTORS> (w, k, j, &norm, &top, &bottom);
  } else if (!VECTORS) {
    int place = w.column[w.order[m - 1 - (j - k)]];
    top = w.top[place];
    bottom = w.bottom[place];
  }
  if (!VECTORS) {
    edge[j] = top;
    edge[s.tree.n + j] = bottom;
  } else if (j < k) {
    s.pole[at + j] = w.pole[j];
    s.z[at + j] = w.z[j];
    s.origin[at + j] = w.origin[j];
    s.tau[at + j] = w.tau[j];
    s.scale[at + j] = norm;
  }
}

#endif

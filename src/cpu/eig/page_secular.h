// page_secular.h: divide and conquer: its leaves, and the roots of the secular equation of a merge
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_EIG_PAGE_SECULAR_H
#define GPULINALG_CPU_EIG_PAGE_SECULAR_H

#include "cpu/common/carve.h"
#include "cpu/common/lanes_ql.h"
#include "page_product.h"
#include "scale.h"

//------------------------------------------------------------------------------
// the leaves of divide and conquer, one per lane of a register
//------------------------------------------------------------------------------

// Leaves have nearly the same order, so QL solves as many at a time as a register has lanes. A leaf
// of lower order than the highest of its register gets rows of zeros after its own: they are
// separate blocks, which QL leaves unchanged.

// LEAF_MOST: the highest order of a leaf. LEAF_STEPS: sweeps for each of its rows.
enum { LEAF_MOST = 32, LEAF_STEPS = 30 };

// Leaf l has rows at[l] .. at[l+1]-1 of the matrix.
typedef struct {
  int count, order; // leaves, and the highest order
  int64_t at[GLA_LANES + 1];
} leaf_group;

typedef struct {
  ql_group q;
  real *scratch;
  int *order;
} leaf_space;

// Lays the space out from `base` (NULL: only counts) and returns its bytes.
static size_t leaf_layout (char *base, int n, leaf_space *w)
{
  size_t at = 0;
  memset (w, 0, sizeof *w);
  ql_group *q = &w->q;
  q->d = gla_carve (base, &at, (size_t)n * sizeof (vec));
  q->e = gla_carve (base, &at, (size_t)n * sizeof (vec));
  q->rotations = gla_carve (base, &at, QL_SWEEPS * (size_t)n * sizeof (ql_rotation));
  q->ldz = ql_row_length (n);
  q->z = gla_carve (base, &at, (size_t)(n * q->ldz) * sizeof (vec));
  w->scratch = gla_carve (base, &at, 2 * (size_t)n * sizeof (real));
  w->order = gla_carve (base, &at, (size_t)n * sizeof (int));
  return at;
}

// Stores eigenvalues of lane l, ascending, in d, and their vectors in columns of z. Returns 0 if it
// did not converge.
static int leaf_store (const leaf_space *w, int l, int n, real *d, real *z, int64_t ldz)
{
  const ql_group *q = &w->q;
  real *values = w->scratch;
  int bad = 0;
  for (int i = 0; i < n; i++) {
    values[i] = q->d[i][l];
    bad |= i + 1 < n && q->e[i][l] != 0;
  }
  sort (n, values, 1, w->order);
  for (int k = 0; k < n; k++) {
    const real *row = (const real *)(q->z + w->order[k] * q->ldz) + l;
    d[k] = values[w->order[k]];
    for (int i = 0; i < n; i++)
      z[i + k * ldz] = row[(size_t)i * GLA_LANES];
  }
  return !bad;
}

// d, e and z are those of the matrix. Returns 0 if a leaf did not converge.
static int leaves_solve (const leaf_group *g, real *d, const real *e, real *z, int64_t ldz,
                         void *space)
{
  const int n = g->order;
  leaf_space w;
  leaf_layout (space, n, &w);
  for (int i = 0; i < n; i++) {
    w.q.d[i] = w.q.e[i] = vec_broadcast (0);
    for (int l = 0; l < g->count; l++)
      if (g->at[l] + i < g->at[l + 1]) {
        w.q.d[i][l] = d[g->at[l] + i];
        w.q.e[i][l] = g->at[l] + i + 1 < g->at[l + 1] ? e[g->at[l] + i] : 0;
      }
  }
  ql_begin (n, &w.q, GLA_EPS / 2, LEAF_STEPS, w.scratch);
  while (ql_next_sweep (n, 1, &w.q))
    continue;
  int good = 1;
  for (int l = 0; l < g->count; l++) {
    const int64_t lo = g->at[l];
    good &= leaf_store (&w, l, (int)(g->at[l + 1] - lo), d + lo, z + lo + lo * ldz, ldz);
  }
  return good;
}

//------------------------------------------------------------------------------
// roots of the secular equation of a merge, several at a time
//------------------------------------------------------------------------------

// f(x) = 1/rho + sum z_i^2/(d_i - x) = 0 is solved as by LAPACK's ?laed4, one root per lane of a
// register: x is stored as its distance to the nearer of the two poles around it, f is replaced by
// a rational function with these two poles (Li's fixed weight and middle way, LAPACK Working Note
// 89), and a root is found when |f| is below the bound of its rounding errors. All lanes read the
// same poles, and neighbouring ones share a division. A step that leaves the bracket is replaced by
// bisection. A root that needs more than SECULAR_STEPS steps is left to ?laed4, as is the last one,
// which has a pole on one side only.

// SECULAR_POLES: poles that share a division. In single precision the product of more distances
// would leave the range.
enum { SECULAR_STEPS = 30, SECULAR_POLES = GLA_SINGLE ? 2 : 4 };

// Poles d, ascending, and z.
typedef struct {
  int64_t k;
  const real *d, *z;
  real rho;
} secular;

// Roots j[0], j[0]+1, ... in lanes, each between the poles `left` and `right`; the last ones may be
// the same. x = origin + tau.
typedef struct {
  int64_t first;
  vec j, left, right, zl, zr; // zl and zr are squares
  vec origin, tau;
} secular_roots;

// f = 1/rho + psi + phi, where psi has the poles on the left, and the derivatives. `error`: f has
// an error of so many roundings.
typedef struct {
  vec f, dpsi, dphi, error;
} secular_value;

typedef struct {
  vec sum, slope, partial;
} secular_sum;

static inline __attribute__ ((always_inline)) vec secular_delta (const secular *s,
                                                                 const secular_roots *r, int64_t i)
{
  return (vec_broadcast (s->d[i]) - r->origin) - r->tau;
}

// Adds poles i and i+1 at distances x and y, where 1/(x y) is known.
static inline __attribute__ ((always_inline)) secular_sum
secular_add_pair (secular_sum t, const secular *s, int64_t i, vec x, vec y, vec inverse)
{
  const vec a = s->z[i] * (inverse * y), b = s->z[i + 1] * (inverse * x);
  t.sum += s->z[i] * a + s->z[i + 1] * b;
  t.slope += a * a + b * b;
  t.partial += t.sum;
  return t;
}

// Adds poles i .. i+SECULAR_POLES-1 with one division for all.
static inline __attribute__ ((always_inline)) secular_sum
secular_add_poles (secular_sum t, const secular *s, const secular_roots *r, int64_t i)
{
  const vec x = secular_delta (s, r, i), y = secular_delta (s, r, i + 1), one = vec_broadcast (1);
#if GLA_SINGLE
  return secular_add_pair (t, s, i, x, y, one / (x * y));
#else
  const vec u = secular_delta (s, r, i + 2), v = secular_delta (s, r, i + 3);
  const vec first = x * y, second = u * v, inverse = one / (first * second);
  t = secular_add_pair (t, s, i, x, y, inverse * second);
  return secular_add_pair (t, s, i + 2, u, v, inverse * first);
#endif
}

// Adds pole i, in the lanes that need it.
static inline __attribute__ ((always_inline)) secular_sum
secular_add (secular_sum t, const secular *s, const secular_roots *r, int64_t i, mask wanted)
{
  const vec zero = vec_broadcast (0);
  const vec a = vec_select (wanted, s->z[i] / secular_delta (s, r, i), zero);
  t.sum += s->z[i] * a;
  t.slope += a * a;
  t.partial += t.sum;
  return t;
}

static secular_value secular_at (const secular *s, const secular_roots *r)
{
  const int64_t mixed = r->first + GLA_LANES < s->k ? r->first + GLA_LANES : s->k;
  const mask all = ~(mask){0};
  secular_sum psi = {0}, phi = {0};
  int64_t i = 0;
  for (; i + SECULAR_POLES <= r->first + 1; i += SECULAR_POLES)
    psi = secular_add_poles (psi, s, r, i);
  for (; i < mixed; i++)
    psi = secular_add (psi, s, r, i, vec_broadcast ((real)i) <= r->j);
  i = s->k - 1;
  for (; i - SECULAR_POLES + 1 >= mixed; i -= SECULAR_POLES)
    phi = secular_add_poles (phi, s, r, i - SECULAR_POLES + 1);
  for (; i > r->first; i--)
    phi = secular_add (phi, s, r, i, i >= mixed ? all : (mask)(vec_broadcast ((real)i) > r->j));
  const vec constant = vec_broadcast (1 / s->rho);
  secular_value v = {constant + psi.sum + phi.sum, psi.slope, phi.slope, vec_broadcast (0)};
  v.error = 8 * (phi.sum - psi.sum) + phi.partial - psi.partial + 2 * constant +
            vec_abs (r->tau) * (v.dpsi + v.dphi);
  return v;
}

static inline vec secular_root_of (vec x)
{
  return vec_sqrt (vec_abs (x));
}

// Takes the nearer pole as origin, and tau as the root of f with all other poles replaced by a
// constant; lo and hi become a bracket.
static void secular_begin (const secular *s, secular_roots *r, vec *lo, vec *hi)
{
  const vec zero = vec_broadcast (0), gap = r->right - r->left, half = gap / 2;
  r->origin = r->left;
  r->tau = half;
  const vec f = secular_at (s, r).f, c = f + 2 * (r->zl - r->zr) / gap;
  const mask near_left = f >= zero;
  const vec sum = r->zl + r->zr;
  const vec a = c * gap + vec_select (near_left, sum, -sum);
  const vec b = gap * vec_select (near_left, r->zl, -r->zr);
  const vec root = secular_root_of (a * a - 4 * b * c);
  const mask plus = vec_select (near_left, a, -a) > zero;
  const vec signed_root = vec_select (near_left, root, -root);
  const vec by_sum = vec_select (near_left, 2 * b, -2 * b) / (a + signed_root);
  const vec by_difference = (a - signed_root) / (2 * c);
  r->origin = vec_select (near_left, r->left, r->right);
  *lo = vec_select (near_left, zero, -half);
  *hi = vec_select (near_left, half, zero);
  const vec tau = vec_select (plus, by_sum, vec_select (near_left, by_difference, -by_difference));
  r->tau = vec_select ((tau > *lo) & (tau < *hi), tau, (*lo + *hi) / 2);
}

// Returns the zero of c + s/(x - eta) + t/(y - eta), which touches f at eta = 0. `middle`: s and t
// are from both slopes; otherwise the nearer pole has its own weight.
static inline vec secular_step (const secular_roots *r, const secular_value *v, mask middle)
{
  const vec zero = vec_broadcast (0);
  const vec x = (r->left - r->origin) - r->tau, y = (r->right - r->origin) - r->tau;
  const vec slope = v->dpsi + v->dphi, gap = r->right - r->left;
  const mask near_left = r->origin == r->left;
  const vec fixed = vec_select (near_left, v->f - y * slope + gap * (r->zl / (x * x)),
                                v->f - x * slope - gap * (r->zr / (y * y)));
  const vec c = vec_select (middle, v->f - x * v->dpsi - y * v->dphi, fixed);
  const vec a = (x + y) * v->f - x * y * slope, b = x * y * v->f;
  const vec root = secular_root_of (a * a - 4 * b * c);
  return vec_select (a <= zero, (a - root) / (2 * c), 2 * b / (a + root));
}

// Finds tau in all lanes; returns those where it was found.
static mask secular_solve (const secular *s, secular_roots *r)
{
  vec lo, hi, before = vec_broadcast (GLA_MAX);
  mask found = (mask){0}, middle = (mask){0};
  secular_begin (s, r, &lo, &hi);
  for (int step = 0; step < SECULAR_STEPS && mask_any (~found); step++) {
    const secular_value v = secular_at (s, r);
    const vec size = vec_abs (v.f);
    const mask negative = v.f < vec_broadcast (0);
    found |= size <= (GLA_EPS / 2) * v.error;
    lo = vec_select (negative, r->tau, lo);
    hi = vec_select (negative, hi, r->tau);
    middle ^= size > before / 10;
    before = size;
    const vec next = r->tau + secular_step (r, &v, middle);
    const vec inside = vec_select ((next > lo) & (next < hi), next, (lo + hi) / 2);
    r->tau = vec_select (found, r->tau, inside);
  }
  return found;
}

// Returns roots first .. first+GLA_LANES-1, as far as they have poles on both sides.
static secular_roots secular_group (const secular *s, int64_t first)
{
  secular_roots r = {.first = first};
  for (int l = 0; l < GLA_LANES; l++) {
    const int64_t j = first + l < s->k - 1 ? first + l : s->k - 2;
    r.j[l] = (real)j;
    r.left[l] = s->d[j];
    r.right[l] = s->d[j + 1];
    r.zl[l] = s->z[j] * s->z[j];
    r.zr[l] = s->z[j + 1] * s->z[j + 1];
  }
  return r;
}

// Forms the eigenvector of a root: s/x for its distances x from the poles. Returns the inverse of
// its norm.
static real secular_quotients (int64_t k, const real *s, real *x)
{
  vec squares = vec_broadcast (0);
  int64_t i = 0;
  for (; i + GLA_LANES <= k; i += GLA_LANES) {
    const vec v = *(const vec_anywhere *)(s + i) / *(const vec_anywhere *)(x + i);
    *(vec_anywhere *)(x + i) = v;
    squares += v * v;
  }
  real sum = sum_lanes (squares);
  for (; i < k; i++) {
    x[i] = s[i] / x[i];
    sum += x[i] * x[i];
  }
  return 1 / real_sqrt (sum);
}

#endif

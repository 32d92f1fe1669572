// orderings.c: the order in which pairs of columns, or of blocks, meet in a sweep of a Jacobi
// method
// SPDX-License-Identifier: GPL-3.0-or-later

#include "orderings.h"

int32_t gla_ordering_steps (gla_gsvd_ordering kind, int32_t n)
{
  return kind == GLA_GSVD_ORDERING_ME ? n - 1 : n;
}

//------------------------------------------------------------------------------
// Mantharam-Eberlein
//------------------------------------------------------------------------------

static void put (int32_t *pair, int32_t a, int32_t b)
{
  pair[0] = a < b ? a : b;
  pair[1] = a < b ? b : a;
}

// Makes round s of a tournament of n players: the last one stays, the others rotate.
static void circle_step (int32_t n, int32_t s, int32_t *pairs)
{
  put (pairs, n - 1, s);
  for (int32_t k = 1; k < n / 2; k++)
    put (pairs + 2 * k, (s + k) % (n - 1), (s - k + n - 1) % (n - 1));
}

// Makes step s of order n from a step of order n/2, that from one of order n/4 and so on down to an
// order 2*odd; the last step of each level pairs neighbours.
static void me_step (int32_t n, int32_t s, int32_t *pairs)
{
  if (n % 4 != 0) {
    circle_step (n, s, pairs);
    return;
  }
  if (s == n - 2) {
    for (int32_t i = 0; i < n / 2; i++)
      put (pairs + 2 * i, 2 * i, 2 * i + 1);
    return;
  }
  me_step (n / 2, s / 2, pairs);
  for (int32_t k = n / 4 - 1; k >= 0; k--) { // from the end, because each pair becomes two
    const int32_t i = pairs[2 * k], j = pairs[2 * k + 1], outer = s % 2 == 0;
    put (pairs + 4 * k, 2 * i, 2 * j + outer);
    put (pairs + 4 * k + 2, 2 * i + 1, 2 * j + !outer);
  }
}

//------------------------------------------------------------------------------
// modified modulus
//------------------------------------------------------------------------------

// Makes pair r of every step: sums of the shadows P and Q grow by one from step to step.
static void mm_chain (int32_t n, int32_t r, int32_t *pairs)
{
  int32_t P = r, Q = n - 1 - r, p = P, q = Q;
  for (int32_t s = 0; s < n; s++) {
    put (pairs + n * s + 2 * r, p, q);
    if (P + Q >= n - 1) {
      P++;
      if (P == Q)
        Q = P -= n / 2;
      p = P;
    } else
      q = ++Q;
  }
}

void gla_ordering_fill (gla_gsvd_ordering kind, int32_t n, int32_t *pairs)
{
  if (kind == GLA_GSVD_ORDERING_ME)
    for (int32_t s = 0; s < n - 1; s++)
      me_step (n, s, pairs + (int64_t)n * s);
  else
    for (int32_t r = 0; r < n / 2; r++)
      mm_chain (n, r, pairs);
}

//------------------------------------------------------------------------------
// blocks of columns that several devices share
//------------------------------------------------------------------------------

int32_t gla_ordering_parts (int32_t n)
{
  return n < 64 ? 2 : n < 128 ? 4 : n < 256 ? 8 : 16;
}

int32_t gla_ordering_blocks (int32_t n)
{
  const int32_t parts = gla_ordering_parts (n);
  return (n + parts - 1) / parts * parts;
}

int32_t gla_ordering_phase (gla_gsvd_ordering kind, int32_t n, int32_t devices, int32_t phase,
                            int32_t *first)
{
  const int32_t share = n / (2 * devices);
  *first = (2 * devices - 1 - phase) * share;
  return phase > 1 ? share : gla_ordering_steps (kind, n) - *first;
}

// Returns the opponent of block i of a part in step t of b: XOR within groups of 2^k blocks, b =
// 2^k * odd, and cyclically from group to group, so that every t is a matching.
static int32_t opponent (int32_t b, int32_t t, int32_t i)
{
  const int32_t group = b & -b;
  return (i / group + t / group) % (b / group) * group + ((i ^ t) & (group - 1));
}

// Makes one step: every part meets the one whose number differs in the bits of `turn`.
static int32_t *cross_step (int32_t parts, int32_t b, int32_t turn, int32_t t, int32_t *pairs)
{
  for (int32_t c = 0; c < parts; c++)
    for (int32_t i = 0; i < b && c < (c ^ turn); i++, pairs += 2)
      put (pairs, c * b + i, (c ^ turn) * b + opponent (b, t, i));
  return pairs;
}

// Makes the order of 2*b blocks, for adjacent parts two by two. It is written once, and then moved
// to its places from the last one on, none of which overwrites what is still to be moved.
static void last_steps (gla_gsvd_ordering kind, int32_t parts, int32_t b, int32_t *pairs)
{
  gla_ordering_fill (kind, 2 * b, pairs);
  for (int32_t s = gla_ordering_steps (kind, 2 * b) - 1; s >= 0; s--)
    for (int32_t k = parts / 2 - 1; k >= 0; k--)
      for (int32_t i = 2 * b - 1; i >= 0; i--)
        pairs[((int64_t)s * (parts / 2) + k) * 2 * b + i] =
            pairs[(int64_t)s * 2 * b + i] + k * 2 * b;
}

void gla_ordering_shared (gla_gsvd_ordering kind, int32_t n, int32_t devices, int32_t *pairs)
{
  const int32_t all = gla_ordering_parts (n), b = n / all;
  const int32_t here = all / devices, share = here / 2; // parts on a device, and in a share
  for (int32_t h = all - 1; h > 1; h--)
    for (int32_t t = b - 1; t >= 0; t--)
      pairs = cross_step (here, b, h < share ? h : share + h % share, t, pairs);
  last_steps (kind, here, b, pairs);
}

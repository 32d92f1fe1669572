// sparse_hermitian_rows.c: whether a sparse matrix whose rows are spread over ranks is Hermitian
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An element and its mirror image are on two ranks. Instead of sending them, each rank adds up a
// hash of its elements above the diagonal, with their places, and subtracts the hash of what the
// elements below the diagonal must have above it. Over all ranks nothing is left where A = A'.

#include "sparse_rows.h"

#include <stdlib.h>
#include <string.h>

int64_t gla_sparse_rows_column (const gla_sparse_rows *S, int64_t k)
{
  if (k < S->left)
    return S->columns[k];
  if (k < S->left + S->rows)
    return S->first[S->ranks->transport.rank] + k - S->left;
  return S->columns[k - S->rows];
}

static uint64_t bits_of (double x)
{
  uint64_t bits;
  x += 0.0; // of two zeros one
  memcpy (&bits, &x, sizeof bits);
  return bits;
}

// The finaliser of splitmix64 (Steele, Lea, Flood 2014).
static uint64_t mix (uint64_t z)
{
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static uint64_t hash (int64_t i, int64_t j, double re, double im)
{
  uint64_t h = mix ((uint64_t)i + 0x9e3779b97f4a7c15u);
  h = mix (h + (uint64_t)j + 0xd1342543de82ef95u);
  h = mix (h ^ bits_of (re));
  return mix (h + bits_of (im));
}

static void value_of (const gla_spmv_matrix *M, int64_t k, double *re, double *im)
{
  const float *f = M->csr.values;
  const double *d = M->csr.values;
  const int single = gla_type_real (M->csr.type) == GLA_TYPE_S;
  const int64_t parts = 1 + gla_type_is_complex (M->csr.type);
  *re = M->pattern ? M->value[0] : single ? (double)f[k * parts] : d[k * parts];
  *im = 0;
  if (parts == 2)
    *im = M->pattern ? M->value[1] : single ? (double)f[2 * k + 1] : d[2 * k + 1];
}

// The sum of this rank; *bad counts elements of the diagonal that are not real.
static uint64_t sum_of (const gla_sparse_rows *S, int64_t *bad)
{
  const gla_spmv_matrix *M = &S->local->faces[0].M;
  const gla_csr *c = &M->csr;
  const int64_t before = S->first[S->ranks->transport.rank];
  uint64_t sum = 0;
  *bad = 0;
  for (int64_t line = 0; line < c->rows; line++)
    for (int64_t k = gla_csr_at (c->start, c->index_bytes, line);
         k < gla_csr_at (c->start, c->index_bytes, line + 1); k++) {
      const int64_t other = gla_csr_at (c->index, c->index_bytes, k);
      const int by_columns = S->local->options.by_columns;
      const int64_t i = before + (by_columns ? other : line);
      const int64_t j = gla_sparse_rows_column (S, by_columns ? line : other);
      double re, im;
      value_of (M, k, &re, &im);
      if (re == 0 && im == 0)
        continue;
      if (i < j)
        sum += hash (i, j, re, im);
      else if (i > j)
        sum -= hash (j, i, re, -im);
      else
        *bad += im != 0;
    }
  return sum;
}

int gla_sparse_rows_hermitian (gla_sparse_rows *S)
{
  enum { PARTS = 4 }; // of 16 bits, whose sums over 65536 ranks are exact
  double sums[PARTS + 1] = {0};
  int64_t bad;
  if (S->hermitian >= 0)
    return S->hermitian;
  const uint64_t own = sum_of (S, &bad);
  for (int p = 0; p < PARTS; p++)
    sums[p] = (double)(own >> 16 * p & 0xffff);
  sums[PARTS] = (double)bad;
  if (gla_ranks_add (S->ranks, sums, PARTS + 1))
    return 0;
  uint64_t all = 0;
  for (int p = 0; p < PARTS; p++)
    all += (uint64_t)sums[p] << 16 * p;
  S->hermitian = all == 0 && sums[PARTS] == 0;
  if (S->hermitian && S->ranks->transport.ranks == 1)
    S->local->hermitian = 1;
  return S->hermitian;
}

// triplets.h: sparse matrices as a list of entries, and their products
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef TRIPLETS_H
#define TRIPLETS_H

#include "frame/elements.h"

//------------------------------------------------------------------------------
// matrices
//------------------------------------------------------------------------------

// A matrix as a list of entries (i, j, value), row by row; a description that the library does not
// use.
typedef struct {
  gla_type type;
  int64_t rows, columns, entries;
  int64_t *i, *j;
  double complex *value;
} triplets;

typedef enum { RANDOM, PATTERN, ARROW, HERMITIAN, EMPTY, KINDS } kind_of_matrix;

static inline int is_entry (kind_of_matrix kind, int64_t i, int64_t j, unsigned long long *seed)
{
  const double draw = check_random (seed);
  switch (kind) {
  case RANDOM:
  case PATTERN:
    return i % 5 != 3 && draw > 0.6; // with empty rows
  case ARROW:
    return i == 1 || j == 0 || i == j;
  case HERMITIAN:
    return (i * j + i + j) % 7 < 2;
  case EMPTY:
  case KINDS:
    break;
  }
  return 0;
}

static inline double complex entry (gla_type type, kind_of_matrix kind, int64_t i, int64_t j,
                                    unsigned long long *seed)
{
  const double complex x = check_random (seed) + check_random (seed) * I;
  const int complex_type = gla_type_is_complex (type);
  if (kind == PATTERN)
    return complex_type ? 0.5 - 2 * I : 0.5;
  if (kind == HERMITIAN) {
    const double re = cos ((double)(i + j)),
                 im = i == j ? 0 : sin ((double)(i * j)) * (i < j ? 1 : -1);
    return complex_type ? re + im * I : re;
  }
  return complex_type ? x : creal (x);
}

static inline triplets make (gla_type type, kind_of_matrix kind, int64_t rows, int64_t columns)
{
  unsigned long long seed = 7;
  const size_t most = (size_t)(kind == ARROW ? 3 * (rows + columns) : rows * columns) + 1;
  triplets t = {type, rows, columns, 0, malloc (8 * most), malloc (8 * most), malloc (16 * most)};
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < columns; j++) {
      if (kind == ARROW && i != 1 && j != 0 && i != j) {
        j = j < i ? i - 1 : columns; // no entries in between
        continue;
      }
      if (!is_entry (kind, i, j, &seed))
        continue;
      t.i[t.entries] = i;
      t.j[t.entries] = j;
      t.value[t.entries++] = entry (type, kind, i, j, &seed);
    }
  return t;
}

static inline void triplets_free (triplets *t)
{
  free (t->i);
  free (t->j);
  free (t->value);
}

static inline void set_index (int bytes, void *x, int64_t at, int64_t value)
{
  if (bytes == 4)
    ((int32_t *)x)[at] = (int32_t)value;
  else
    ((int64_t *)x)[at] = value;
}

// The matrix by rows or by columns; free it by csr_free.
static inline gla_csr to_csr (const triplets *t, int bytes, int by_columns)
{
  const int64_t lines = by_columns ? t->columns : t->rows;
  int64_t *count = calloc ((size_t)lines + 1, 8);
  void *start = malloc ((size_t)(lines + 1) * 8), *index = malloc ((size_t)t->entries * 8 + 8);
  void *values = malloc ((size_t)t->entries * 16 + 16);
  for (int64_t k = 0; k < t->entries; k++)
    count[(by_columns ? t->j : t->i)[k] + 1]++;
  for (int64_t l = 0; l < lines; l++)
    count[l + 1] += count[l];
  for (int64_t l = 0; l <= lines; l++)
    set_index (bytes, start, l, count[l]);
  for (int64_t k = 0; k < t->entries; k++) {
    const int64_t at = count[(by_columns ? t->j : t->i)[k]]++;
    set_index (bytes, index, at, (by_columns ? t->i : t->j)[k]);
    set (t->type, values, at, t->value[k]);
  }
  free (count);
  return (gla_csr){t->type, t->rows, t->columns, bytes, start, index, values};
}

static inline void csr_free (gla_csr *c)
{
  free ((void *)c->start);
  free ((void *)c->index);
  free ((void *)c->values);
}

//------------------------------------------------------------------------------
// products
//------------------------------------------------------------------------------

// The largest |y - op(A)*x|, over |A|*|x| of that element and eps.
static inline double error_of (const triplets *t, char op, const gla_array *x, const gla_array *y)
{
  double worst = 0;
  double complex *sum = malloc ((size_t)y->rows * 16 + 16);
  double *size = malloc ((size_t)y->rows * 8 + 8);
  for (int64_t c = 0; c < x->columns; c++) {
    for (int64_t i = 0; i < y->rows; i++)
      sum[i] = 0, size[i] = 1e-300;
    for (int64_t k = 0; k < t->entries; k++) {
      const int64_t to = op == 'N' ? t->i[k] : t->j[k], from = op == 'N' ? t->j[k] : t->i[k];
      const double complex v = op == 'C' ? conj (t->value[k]) : t->value[k];
      const double complex u = get (x->type, x->data, from + c * x->column_stride);
      sum[to] += v * u;
      size[to] += cabs (v) * cabs (u);
    }
    for (int64_t i = 0; i < y->rows; i++) {
      const double d = cabs (get (y->type, y->data, i + c * y->column_stride) - sum[i]);
      worst = fmax (worst, isnan (d) ? INFINITY : d / size[i]);
    }
  }
  free (sum);
  free (size);
  return worst / gla_type_eps (t->type);
}

static inline gla_array random_array (gla_type type, int64_t rows, int64_t columns, int64_t ld)
{
  unsigned long long seed = 3;
  void *data = malloc ((size_t)(ld * columns) * 16 + 16);
  for (int64_t k = 0; k < ld * columns; k++)
    set (type, data, k, check_random (&seed) + check_random (&seed) * I);
  gla_array a = gla_array_packed (data, type, rows, columns, 1, GLA_DEVICE_HOST);
  a.column_stride = ld;
  return a;
}

#endif

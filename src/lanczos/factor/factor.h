// factor.h: sparse Hermitian factors, for src/ only
// SPDX-License-Identifier: GPL-3.0-or-later
//
// P*(A - s*I)*P' = L*D*L' by the multifrontal method (Duff and Reid 1983). Columns with nearly the
// same rows below them form a front, a dense matrix. Pivots of order 1 and 2 after Bunch and
// Kaufman (1977) are sought in the diagonal block of a panel only, so that the structure is known
// in advance.

#ifndef GPULINALG_FACTOR_H
#define GPULINALG_FACTOR_H

#include "spmv/sparse.h"

// Columns first to first+width-1 of the factor, and `below` rows under them.
typedef struct {
  int64_t first, width, below;
  int64_t rows;    // where the rows below begin in gla_factor.rows, ascending
  int64_t parent;  // the front that adds its remaining matrix, or -1
  int64_t entries; // where its columns begin in the values, (width+below) x width
} gla_front;

struct gla_factor {
  gla_type type; // GLA_TYPE_D or GLA_TYPE_Z
  int64_t n;
  int64_t *order;   // column k of the factor is column order[k] of A
  int64_t *inverse; // of order
  int64_t n_fronts;
  gla_front *fronts; // children before their parents
  int64_t *rows;
  int64_t most_width, most_below; // of a front
  int64_t most_stacked;           // elements that wait for parents, at most
  int64_t n_entries;
  void *values;
  double *d;      // the diagonal of D
  void *e;        // below it; not zero in the first column of a pivot of order 2
  int32_t *swaps; // place in its panel from which each column of the factor comes
  void *work;     // for solving: vectors in order, and rows of one front
  int64_t work_columns;
  double smallest;  // pivots up to this count as zero
  int64_t negative; // eigenvalues below the shift
};

// Returns the columns of a front that are factored together, from column `at` on.
static inline int64_t gla_front_panel (const gla_front *f, int64_t at)
{
  enum { PANEL = 48, LAST = 64 };
  const int64_t left = f->width - at;
  return left <= LAST ? left : PANEL;
}

// Finds the fronts of A for the given order, which becomes a postorder of the elimination tree;
// *flops as if all pivots had order 1. GLA_ERROR_OUT_OF_MEMORY, GLA_ERROR_NOT_HERMITIAN if entries
// of one triangle are missing.
gla_status gla_factor_analyse (gla_factor *F, const gla_csr *A, double *flops);

// Computes the values; *singular if a panel has no pivot. GLA_ERROR_STOPPED,
// GLA_ERROR_OUT_OF_MEMORY.
gla_status gla_factor_fill_d (gla_factor *F, const gla_csr *A, double shift, gla_context *ctx,
                              int *singular);
gla_status gla_factor_fill_z (gla_factor *F, const gla_csr *A, double shift, gla_context *ctx,
                              int *singular);
// Replaces X (n x columns, in the factor's order) by the solution.
void gla_factor_apply_d (const gla_factor *F, double *X, int64_t columns, double *rows);
void gla_factor_apply_z (const gla_factor *F, double *X, int64_t columns, double *rows);

#endif

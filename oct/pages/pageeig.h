// pageeig.h: what the files of pageeig share
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_OCT_PAGEEIG_H
#define GPULINALG_OCT_PAGEEIG_H

#include "common/gla_octave.h"

#include <octave/boolNDArray.h>
#include <octave/int32NDArray.h>

struct pageeig_request {
  int outputs;
  bool matrix;        // D as diagonal pages
  bool balance;       // of pages that are not Hermitian
  octave_value place; // of Hermitian pages
};

// Which pages hold NaN or Inf, which others are Hermitian, and which have no imaginary parts.
struct page_kinds {
  boolNDArray bad, hermitian, real;
};
// Finds those of the first pages of X.
page_kinds kinds_of_pages (gla::call &call, const octave_value &X, octave_idx_type pages);

// Eigenvalues, vectors if they are wanted, and a nonzero info for pages that failed.
struct page_eigen {
  octave_value V, D, W;
  int32NDArray info;
};
page_eigen solve_pages (octave::interpreter &interp, const octave_value &X,
                        const pageeig_request &want);

#endif

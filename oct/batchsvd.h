// batchsvd.h: what batchsvd and pagesvd share
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_OCT_BATCHSVD_H
#define GPULINALG_OCT_BATCHSVD_H

#include "gla_octave.h"

struct svd_request {
  gla_svd_options svd;
  bool economy;
  bool vectors; // return U and V
  bool matrix;  // return S as diagonal pages
  bool info;    // return info; then failed pages give no warning
};

// [U, S, V, info], or S alone, of a full array of floating point numbers.
octave_value_list decompose_pages (const char *who, gla::call &call, const octave_value &A,
                                   const svd_request &want);

#endif

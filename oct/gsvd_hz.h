// gsvd_hz.h: what gsvd_hz is asked for, and the call of the library for it
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_GSVD_HZ_H
#define GPULINALG_GSVD_HZ_H

#include "gla_octave.h"

struct gsvd_request {
  gla_gsvd_options gsvd;
  bool economy;
  int outputs; // at least 1: Octave keeps the first one in ans
};

// The outputs of gsvd_hz for arrays that have been checked.
octave_value_list gsvd_hz_solve (gla::call &call, const octave_value &A, const octave_value &B,
                                 const gsvd_request &want);

#endif

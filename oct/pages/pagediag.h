// pagediag.h: what pagediag and pagetrace share
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PAGEDIAG_H
#define GPULINALG_PAGEDIAG_H

#include "arrays/gpu_pages.h"

namespace gla
{

// Does gla_pagediag of all pages of A. The pages of the result are rows x columns; opts has
// "device" and "progress".
octave_value_list diagonals (const char *who, const octave_value &A, gla_diag what, int64_t k,
                             const dim_vector &page, const options &opts);

} // namespace gla

#endif

// qr_block.h: the function that qr_block.cc calls for "solve"
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_QR_BLOCK_H
#define GPULINALG_QR_BLOCK_H

#include "gla_octave.h"

// The outputs of qr_block (A, B, "solve") for checked arrays.
octave_value_list qr_block_least_squares (gla::call &call, const octave_value &A,
                                          const octave_value &B, const gla_qr_options &options,
                                          int outputs);

#endif

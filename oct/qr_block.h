// qr_block.h: what the files of qr_block share
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_QR_BLOCK_H
#define GPULINALG_QR_BLOCK_H

#include "gla_octave.h"

// The outputs of qr_block (A, B, "solve") for arrays that have been checked.
octave_value_list qr_block_least_squares (gla::call &call, const octave_value &A,
                                          const octave_value &B, const gla_qr_options &options,
                                          int outputs);

#endif

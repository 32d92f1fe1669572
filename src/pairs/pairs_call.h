// pairs_call.h: gla_batcheig_pairs as an operation on pages, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PAIRS_CALL_H
#define GPULINALG_PAIRS_CALL_H

#include "pairs_run.h"

// Does all pages, on GPUs or, in groups, on the CPU.
gla_status gla_pairs_call (gla_pairs_run *p);

#endif

// product_run.h: products of pages of which one triangle is known, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PRODUCT_RUN_H
#define GPULINALG_PRODUCT_RUN_H

#include "gpulinalg.h"

// Does gla_pagemul on the CPU, for square products that are known to be Hermitian, or symmetric if
// one operand is real and the other complex: one triangle is computed and the other one copied.
gla_status gla_pagemul_mirrored (gla_context *ctx, const gla_array *A, const gla_array *B,
                                 const gla_pagemul_results *results,
                                 const gla_pagemul_options *options);

#endif

// gsvd_serve.h: a rank's part in the sweeps of a pair that rank 0 has, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_GSVD_SERVE_H
#define GPULINALG_GSVD_SERVE_H

#include "context.h"

// Does the sweeps that ctx->gsvd_ranks describes, on the CPU, whatever the context's place. A and B
// have the type and the shapes of the pair, one page and no data.
gla_status gla_gsvd_serve (gla_context *ctx, const gla_array *A, const gla_array *B,
                           const gla_gsvd_options *options);

#endif

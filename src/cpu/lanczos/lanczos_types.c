// lanczos_types.c: the Lanczos basis of one type on the CPU
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per type, with -DGLA_T=<type>.

#include "lanczos.h"
#include "lanczos_block.h"
#include "lanczos_expand.h"
#include "lanczos_plain.h"

const gla_cpu_krylov_functions GLA_NAME (gla_cpu_krylov) = {start, expand, rotate,
                                                            check, plain,  combine};

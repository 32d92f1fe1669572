// krylov_types.c: the Lanczos basis of one type on the CPU
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per type, with -DGLA_T=<type>.

#include "krylov.h"
#include "krylov_block.h"
#include "krylov_expand.h"
#include "krylov_plain.h"
#include "krylov_rotate.h"

const gla_cpu_krylov_functions GLA_NAME (gla_cpu_krylov) = {start, expand, rotate,
                                                            check, plain,  combine};

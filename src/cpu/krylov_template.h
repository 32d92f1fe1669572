// krylov_template.h: the Lanczos basis of one type
// SPDX-License-Identifier: GPL-3.0-or-later

#include "types_begin.h"
#include "blas_template.h"
#include "krylov_sweep_template.h"
#include "krylov_vector_template.h"
#include "krylov_block_template.h"
#include "krylov_expand_template.h"
#include "krylov_turn_template.h"
#include "krylov_plain_template.h"
#include "types_end.h"

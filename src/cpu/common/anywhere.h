// anywhere.h: a register of real numbers at any address
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_COMMON_ANYWHERE_H
#define GPULINALG_CPU_COMMON_ANYWHERE_H

#include "lanes.h"

// As vec, aligned to a number only: for reading and writing numbers that stand side by side.
typedef real vec_anywhere
    __attribute__ ((vector_size (GLA_VECTOR_BYTES), aligned (sizeof (real)), may_alias));

#endif

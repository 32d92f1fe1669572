// reflector.h: Householder's formulas for one reflector
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_COMMON_REFLECTOR_H
#define GPULINALG_CPU_COMMON_REFLECTOR_H

#include "common/scalar.h"

#include <math.h>

// Represents H = I - tau [1; x*inv] [1; x*inv]' with H' [alpha; x] = [beta; 0], as LAPACK's larfg.
typedef struct {
  real beta;
  scalar tau, inv;
} reflector;

static reflector no_reflector (scalar alpha)
{
  return (reflector){__real__ alpha, scalar_make (0, 0), scalar_make (0, 0)};
}

// Returns the reflector; sum: |x|^2.
static reflector reflect (scalar alpha, real sum)
{
  reflector h;
  h.beta = -(real)copysign (real_sqrt (scalar_abs2 (alpha) + sum), __real__ alpha);
  h.tau = scalar_make ((h.beta - __real__ alpha) / h.beta, -__imag__ alpha / h.beta);
  h.inv = scalar_inverse (scalar_make (__real__ alpha - h.beta, __imag__ alpha));
  return h;
}

#endif

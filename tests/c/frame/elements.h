// elements.h: reads and compares elements of arrays of any type
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef ELEMENTS_H
#define ELEMENTS_H

#include "check.h"

static inline void set (gla_type type, void *x, int64_t at, double complex value)
{
  switch (type) {
  case GLA_TYPE_S:
    ((float *)x)[at] = (float)creal (value);
    break;
  case GLA_TYPE_D:
    ((double *)x)[at] = creal (value);
    break;
  case GLA_TYPE_C:
    ((float complex *)x)[at] = (float complex)value;
    break;
  case GLA_TYPE_Z:
    ((double complex *)x)[at] = value;
    break;
  }
}

static inline double complex get (gla_type type, const void *x, int64_t at)
{
  switch (type) {
  case GLA_TYPE_S:
    return ((const float *)x)[at];
  case GLA_TYPE_D:
    return ((const double *)x)[at];
  case GLA_TYPE_C:
    return ((const float complex *)x)[at];
  case GLA_TYPE_Z:
    return ((const double complex *)x)[at];
  }
  return NAN;
}

#endif

// for_type.cuh: from a gla_type to a template for that type
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Called by the host code of all topics.

#ifndef GPULINALG_FOR_TYPE_CUH
#define GPULINALG_FOR_TYPE_CUH

#include "gpulinalg.h"
#include "scalar.cuh"

// Calls f with a zero of the type: float, double, cx<float> or cx<double>. As in
// for_type (job.type, [&] (auto zero) { return submit<decltype (zero)> (job); })
template <class F> auto for_type (gla_type type, F f)
{
  switch (type) {
  case GLA_TYPE_S:
    return f (float ());
  case GLA_TYPE_D:
    return f (double ());
  case GLA_TYPE_C:
    return f (cx<float> ());
  default:
    return f (cx<double> ());
  }
}

#endif

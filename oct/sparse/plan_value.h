// plan_value.h: Octave variables that hold plans, and their transposes
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PLAN_VALUE_H
#define GPULINALG_PLAN_VALUE_H

#include "sparse_matrix.h"

namespace gla
{

// What a variable holds: P, P.', P' or conj (P), all with the same prepared matrix.
struct plan_view {
  std::shared_ptr<gla::plan> plan;
  bool transposed = false, conjugated = false;

  explicit operator bool () const { return static_cast<bool> (plan); }
  // This view transposed or conjugated once more.
  plan_view then (bool transpose, bool conjugate) const;
  dim_vector dims () const;
  octave_value matrix () const;
  bool is_complex () const;
  const char *precision () const; // "single" or "double"
};

// The view that a value holds; one without a plan if the value is of another type.
plan_view plan_of (const octave_value &v);

octave_value value_of (const plan_view &view);

// Registers the type and its operators with Octave.
void register_plans (octave::interpreter &interp);

// Registers the products of plans and gpuArrays once both types are.
void register_products_of_gpu_arrays (octave::type_info &types);

// The product of a plan, or of its transpose, with full vectors X. `device` may be undefined.
octave_value multiply_plan (octave::interpreter &interp, const plan_view &view,
                            const octave_value &X, const octave_value &device);

} // namespace gla

#endif

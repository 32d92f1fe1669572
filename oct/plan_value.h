// plan_value.h: variables that hold plans, as they are or transposed
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PLAN_VALUE_H
#define GPULINALG_PLAN_VALUE_H

#include "sparse_matrix.h"

namespace gla
{

// A plan as a variable holds it: P, P.', P' or conj (P), all with the same prepared matrix.
struct plan_view {
  std::shared_ptr<gla::plan> plan;
  bool transposed = false, conjugated = false;

  explicit operator bool () const { return static_cast<bool> (plan); }
  plan_view then (bool transpose, bool conjugate) const;
  dim_vector dims () const;
  octave_value matrix () const;
  bool is_complex () const;
};

// The plan that a value holds; without one where it holds something else.
plan_view plan_of (const octave_value &v);

octave_value value_of (const plan_view &view);

// Makes Octave know the type, with its operators.
void register_plans (octave::interpreter &interp);

// spmv: the product with full vectors X, transposed as the view says. `device` may be undefined.
octave_value multiply_plan (octave::interpreter &interp, const plan_view &view,
                            const octave_value &X, const octave_value &device);

} // namespace gla

#endif

// gpu_kept_passes.h: what one kernel does for arrayfun, and functions for which that is known
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Calling a function for its steps takes longer than launching them. So the steps of an anonymous
// function are kept for the next call with the same handle, if they must be the same.

#ifndef GPULINALG_GPU_KEPT_PASSES_H
#define GPULINALG_GPU_KEPT_PASSES_H

#include "gpu_device.h"

#include <string>
#include <vector>

namespace gla
{

// Steps for one kernel. Values are counted as in gla_nd_steps.
struct one_pass {
  std::vector<gla_nd> inputs;
  std::vector<int> arrays; // those of the inputs that are arrays, in the order of the call
  std::vector<gla_nd_step> steps;
  std::vector<int> results;
  std::vector<char> types; // of the results
  bool asks = false;       // an element may leave the domain
};

// Calls of arrayfun with the same steps: the function's handle, and for each argument the type of
// its elements, or the number of the host that it is.
class kept_call
{
public:
  kept_call (const octave_value &f, const octave_value_list &arrays, int outputs);
  // Returns the steps; NULL: the function must be called.
  const one_pass *find () const;
  // Keeps these steps if the same function was called before, and its steps depend on nothing else.
  void keep (const one_pass &pass) const;
  // Drops the steps: an element has left the domain.
  void forget () const;

private:
  octave_value m_f;
  std::vector<char> m_types;      // 0: none that can be kept
  std::vector<Complex> m_numbers; // 0 for arrays
  octave_value m_array;           // one of the arguments that are gpuArrays
  int m_outputs;
  bool m_serves;

  friend struct kept_pass;
};

} // namespace gla

#endif

// gpu_builtins.cc: functions of Octave's own that also take gpuArrays, without a file of @gpuArray
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A file in inst/@gpuArray that calls on takes as long as the operation itself. Functions of the
// same names take the places of Octave's own; they look for gpuArrays among the arguments, and pass
// all other calls on.

#include "gpu_operators.h"
#include "gpu_trace.h"

namespace gla
{

namespace
{

const char *const names[] = {"sum", "prod", "sumsq", "any",  "all",      "cumsum", "cumprod",
                             "max", "min",  "find",  "sort", "arrayfun", "fft",    "ifft"};
constexpr int name_count = sizeof names / sizeof *names;

octave_value &own_function (int k)
{
  static octave_value functions[name_count];
  return functions[k];
}

bool any_on_gpus (const octave_value_list &args)
{
  for (octave_idx_type k = 0; k < args.length (); k++)
    if (is_gpu_array (args (k)) || is_traced (args (k)))
      return true;
  return false;
}

template <int k>
octave_value_list builtin (octave::interpreter &interp, const octave_value_list &args, int nargout)
{
  if (!any_on_gpus (args))
    return call_builtin (interp, own_function (k), args, nargout);
  return guarded (names[k], [&] () {
    const octave_value_list results = gpu_function (names[k], args, nargout);
    if (nargout > 1 && nargout > results.length ())
      error_with_id ("Octave:invalid-fun-call", "%s: function called with too many outputs",
                     names[k]);
    return results;
  });
}

template <int k> void install (octave::interpreter &interp)
{
  own_function (k) = replace_builtin (interp, names[k], builtin<k>);
  install<k + 1> (interp);
}
template <> void install<name_count> (octave::interpreter &) {}

} // namespace

void install_gpu_builtins (octave::interpreter &interp)
{
  install<0> (interp);
}

} // namespace gla

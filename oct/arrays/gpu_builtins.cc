// gpu_builtins.cc: built-in functions of Octave that also take gpuArrays, without a file of
// @gpuArray
// SPDX-License-Identifier: GPL-3.0-or-later
// Calling through a file in inst/@gpuArray takes as long as the operation itself. So functions of
// the same names replace Octave's built-in ones; they look for gpuArrays among the arguments, and
// pass all other calls on. An m-file of Octave stays one, with a file in inst/@gpuArray: Octave can
// dispatch a class to a built-in function, but function handles then do not find it.

#include "gpu_operators.h"
#include "gpu_trace.h"

namespace gla
{

namespace
{

// Functions with gpuArrays as arguments.
const char *const names[] = {
    "sum",  "prod",    "sumsq",   "any",      "all",    "cumsum",  "cumprod", "max",    "min",
    "find", "sort",    "nnz",     "norm",     "dot",    "mod",     "rem",     "hypot",  "atan2",
    "diag", "complex", "logical", "arrayfun", "cat",    "horzcat", "vertcat", "fft",    "ifft",
    "fft2", "ifft2",   "fftn",    "ifftn",    "bsxfun", "triu",    "tril",    "ellipj", "merge",
    "diff", "kron",    "ifelse",  "cummax",   "cummin"};
constexpr int name_count = sizeof names / sizeof *names;

// Functions for which a gpuArray may be a size, an order or a dimension, from this argument on.
const struct {
  const char *name;
  int first;
} takers[] = {{"reshape", 1}, {"permute", 1}, {"ipermute", 1}, {"resize", 1},
              {"size", 1},    {"cell", 0},    {"sub2ind", 0},  {"ind2sub", 0},
              {"rande", 0},   {"randg", 0},   {"randp", 0},    {"colon", 0}};
constexpr int taker_count = sizeof takers / sizeof *takers;

octave_value &own_function (int k)
{
  static octave_value functions[name_count + taker_count];
  return functions[k];
}

bool any_on_gpus (const octave_value_list &args)
{
  for (octave_idx_type k = 0; k < args.length (); k++)
    if (is_gpu_array (args (k)) || is_traced (args (k)))
      return true;
  return false;
}

octave_value_list results_of (const char *name, const octave_value_list &args, int nargout)
{
  return guarded (name, [&] () {
    const octave_value_list results = gpu_function (name, args, nargout);
    if (nargout > 1 && nargout > results.length ())
      error_with_id ("Octave:invalid-fun-call", "%s: function called with too many outputs", name);
    return results;
  });
}

template <int k>
octave_value_list builtin (octave::interpreter &interp, const octave_value_list &args, int nargout)
{
  return any_on_gpus (args) ? results_of (names[k], args, nargout)
                            : call_own (interp, names[k], own_function (k), args, nargout);
}

template <int k>
octave_value_list taker (octave::interpreter &interp, const octave_value_list &args, int nargout)
{
  octave_value_list all = args;
  for (octave_idx_type j = takers[k].first; j < args.length (); j++)
    if (is_gpu_array (args (j)))
      all (j) = gathered (args (j));
  return call_own (interp, takers[k].name, own_function (name_count + k), all, nargout);
}

template <int k> void install (octave::interpreter &interp)
{
  own_function (k) = replace_function (interp, names[k], builtin<k>);
  install<k + 1> (interp);
}
template <> void install<name_count> (octave::interpreter &) {}

template <int k> void install_takers (octave::interpreter &interp)
{
  own_function (name_count + k) = replace_function (interp, takers[k].name, taker<k>);
  install_takers<k + 1> (interp);
}
template <> void install_takers<taker_count> (octave::interpreter &) {}

const char *const restore_name = "__gpulinalg_restore__"; // PKG_DEL calls it
bool replaced = false;

octave_value_list restore (octave::interpreter &interp, const octave_value_list &, int)
{
  restore_functions (interp);
  set_builtin (interp, restore_name, nullptr);
  replaced = false;
  return octave_value_list ();
}

} // namespace

void replace_functions (octave::interpreter &interp)
{
  // a function handle may call gpuArray after "pkg unload", when nothing would restore
  if (replaced || !is_function (interp, "gpuArray"))
    return;
  install_gpu_makers (interp);
  install<0> (interp);
  install_takers<0> (interp);
  set_builtin (interp, restore_name, restore);
  replaced = true;
}

gpu_arrays_inside::gpu_arrays_inside (octave::interpreter &interp)
    : m_interp (interp), m_restore (!replaced)
{
  begin_gpu_arrays (interp);
}

gpu_arrays_inside::~gpu_arrays_inside ()
{
  if (m_restore && replaced)
    restore (m_interp, octave_value_list (), 0);
}

} // namespace gla

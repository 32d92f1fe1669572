// gpu_functions.cc: functions of gpuArrays by their names
// SPDX-License-Identifier: GPL-3.0-or-later
//
// `table` says which function serves a name. Octave's own functions are replaced by calls of these
// (gpu_builtins.cc), or inst/@gpuArray/NAME.m calls __gpu_array__ with its name. This file checks
// the forms of the arguments before a GPU or the interpreter does the work, so that scripts get the
// same errors with and without a GPU.

#include "pages/batchsvd.h"
#include "gpu_device.h"
#include "gpu_operators.h"
#include "gpu_pages.h"
#include "gpu_trace.h"

#include <cmath>
#include <limits>

namespace gla
{

namespace
{

typedef octave_value_list (*gpu_handler) (const char *name, const octave_value_list &args,
                                          int outputs);

//------------------------------------------------------------------------------
// arguments
//------------------------------------------------------------------------------

bool any_complex (const char *name, const octave_value_list &args)
{
  bool complex = false;
  for (octave_idx_type k = 0; k < args.length (); k++)
    complex = is_complex (element_type (name, args (k))) || complex;
  return complex;
}

OCTAVE_NORETURN void other_form (const char *name)
{
  error_with_id ("gpulinalg:gather-needed",
                 "%s: a gpuArray has no such form of this function; gather (G) copies it to the "
                 "host",
                 name);
}

void check_length (const char *name, const octave_value_list &args, int least, int most)
{
  if (args.length () < least)
    error_with_id ("Octave:invalid-fun-call", "Invalid call to %s", name);
  if (args.length () > most)
    other_form (name);
}

// A dimension, from 1.
int read_dimension (const char *name, const octave_value &v)
{
  const octave_value d = gathered (v);
  const double x = is_real_scalar (d) ? d.double_value () : 0;
  if (!(x >= 1 && x == std::floor (x)) || d.is_string ())
    other_form (name);
  return static_cast<int> (std::min (x, 1e9));
}

// Returns a gpuArray of the results of the host, the first of which may be complex.
octave_value_list wrapped (const octave_value_list &results, bool complex)
{
  octave_value_list all;
  for (octave_idx_type k = 0; k < results.length (); k++)
    all.append (value_of (gpu_value (results (k), k == 0 && complex)));
  return all;
}

// Serves functions of arrays of the host that have a gpuArray as another argument: a size or a
// dimension.
octave_value_list of_host (const char *name, const octave_value_list &args, int outputs)
{
  return feval (the_interpreter (), name, gathered (args), outputs);
}

//------------------------------------------------------------------------------
// reductions
//------------------------------------------------------------------------------

// Removes "double" and "native" after the arguments of sum and prod: the class of the result, which
// is that of x except for "double". For logical arrays "native" is another function.
octave_value_list without_class (const char *name, const octave_value_list &args)
{
  const octave_idx_type last = args.length () - 1;
  const std::string word = last > 0 && is_text (args (last)) ? args (last).string_value () : "";
  const bool sums = std::strcmp (name, "sum") == 0 || std::strcmp (name, "prod") == 0;
  if (!sums || (word != "double" && (word != "native" || args (0).islogical ())))
    return args;
  octave_value_list rest = args.slice (0, last);
  if (word == "double")
    rest (0) =
        value_of (converted (gpu_value_of (rest (0)), type_letter (false, rest (0).iscomplex ())));
  return rest;
}

octave_value_list reduce (const char *name, const octave_value_list &given, int outputs)
{
  check_length (name, given, 1, 3);
  if (!is_gpu_array (given (0)))
    return of_host (name, given, outputs);
  const octave_value_list args = without_class (name, given);
  check_length (name, args, 1, 2);
  const int dim = args.length () == 2 ? read_dimension (name, args (1)) : 0;
  const gpu_value &x = gpu_value_of (args (0));
  if (x.on_gpu ())
    return ovl (value_of (on_gpu::reduced (name, x, dim - 1)));
  octave_value_list all = ovl (args (0));
  if (dim > 0)
    all.append (octave_value (dim));
  const std::string word = name;
  const bool complex = is_complex (x.type ()) && word != "any" && word != "all" && word != "sumsq";
  return wrapped (on_host (name, all), complex);
}

// max (x), max (x, [], dim), max (x, y).
octave_value_list extremes (const char *name, const octave_value_list &args, int outputs)
{
  check_length (name, args, 1, 3);
  if (args.length () == 2) {
    if (outputs > 1)
      error_with_id ("Octave:invalid-fun-call",
                     "%s: two output arguments are not possible with two input arrays", name);
    const gpu_op op = std::strcmp (name, "max") == 0 ? gpu_op::max : gpu_op::min;
    return ovl (value_of (binary (op, args (0), args (1))));
  }
  if (!is_gpu_array (args (0)))
    return of_host (name, args, outputs);
  octave_value_list all = ovl (args (0));
  int dim = 0;
  if (args.length () == 3) {
    if (!args (1).isempty ())
      other_form (name);
    dim = read_dimension (name, args (2));
    all = ovl (args (0), Matrix (), dim);
  }
  if (any_on_gpu (args))
    return on_gpu::extremes (name, gpu_value_of (args (0)), dim - 1, outputs);
  return wrapped (on_host (name, all, std::min (outputs, 2)),
                  is_complex (gpu_value_of (args (0)).type ()));
}

octave_value_list count_nonzeros (const char *name, const octave_value_list &args, int)
{
  check_length (name, args, 1, 1);
  if (any_on_gpu (args)) {
    const octave_value mask = value_of (binary (gpu_op::ne, args (0), octave_value (0.0)));
    const gpu_value column = reshaped (gpu_value_of (mask), dim_vector (mask.numel (), 1));
    return ovl (value_of (on_gpu::reduced ("sum", column, 0)));
  }
  return wrapped (on_host (name, args), false);
}

octave_value_list find (const char *name, const octave_value_list &args, int outputs)
{
  check_length (name, args, 1, 3);
  if (outputs > 3)
    other_form (name);
  if (!is_gpu_array (args (0)))
    return of_host (name, args, outputs);
  if (any_on_gpu (args))
    return on_gpu::find (args, outputs);
  octave_value_list found = on_host (name, args, outputs);
  const bool complex = is_complex (element_type (name, args (0)));
  octave_value_list all;
  for (octave_idx_type k = 0; k < found.length (); k++)
    all.append (value_of (gpu_value (found (k), complex && k == 2)));
  return all;
}

//------------------------------------------------------------------------------
// elements and shapes
//------------------------------------------------------------------------------

template <gpu_op op> octave_value_list expand (const char *name, const octave_value_list &args, int)
{
  check_length (name, args, 2, 2);
  return ovl (value_of (binary (op, args (0), args (1))));
}

octave_value_list make_complex (const char *name, const octave_value_list &args, int)
{
  check_length (name, args, 1, 2);
  (void)any_complex (name, args);
  if (any_on_gpu (args))
    return ovl (value_of (
        args.length () == 2
            ? on_gpu::made_complex (args (0), args (1))
            : converted (gpu_value_of (args (0)), type_letter (args (0).is_single_type (), true))));
  return ovl (value_of (on_host_as (name, args, true)));
}

octave_value_list never_complex (const char *name, const octave_value_list &args, int)
{
  check_length (name, args, 1, 2);
  if (any_on_gpu (args))
    return ovl (value_of (on_gpu::real_function (name, args)));
  return ovl (value_of (on_host_as (name, args, false)));
}

// Removes "UniformOutput", true, the only option that there is.
octave_value_list without_options (octave_value_list args)
{
  while (args.length () > 3 && is_text (args (args.length () - 2))) {
    const octave_idx_type at = args.length () - 2;
    const std::string option = args (at).string_value ();
    if (lower_case (option) != "uniformoutput" || !args (at + 1).is_true ())
      error_with_id ("gpulinalg:gather-needed",
                     "arrayfun: with gpuArrays there is no option \"%s\"; gather (G) copies them "
                     "to the host",
                     option.c_str ());
    args = args.slice (0, at);
  }
  return args;
}

octave_value_list arrayfun (const char *name, const octave_value_list &args, int outputs)
{
  check_length (name, args, 2, static_cast<int> (args.length ()));
  return gpu_arrayfun (without_options (args), outputs);
}

octave_value_list count_passes (const char *, const octave_value_list &, int)
{
  return ovl (arrayfun_passes ());
}

octave_value_list count_kept (const char *, const octave_value_list &, int)
{
  return ovl (arrayfun_kept ());
}

octave_value_list count_solved_rows (const char *, const octave_value_list &, int)
{
  return ovl (static_cast<double> (GLA_PAGESOLVE_GPU_ROWS));
}

// Reads dimension and direction after x in the arguments of sort; the dimension counts from 1. A
// dimension that x does not have is an error only in Octave's own sort with two outputs before
// version 11.
void read_order (const octave_value_list &args, int outputs, int &dim, bool &descending)
{
  const dim_vector dims = args (0).dims ();
  octave_idx_type next = 1;
  dim = dims.first_non_singleton () + 1;
  descending = false;
  if (next < args.length () && !args (next).is_string ()) {
    const octave_value d = gathered (args (next++));
    const double x = is_real_scalar (d) ? d.double_value () : 0;
    if (!(x >= 1 && x == std::floor (x) && x <= std::numeric_limits<int>::max ()))
      error_with_id ("gpulinalg:bad-value", "sort: DIM must be a valid dimension");
    dim = static_cast<int> (x);
    if (dim > dims.ndims () && dims.numel () != 1)
      on_host ("sort", ovl (Matrix (1, 2), x), outputs);
  }
  if (next < args.length ()) {
    const std::string mode = is_text (args (next)) ? lower_case (args (next).string_value ()) : "";
    descending = mode == "descend";
    if ((mode != "ascend" && mode != "descend") || next + 1 < args.length ())
      error_with_id ("gpulinalg:bad-value", "sort: MODE must be either \"ascend\" or \"descend\"");
  }
}

// The dimension to be sorted becomes the first one, and all others are columns.
octave_value_list sort_on_gpu (const gpu_value &x, int dim, bool descending, int outputs)
{
  const dim_vector dims = x.dims ();
  if (dims.numel () == 0)
    return ovl (value_of (x), value_of (converted (x, 'd')));
  Array<int> order (dim_vector (dims.ndims (), 1));
  for (int k = 0; k < dims.ndims (); k++)
    order (k) = k == 0 ? dim - 1 : k < dim ? k - 1 : k;
  const bool turns = dim > 1 && dim <= dims.ndims ();
  const gpu_value turned = turns ? permuted (x, order, false) : x;
  const octave_idx_type n = dim > dims.ndims () ? 1 : turned.dims () (0);
  octave_value_list all =
      on_gpu::sorted (reshaped (turned, dim_vector (n, dims.numel () / n)), descending, outputs);
  for (octave_idx_type k = 0; k < all.length (); k++) {
    const gpu_value y = reshaped (gpu_value_of (all (k)), turned.dims ());
    all (k) = value_of (turns ? permuted (y, order, true) : y);
  }
  return all;
}

octave_value_list sort (const char *name, const octave_value_list &args, int outputs)
{
  check_length (name, args, 1, 3);
  if (!is_gpu_array (args (0)))
    return of_host (name, args, outputs);
  int dim;
  bool descending;
  read_order (args, outputs, dim, descending);
  const gpu_value &x = gpu_value_of (args (0));
  if (x.on_gpu ())
    return sort_on_gpu (x, dim, descending, outputs);
  return wrapped (on_host (name, ovl (args (0), dim, descending ? "descend" : "ascend"), outputs),
                  is_complex (x.type ()));
}

octave_value_list make_logical (const char *name, const octave_value_list &args, int)
{
  check_length (name, args, 1, 1);
  return ovl (value_of (converted (gpu_value_of (args (0)), 'b')));
}

octave_value_list concatenate (const char *name, const octave_value_list &args, int)
{
  const bool any_dim = std::strcmp (name, "cat") == 0;
  if (any_dim)
    check_length (name, args, 1, args.length ());
  const octave_value_list arrays = any_dim ? args.slice (1, args.length () - 1) : args;
  const bool complex = any_complex (name, arrays);
  if (any_on_gpu (arrays)) {
    const int dim = any_dim ? read_dimension (name, args (0)) - 1 : name[0] == 'h';
    return ovl (value_of (on_gpu::concatenated (name, dim, arrays)));
  }
  return ovl (value_of (on_host_as (name, args, complex)));
}

octave_value_list diagonal (const char *name, const octave_value_list &args, int)
{
  check_length (name, args, 1, 3);
  if (!is_gpu_array (args (0)))
    return of_host (name, args, 1);
  if (any_on_gpu (args))
    return ovl (
        value_of (on_gpu::diagonal (gpu_value_of (args (0)), args.slice (1, args.length () - 1))));
  return ovl (value_of (on_host_as (name, args, is_complex (element_type (name, args (0))))));
}

//------------------------------------------------------------------------------
// products and norms
//------------------------------------------------------------------------------

octave_value_list dot (const char *name, const octave_value_list &args, int outputs)
{
  check_length (name, args, 2, 3);
  octave_value_list all = ovl (args (0), args (1));
  const bool complex = any_complex (name, all);
  const int dim = args.length () == 3 ? read_dimension (name, args (2)) : 0;
  if (any_on_gpu (all))
    return ovl (value_of (on_gpu::product_sum (args (0), args (1), dim - 1)));
  if (dim > 0)
    all.append (octave_value (dim));
  return wrapped (on_host (name, all, outputs), complex);
}

// Returns the largest singular value: NaN, as Octave's without a warning, if x holds NaN or Inf.
octave_value_list two_norm (const char *name, const octave_value &x)
{
  check_float_array (name, "A", x);
  svd_request want = {};
  want.svd = sized<gla_svd_options> ();
  want.svd.values = 1;
  want.info = true;
  return with_gpu_arrays (ovl (x), "r", [&] (const octave_value_list &all) {
    call c (name, the_interpreter (), context_of_pages (all, octave_value ()));
    return decompose_pages (name, c, all (0), want);
  });
}

// norm (x), norm (x, 2), norm (x, 1), norm (x, Inf), norm (x, "fro").
octave_value_list norm (const char *name, const octave_value_list &args, int)
{
  check_length (name, args, 1, 2);
  const dim_vector dims = args (0).dims ();
  const octave_value p = args.length () == 2 ? gathered (args (1)) : octave_value (2.0);
  const bool vector = dims.ndims () == 2 && (dims (0) == 1 || dims (1) == 1);
  const bool fro = is_text (p) && p.string_value () == "fro";
  const double number = is_real_scalar (p) ? p.double_value () : 0;
  if (dims.ndims () != 2 ||
      !(fro || number == 1 || (number > 0 && std::isinf (number)) || number == 2))
    other_form (name);
  if (!is_gpu_array (args (0)))
    return of_host (name, args, 1);
  if (number == 2 && !fro && !vector && args (0).numel () > 0)
    return two_norm (name, args (0));
  if (any_on_gpu (args)) {
    // the 1-norm of a vector is that of a column
    gpu_value x = gpu_value_of (args (0));
    if (vector)
      x = reshaped (x, dim_vector (x.numel (), 1));
    const gla_norm kind = fro || number == 2 ? GLA_NORM_FRO
                          : number == 1      ? GLA_NORM_ONE
                                             : GLA_NORM_INF;
    return ovl (value_of (on_gpu::norm (x, kind)));
  }
  return wrapped (on_host (name, ovl (args (0), p)), false);
}

//------------------------------------------------------------------------------
// new arrays
//------------------------------------------------------------------------------

// Does zeros (..., "like", G): the sizes may be gpuArrays, too.
octave_value_list create_like (const char *name, const octave_value_list &args, int)
{
  const octave_idx_type count = args.length ();
  const bool like = count >= 2 && is_text (args (count - 2)) &&
                    lower_case (args (count - 2).string_value ()) == "like";
  if (!like || !is_gpu_array (args (count - 1)))
    return of_host (name, args, 1);
  const gpu_value &like_this = gpu_value_of (args (count - 1));
  const char type = like_this.type ();
  const std::string word = name;
  const bool of_logical = word == "true" || word == "false",
             of_any = word == "zeros" || word == "ones" || word == "eye";
  if (!of_any && of_logical != (type == 'b'))
    error_with_id ("gpulinalg:bad-class", "%s: G is %s, and the elements cannot be", name,
                   of_logical ? "not logical" : "logical");
  octave_value_list sizes = gathered (args.slice (0, count - 2));
  return ovl (
      value_of (made_on_gpu (word, sizes, type, like_this.on_gpu () ? like_this.device () : -1)));
}

//------------------------------------------------------------------------------
// the table
//------------------------------------------------------------------------------

const struct {
  const char *name;
  gpu_handler handler;
} table[] = {
    {"sum", reduce},
    {"prod", reduce},
    {"sumsq", reduce},
    {"any", reduce},
    {"all", reduce},
    {"cumsum", reduce},
    {"cumprod", reduce},
    {"max", extremes},
    {"min", extremes},
    {"mean", mean},
    {"triu", triangle},
    {"tril", triangle},
    {"bsxfun", bsxfun},
    {"repmat", repeat},
    {"nnz", count_nonzeros},
    {"find", find},
    {"atan2", expand<gpu_op::atan2>},
    {"hypot", expand<gpu_op::hypot>},
    {"mod", expand<gpu_op::mod>},
    {"rem", expand<gpu_op::rem>},
    {"complex", make_complex},
    {"realsqrt", never_complex},
    {"reallog", never_complex},
    {"realpow", never_complex},
    {"logical", make_logical},
    {"merge", merge},
    {"ifelse", merge},
    {"diff", differences},
    {"kron", kronecker},
    {"cummax", running},
    {"cummin", running},
    {"linspace", spaced},
    {"sinc", sinc},
    {"blkdiag", block_diagonal},
    {"toeplitz", toeplitz},
    {"arrayfun", arrayfun},
    {"passes", count_passes},
    {"kept", count_kept},
    {"solved_rows", count_solved_rows},
    {"sort", sort},
    {"cat", concatenate},
    {"horzcat", concatenate},
    {"vertcat", concatenate},
    {"diag", diagonal},
    {"dot", dot},
    {"norm", norm},
    {"fft", fourier},
    {"ifft", fourier},
    {"fft2", fourier},
    {"ifft2", fourier},
    {"fftn", fourier},
    {"ifftn", fourier},
    {"zeros", create_like},
    {"ones", create_like},
    {"eye", create_like},
    {"rand", create_like},
    {"randn", create_like},
    {"randi", create_like},
    {"true", create_like},
    {"false", create_like},
    {"median", median},
    {"var", variance},
    {"std", variance},
    {"circshift", circshift},
    {"cross", cross},
    {"inv", inverse},
    {"two_norms", two_norms_of},
    {"least_squares", least_squares_of},
    {"Inf", create_like},
    {"NaN", create_like},
};

} // namespace

// These functions are made of operations on elements also if the elements are traced.
static bool takes_traced (const std::string &name)
{
  for (const char *known : {"arrayfun", "var", "std", "circshift", "cross", "inv"})
    if (name == known)
      return true;
  return false;
}

octave_value_list gpu_function (const std::string &name, const octave_value_list &args, int outputs)
{
  if (any_traced (args) && !takes_traced (name))
    return traced_function (name, args);
  for (const auto &entry : table)
    if (name == entry.name)
      return entry.handler (entry.name, args, outputs > 1 ? outputs : 1);
  gather_needed (name.c_str ());
}

} // namespace gla

// __pageeig__.cc: the part of pageeig that is compiled
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gla_octave.h"

#include <octave/int32NDArray.h>

namespace
{

// d, V, W and info of all pages. Octave makes arrays real where all imaginary parts are 0.
template <typename Array, typename Complex>
octave_value_list solve (gla::call &call, const octave_value &X, const gla_pageeig_options &options,
                         int vectors)
{
  Array A;
  gla::read (X, A);
  const dim_vector dims = A.dims ();
  const octave_idx_type n = dims (0), pages = gla::pages_of (dims);
  Complex d, V, W;
  int32NDArray info (dim_vector (pages, 1));
  auto results = gla::sized<gla_pageeig_results> ();
  gla::allocate (d, results.lambda, dims, n, 1);
  if (vectors > 0)
    gla::allocate (V, results.V, dims, n, n);
  if (vectors > 1)
    gla::allocate (W, results.W, dims, n, n);
  results.info = reinterpret_cast<int32_t *> (info.fortran_vec ());
  const gla_array a = gla::input (A);
  call.finish (gla_pageeig (call.context (), &a, &results, &options, nullptr));
  return ovl (d, V, W, info);
}

octave_value_list pageeig_body (octave::interpreter &interp, const octave_value_list &args)
{
  if (args.length () != 3)
    print_usage ();
  gla::check_float_array ("pageeig", "X", args (0));
  const octave_value X = args (0);
  const int vectors = args (2).int_value ();
  auto options = gla::sized<gla_pageeig_options> ();
  options.not_balanced = args (1).string_value () == "nobalance";
  gla::call call ("pageeig", interp);
  call.set_place (octave_value ("cpu"));
  if (X.is_single_type ())
    return X.iscomplex ()
               ? solve<FloatComplexNDArray, FloatComplexNDArray> (call, X, options, vectors)
               : solve<FloatNDArray, FloatComplexNDArray> (call, X, options, vectors);
  return X.iscomplex () ? solve<ComplexNDArray, ComplexNDArray> (call, X, options, vectors)
                        : solve<NDArray, ComplexNDArray> (call, X, options, vectors);
}

} // namespace

DEFMETHOD_DLD (__pageeig__, interp, args, , R"doc(-*- texinfo -*-
 @deftypefn {gpulinalg} {[@var{d}, @var{V}, @var{W}, @var{info}] =} __pageeig__ (@var{X}, @var{balance}, @var{vectors})
Undocumented internal function: eigenvalues of the pages of @var{X}, with @var{vectors} 1
and right, with 2 also left eigenvectors.  @var{info} is that of @code{gla_pageeig}.
@end deftypefn)doc")
{
  return gla::guarded ("pageeig", [&] () { return pageeig_body (interp, args); });
}

/*
%!error <Invalid call> __pageeig__ (1)
*/

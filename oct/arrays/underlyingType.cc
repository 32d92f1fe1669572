// underlyingType.cc: underlyingType for Octave
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu_trace.h"

DEFMETHOD_DLD (underlyingType, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn {gpulinalg} {@var{name} =} underlyingType (@var{x})
The class of the elements of @var{x}: of a gpuArray @qcode{"single"},
@qcode{"double"} or @qcode{"logical"}; of any other value its class.

@example
@group
underlyingType (gpuArray (single (1)))
   @result{} ans = single
@end group
@end example

@subheading Errors
There are none of its own.

@seealso{gpuArray, isgpuarray}
@end deftypefn)doc")
{
  gla::check_counts ("underlyingType", args, 1, 1, nargout, 1);
  return gla::guarded ("underlyingType", [&] () {
    gla::refuse_other_gpu_arrays (interp);
    if (gla::is_traced (args (0)))
      return ovl (gla::traced_class (args (0)));
    return ovl (gla::is_gpu_array (args (0))
                    ? std::string (gla::gpu_value_of (args (0)).class_name ())
                    : args (0).class_name ());
  });
}

/*
%!assert (underlyingType (gpuArray (1)), "double")
%!assert (underlyingType ({}), "cell")
%!error <too many outputs> [a, b] = underlyingType (1);
*/

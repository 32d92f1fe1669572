// isgpuarray.cc: isgpuarray for Octave
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu_trace.h"

DEFMETHOD_DLD (isgpuarray, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn {gpulinalg} {@var{tf} =} isgpuarray (@var{x})
True if @var{x} is a gpuArray.

@example
@group
isgpuarray (gpuArray (1))
   @result{} ans = 1
@end group
@end example

@subheading Errors
There are none of its own.

@seealso{gpuArray, existsOnGPU}
@end deftypefn)doc")
{
  gla::check_counts ("isgpuarray", args, 1, 1, nargout, 1);
  return gla::guarded ("isgpuarray", [&] () {
    gla::refuse_other_gpu_arrays (interp);
    return ovl (gla::is_gpu_array (args (0)) || gla::is_traced (args (0)));
  });
}

/*
%!assert (isgpuarray (gpuArray (1)))
%!assert (isgpuarray ({}), false)
%!error <too many outputs> [a, b] = isgpuarray (1);
*/

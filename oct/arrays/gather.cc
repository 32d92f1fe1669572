// gather.cc: gather for Octave
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu_value.h"

DEFMETHOD_DLD (gather, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{A} =} gather (@var{G})
 @deftypefnx {gpulinalg} {[@var{A}, @var{B}, @dots{}] =} gather (@var{G}, @var{H}, @dots{})
Copy gpuArrays to the host.

@var{A} is an ordinary array with the elements of the gpuArray @var{G}.  Values that
are no gpuArrays are returned as they are, so that a function may gather its results
wherever they are.  A complex array whose imaginary parts are all zero becomes real,
as Octave's results do.

@example
@group
[a, b] = gather (gpuArray ([1, 2]) + 1, 5)
   @result{} a =

      2   3

   @result{} b = 5
@end group
@end example

@subheading Errors
There are none of its own.

@seealso{gpuArray}
@end deftypefn)doc")
{
  gla::check_counts ("gather", args, 1, gla::any_number, nargout, args.length ());
  return gla::guarded ("gather", [&] () {
    gla::refuse_other_gpu_arrays (interp);
    return gla::gathered (args.slice (0, nargout > 1 ? nargout : 1));
  });
}

/*
%!assert (gather (gpuArray ([1, 2])), [1, 2])
%!assert (gather ("text"), "text")
%!error <too many outputs> [a, b] = gather (1);
*/

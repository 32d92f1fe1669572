// existsOnGPU.cc: existsOnGPU for Octave
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu_device.h"

DEFMETHOD_DLD (existsOnGPU, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn {gpulinalg} {@var{tf} =} existsOnGPU (@var{x})
True if @var{x} is a gpuArray whose elements are on a GPU.

It is false for arrays of the host, without a GPU, and for gpuArrays that are lost
because their GPU was reset or has failed.

@example
@group
existsOnGPU (5)
   @result{} ans = 0
@end group
@end example

@subheading Errors
There are none of its own.

@seealso{gpuArray, isgpuarray, gpuDevice}
@end deftypefn)doc")
{
  gla::check_counts ("existsOnGPU", args, 1, 1, nargout, 1);
  return gla::guarded ("existsOnGPU", [&] () {
    gla::refuse_other_gpu_arrays (interp);
    const bool on_gpu = gla::is_gpu_array (args (0)) && gla::gpu_value_of (args (0)).on_gpu ();
    return ovl (on_gpu && !gla::gpu_value_of (args (0)).block ()->lost ());
  });
}

/*
%!assert (existsOnGPU ({}), false)
%!assert (existsOnGPU (gpuArray (1)), gpuDeviceCount () > 0)
%!error <Invalid call> existsOnGPU ()
*/

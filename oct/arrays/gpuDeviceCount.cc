// gpuDeviceCount.cc: gpuDeviceCount for Octave
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu_device.h"

DEFMETHOD_DLD (gpuDeviceCount, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn {gpulinalg} {@var{n} =} gpuDeviceCount ()
The number of GPUs that gpuArrays can use.

@example
@group
gpuDeviceCount () >= 0
   @result{} ans = 1
@end group
@end example

@subheading Errors
There are none of its own.

@seealso{gpuDevice, gpulinalg_info}
@end deftypefn)doc")
{
  gla::check_counts ("gpuDeviceCount", args, 0, 0, nargout, 1);
  return gla::guarded ("gpuDeviceCount", [&] () {
    gla::begin_gpu_arrays (interp);
    return ovl (static_cast<double> (gla::gpu_device_count ()));
  });
}

/*
%!assert (gpuDeviceCount () <= numel (gpulinalg_info ().devices))
%!error <Invalid call> gpuDeviceCount (1)
*/

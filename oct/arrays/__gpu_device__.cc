// __gpu_device__.cc: the methods of gpuDevice
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpuDevice.h"

DEFMETHOD_DLD (__gpu_device__, interp, args, , R"doc(-*- texinfo -*-
 @deftypefn {gpulinalg} {} __gpu_device__ (@var{what}, @var{D})
Undocumented internal function: the methods of a gpuDevice.
@end deftypefn)doc")
{
  return gla::guarded ("gpuDevice", [&] () {
    gpu_device_method (interp, args);
    return octave_value_list ();
  });
}

/*
%!test __gpu_device__ ("wait", gpuDevice ())
%!error <Invalid call> __gpu_device__ ("wait", 1)
*/

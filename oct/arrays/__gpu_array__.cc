// __gpu_array__.cc: the function that the files in inst/@gpuArray call
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu_value.h"

DEFMETHOD_DLD (__gpu_array__, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn {gpulinalg} {[@dots{}] =} __gpu_array__ (@var{name}, @dots{})
Undocumented internal function: a function of gpuArrays, called by the files in
@file{inst/@@gpuArray}.
@end deftypefn)doc")
{
  if (args.length () < 1 || !args (0).is_string ())
    print_usage ();
  const std::string name = args (0).string_value ();
  return gla::guarded (name.c_str (), [&] () {
    gla::begin_gpu_arrays (interp);
    return gla::gpu_function (name, args.slice (1, args.length () - 1), nargout);
  });
}

/*
%!assert (gather (__gpu_array__ ("sum", gpuArray ([1, 2]))), 3)
%!error <Invalid call> __gpu_array__ ()
%!error <Invalid call to inv> __gpu_array__ ("inv")
%!error <Invalid call to two_norms> __gpu_array__ ("two_norms")
%!error <Invalid call to least_squares> __gpu_array__ ("least_squares", gpuArray (1))
%!error id=gpulinalg:gather-needed __gpu_array__ ("spline", gpuArray (1))
*/

// gpulinalg_release.cc: gpulinalg_release for Octave
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gla_octave.h"

#include <climits>
#include <cmath>

static int device_of (const octave_value &v)
{
  const bool number = v.isnumeric () && v.isreal () && !v.issparse () && v.numel () == 1;
  const double x = number ? v.double_value () : -1;
  if (!(x >= 0 && x <= INT_MAX && x == std::floor (x)))
    error_with_id ("gpulinalg:bad-value",
                   "gpulinalg_release: DEVICE must be the number of a GPU, counted from 0 as in "
                   "gpulinalg_info%s",
                   gla::not_this_number (v).c_str ());
  return static_cast<int> (x);
}

static octave_value_list release_body (octave::interpreter &interp, const octave_value_list &args,
                                       int nargout)
{
  gla::check_counts ("gpulinalg_release", args, 0, 1, nargout, 0);
  int device = GLA_DEVICE_ALL_GPUS;
  if (args.length () == 1)
    device = device_of (args (0));
  gla::release_memory ("gpulinalg_release", interp, device);
  return octave_value_list ();
}

DEFMETHOD_DLD (gpulinalg_release, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {} gpulinalg_release ()
 @deftypefnx {gpulinalg} {} gpulinalg_release (@var{device})
Give back the memory of GPUs that is kept for later calls.

A function that works on a GPU takes memory there and keeps it for the next
call, up to an eighth of the GPU's memory.  This function gives it back, so that
other programs can have it: on the GPU of number @var{device} (from 0, as
@code{gpulinalg_info} counts them) or on all of them.  Memory of the computer
itself that is kept for transfers is given back, too.  The next call takes again
what it needs, and is some ten milliseconds slower for that.

Two things stay: the copies of sparse matrices that plans of @code{spmv_plan} hold,
for as long as a variable holds the plan, and what the driver itself takes for a
program that uses the GPU, some 500 MB, until Octave ends.  Without a GPU nothing
happens, and no GPU is started.

@example
@group
A = rand (30, 30, 100);
lambda = batcheig (A + permute (A, [2, 1, 3]));
gpulinalg_release ()
sum ([gpulinalg_info().devices.memory_kept])
   @result{} ans = 0
@end group
@end example

@subheading Errors
@table @code
@item gpulinalg:bad-value
@var{device} is not a whole number from 0.
@item gpulinalg:no-device
There is no GPU of that number.
@end table

@seealso{gpulinalg_info, spmv_plan}
@end deftypefn)doc")
{
  return gla::guarded ("gpulinalg_release",
                       [&] () { return release_body (interp, args, nargout); });
}

/*
%!## without a GPU, or before one was used
%!test
%! gpulinalg_release ();
%! gpulinalg_release ();

%!## the memory that a call took is released
%!testif ; ! isempty (gpulinalg_info ().devices)
%! A = rand (30, 30, 100);
%! A = A + permute (A, [2, 1, 3]);
%! D = batcheig (A, "device", 0);
%! d = gpulinalg_info ().devices(1);
%! assert (d.started && d.memory_kept > 0 && d.host_memory_kept > 0);
%! gpulinalg_release (0);
%! d = gpulinalg_info ().devices(1);
%! assert ([d.memory_kept, d.host_memory_kept], [0, 0]);
%! assert (batcheig (A, "device", 0), D);

%!## a progress function cannot release the memory of its own call
%!function release_and_go_on (done, total)
%!  gpulinalg_release ();
%!endfunction
%!test
%! A = rand (6, 6, 2000);
%! A = A + permute (A, [2, 1, 3]);
%! D = batcheig (A);
%! assert (batcheig (A, "progress", @release_and_go_on), D, 1e-13);

%!error <Invalid call> gpulinalg_release (1, 2)
%!error <gpulinalg_release: function called with too many outputs> x = gpulinalg_release ();
%!error id=gpulinalg:bad-value gpulinalg_release ("all")
%!error id=gpulinalg:bad-value gpulinalg_release (-1)
%!error id=gpulinalg:bad-value gpulinalg_release (0.5)
%!error id=gpulinalg:bad-value gpulinalg_release ([0, 1])
%!error <counted from 0 as in gpulinalg_info, not 0\.5$> gpulinalg_release (0.5)
%!error id=gpulinalg:no-device gpulinalg_release (99)
*/

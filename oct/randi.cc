// randi.cc: Octave's randi, and the same for gpuArrays
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Octave's own is an m-file, which nothing can take the place of but a function that is found
// before it.

#include "gpu_device.h"

static octave_value_list randi_body (octave::interpreter &interp, const octave_value_list &args,
                                     int nargout)
{
  const octave_idx_type last = args.length () - 1;
  if (last < 0 || !gla::is_text (args (last)) || args (last).string_value () != "gpuArray")
    return gla::call_file (interp, "randi", args, nargout);
  gla::register_gpu_arrays (interp);
  return ovl (gla::value_of (gla::made_on_gpu ("randi", gla::gathered (args.slice (0, last)), 0)));
}

DEFMETHOD_DLD (randi, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{R} =} randi (@var{imax})
 @deftypefnx {gpulinalg} {@var{R} =} randi (@var{imax}, @var{n})
 @deftypefnx {gpulinalg} {@var{R} =} randi (@var{imax}, @var{m}, @var{n}, @dots{})
 @deftypefnx {gpulinalg} {@var{R} =} randi ([@var{imin}, @var{imax}], @dots{})
 @deftypefnx {gpulinalg} {@var{R} =} randi (@dots{}, @var{class})
 @deftypefnx {gpulinalg} {@var{R} =} randi (@dots{}, "gpuArray")
 @deftypefnx {gpulinalg} {@var{R} =} randi (@dots{}, "like", @var{G})
Random integers from 1 to @var{imax}, or from @var{imin} to @var{imax}, each with the
same probability.

With @qcode{"gpuArray"} @var{R} is a gpuArray; @var{class} before it may be
@qcode{"double"} or @qcode{"single"}.  With @qcode{"like"} and a gpuArray @var{G} it
has the class of @var{G} and is on its GPU.  The numbers are those of
@code{rand}, computed on the host and copied.  All other calls are those of
Octave's @code{randi}, also where the package is loaded: sizes @var{n}-by-@var{n},
@var{m}-by-@var{n} or of more dimensions, and @var{class} @qcode{"double"} (default),
@qcode{"single"} or an integer class.

@example
@group
R = randi (6, 1, 1000, "gpuArray");
class (R)
   @result{} ans = gpuArray
gather (all (R >= 1 & R <= 6))
   @result{} ans = 1
@end group
@end example

@subheading Errors
@table @code
@item gpulinalg:bad-class
@var{class} is one of integers, or @var{G} is logical: gpuArrays have no such elements.
@end table

@seealso{gpuArray, rand}
@end deftypefn)doc")
{
  return gla::guarded ("randi", [&] () { return randi_body (interp, args, nargout); });
}

/*
%!test
%! R = randi (5, 2, 3, "gpuArray");
%! assert ({class(R), underlyingType(R), size(R)}, {"gpuArray", "double", [2, 3]});
%! R = gather (randi ([-3, 3], [1, 2000], "single", "gpuArray"));
%! assert (class (R), "single");
%! assert (unique (R), single (-3:3));
%! G = gpuArray (single (1));
%! R = randi (4, 3, 2, "like", G);
%! assert ({class(R), underlyingType(R), size(R)}, {"gpuArray", "single", [3, 2]});
%! assert (size (randi (gpuArray (4), gpuArray (3))), [3, 3]);
%!test # all else is Octave's own
%! assert (class (randi (9, 2, "int8")), "int8");
%! rand ("state", 1);
%! a = randi ([2, 7], 4, 5);
%! rand ("state", 1);
%! assert (a, builtin ("randi", [2, 7], 4, 5));
%! assert (all (a(:) >= 2 & a(:) <= 7 & a(:) == fix (a(:))));
%!error <Invalid call> randi ()
%!error randi (0)
%!error randi (3, "int7")
%!error id=gpulinalg:bad-class randi (3, 2, "int8", "gpuArray")
%!error id=gpulinalg:bad-class randi (3, 2, "like", gpuArray (true))
%!error randi (-1, "gpuArray")
*/

// pagectranspose.cc: conjugate transposes of the pages of an array, for Octave before version 8
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Octave 8 and later have an m-file of this name; there PKG_ADD does not register this one.

#include "pages.h"

DEFMETHOD_DLD (pagectranspose, , args, nargout, R"doc(-*- texinfo -*-
 @deftypefn {gpulinalg} {@var{B} =} pagectranspose (@var{A})
Transpose each page of @var{A} and take its complex conjugate:
@code{@var{B}(:,:,p) = @var{A}(:,:,p)'}.

@var{A} is an array of any class and any number of dimensions, also a gpuArray.  Octave 8
and later have this function themselves, and keep theirs where the package is loaded.

@example
@group
pagectranspose ([1, 2i])
   @result{} ans =
      1 - 0i
      0 - 2i

@end group
@end example

@subheading Errors
Those of Octave's @code{permute}, for what is no array.

@seealso{pagetranspose, pagemtimes, permute}
@end deftypefn)doc")
{
  return gla::guarded ("pagectranspose", [&] () {
    gla::check_counts ("pagectranspose", args, 1, 1, nargout, 1);
    return ovl (gla::transposed (args (0), 'C'));
  });
}

/*
%!testif ; compare_versions (OCTAVE_VERSION (), "8.0.0", "<")
%! for x = {rand(2, 3, 4), single(rand (3, 1, 2, 2)), int8(magic (3)), "text", {1, "a"; 2, 3}, true(2, 3, 2), zeros(0, 3, 2), zeros(2, 3, 0), [], 1:4, 5}
%!   assert (pagectranspose (x{1}), permute (x{1}, [2, 1, 3:ndims(x{1})]));
%!   assert (class (pagectranspose (x{1})), class (x{1}));
%! endfor
%!testif ; compare_versions (OCTAVE_VERSION (), "8.0.0", "<")
%! z = rand (2, 3, 2, 2) + 1i * rand (2, 3, 2, 2);
%! for x = {z, single(z), 1i}
%!   y = pagectranspose (x{1});
%!   for p = 1:size (x{1}(:,:,:), 3)
%!     assert (y(:,:,p), x{1}(:,:,p)');
%!   endfor
%!   assert (size (y), size (permute (x{1}, [2, 1, 3:ndims(x{1})])));
%! endfor
%!assert (pagectranspose (sparse ([1, 2i])), sparse ([1; -2i]))
%!testif ; compare_versions (OCTAVE_VERSION (), "8.0.0", "<")
%! z = complex (rand (2, 3, 2), 1);
%! assert (isgpuarray (pagectranspose (gpuArray (z))));
%! assert (gather (pagectranspose (gpuArray (z))), pagectranspose (z));
%! assert (gather (pagectranspose (gpuArray (true (2, 3)))), true (3, 2));
%!error <Invalid call> pagectranspose ()
%!error <(Invalid call|called with too many inputs)> pagectranspose (1, 2)
*/

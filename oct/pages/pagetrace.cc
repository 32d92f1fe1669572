// pagetrace.cc: traces of the pages of an array
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pagediag.h"

static octave_value_list pagetrace_body (const octave_value_list &args, int nargout)
{
  gla::check_counts ("pagetrace", args, 1, gla::any_number, nargout, 1);
  const octave_value A = args (0);
  gla::check_float_array ("pagetrace", "A", A);
  const gla::options opts ("pagetrace", args, 1, {}, {"device", "progress"});
  return gla::diagonals ("pagetrace", A, GLA_DIAG_TRACE, 0, dim_vector (1, 1), opts);
}

DEFMETHOD_DLD (pagetrace, , args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{t} =} pagetrace (@var{A})
 @deftypefnx {gpulinalg} {@var{t} =} pagetrace (@dots{}, @var{name}, @var{value}, @dots{})
Traces of the pages of an array: the sums of their diagonals.

@code{@var{t}(1,1,p) = trace (@var{A}(:,:,p))} for every page @code{p}.  @var{A} is a
full array of any number of dimensions, single or double, real or complex.  The
dimensions from the third on count pages.  @var{t} has one row, one column and the
pages of @var{A}, and its class.

As with @code{trace} pages need not be square: the sum is that of the main diagonal,
and 0 where a page has no elements.  It is formed in the precision of @var{A} and in the
order of the diagonal, so it has the same bits on the CPU, on a GPU, and as the result of
@code{trace}.

The options @qcode{"device"} and @qcode{"progress"} are those of @code{pagediag}.

The trace is the sum of the eigenvalues:

@example
@group
A = cat (3, [2, 1; 1, 2], [0, 5; 5, 1]);
squeeze (pagetrace (A))
   @result{} ans =

      4
      1

max (abs (pagetrace (A) - sum (batcheig (A, "vector")))(:)) < 1e-14
   @result{} ans = 1
@end group
@end example

@subheading gpuArrays
Where @var{A} is a gpuArray the work is done where it is, and so is @var{t}.

@subheading Errors
@table @code
@item gpulinalg:bad-class
@var{A} is sparse, or neither single nor double.
@item gpulinalg:bad-option
The option is unknown or has no value.
@item gpulinalg:bad-value
An option does not take this value.
@item gpulinalg:no-device
A GPU was asked for that does not exist.
@item Octave:bad-alloc
There is not enough memory.
@end table

@seealso{pagediag, pagenorm, trace}
@end deftypefn)doc")
{
  return gla::guarded ("pagetrace", [&] () {
    return gla::with_gpu_matrices (
        args, "a", [&] (const octave_value_list &all) { return pagetrace_body (all, nargout); });
  });
}

// pagemrdivide.cc: B / A of the pages of two arrays
// SPDX-License-Identifier: GPL-3.0-or-later

#include "page_division.h"

DEFMETHOD_DLD (pagemrdivide, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{X} =} pagemrdivide (@var{B}, @var{A})
 @deftypefnx {gpulinalg} {@var{X} =} pagemrdivide (@var{B}, @var{A}, @var{transpA})
 @deftypefnx {gpulinalg} {[@var{X}, @var{rcondA}, @var{info}] =} pagemrdivide (@dots{})
 @deftypefnx {gpulinalg} {[@dots{}] =} pagemrdivide (@dots{}, @var{name}, @var{value}, @dots{})
Solve systems of equations from the right with the pages of two arrays.

@code{@var{X}(:,:,p) = @var{B}(:,:,p) / @var{A}(:,:,p)} for every page @code{p}: the
solution of @code{@var{X}(:,:,p) * @var{A}(:,:,p) = @var{B}(:,:,p)}.
@var{A} and @var{B} are full arrays of any number of dimensions, single or double,
real or complex.  The dimensions from the third on count pages.  They must be equal
or 1; where one of them is 1, its pages are used for all pages of the other array.
So a single matrix serves all pages of the other array.  @var{X} is single where
@var{A} or @var{B} is single, and complex where one of them is complex.  The arguments
and results are those of @sc{matlab}'s @code{pagemrdivide}.

@var{transpA} is @qcode{"none"}, @qcode{"transpose"} or @qcode{"ctranspose"}
(conjugate transpose): the page of @var{A}, its transpose or its conjugate transpose
is what divides.

@table @asis
@item Square pages of @var{A}
are solved by substitution where they are triangular, without pivoting where they are
Hermitian and positive definite, and by LU with partial pivoting
else.  Where a pivot is exactly 0, the page of @var{X} is the least squares solution of
least norm; singular values up to @code{n * eps} times the largest count as 0, as for
rectangular pages (Octave's @code{/} takes @code{eps}).  The same holds where some
count as 0 and a pivot is rounding error: at most @code{16 * n * eps} (single precision:
@code{16 * sqrt (n) * eps}) times the sum of the magnitudes whose difference it is, and
below about @code{c * n * eps} times the largest pivot, with c from 4 to 64 by order and
device.  Rows or columns that are small as a whole do not make a page singular.

@item Rectangular pages of @var{A}
give the least squares solution, by QR; it has the least norm where there
are several.  Transposes, and pages that are used more than once, are formed in memory
first.

@item Pages of @var{A} with one element
divide all elements of the pages of @var{B}, as @code{./} does.
@end table

There are no warnings about singular pages.  @code{@var{rcondA}(1,1,p)} is
the reciprocal condition number of @code{@var{A}(:,:,p)} in the 1-norm: distrust @var{X}
where it is less than @code{eps}.  It is 0 where a pivot is exactly 0.  For rectangular
pages it is their numerical rank.

@var{info} is a column of class int32 with a number for each page of @var{X}:

@table @asis
@item 0
all is well;

@item k from 1 to n
for square pages of order n: pivot k is exactly 0, or rounding error of a singular page.
For rectangular
ones of m rows and n columns: their rank is k less than @code{min (m, n)};

@item n+1, where @var{X} has n columns
@var{A} holds NaN or Inf, for rectangular pages @var{A} or @var{B}.  The page of @var{X}
is NaN, and so is that of @var{rcondA}.
@end table

Without the output @var{info} a warning @code{gpulinalg:pages-failed} counts
the pages that hold NaN or Inf.  NaN and Inf in @var{B} stay in their rows where
@var{A} is square.  A page gives the same bits whatever stands beside it.

Options, each followed by its value, names in upper or lower case:

@table @asis
@item @qcode{"device"}
@qcode{"auto"} (default): the faster place, the time for copies included.
@qcode{"cpu"}.  @qcode{"gpu"}: all GPUs.  A vector of numbers: these GPUs, as
@code{gpulinalg_info} counts them, from 0.

@item @qcode{"progress"}
@code{true}: show a meter in one line.  A function handle @var{f}: call
@code{@var{f} (@var{done}, @var{total})} with numbers of pages now and then.
The default is @code{false}.
@end table

Rows times the inverse of a matrix, which is not formed:

@example
@group
A = [2, 1; 1, 3];
B = reshape (1:8, 2, 2, 2);
X = pagemrdivide (B, A);
max (abs (pagemtimes (X, A) - B)(:)) < 1e-14
   @result{} ans = 1
@end group
@end example

@subheading Limits
With @qcode{"auto"} GPUs do square pages of up to 256 rows.  Pages with a pivot that is 0,
rounding error, or far out of scale are returned to the CPU, which does them.  Larger square
pages are solved on a GPU where @var{device} asks for one: on the first of them, by QR of
the pages with their rows brought to one size, and all pages must fit in its memory.
Pages that are singular to rounding then give solutions of least norm, and @var{info} is
the number of ranks that they lack.

@subheading gpuArrays
Where @var{A} or @var{B} is a gpuArray the work is done where it is, and @var{X} is one,
too; the other argument may be an array of the host.  Square pages of up to 256 rows that
have a pivot that is exactly 0 or far out of scale are copied to the CPU, one by one,
solved there and copied back.  Rectangular and larger pages are solved by QR; those of
less than full rank, and those with more unknowns than equations, by the singular value
decomposition as in @code{pagelsqminnorm}.

@subheading Errors
@table @code
@item gpulinalg:bad-class
@var{A} or @var{B} is sparse, or neither single nor double.
@item gpulinalg:bad-shape
A page of @var{B} has not as many columns as the page of @var{A}, or the
numbers of pages are neither equal nor 1.
@item gpulinalg:gather-needed
A gpuArray in a form that does not take one.
@item gpulinalg:bad-option
The option is unknown or has no value.
@item gpulinalg:bad-value
@var{transpA} is none of the three words, an option does not take this value, or
a GPU was asked for that cannot do this.
@item gpulinalg:no-device
A GPU was asked for that does not exist.
@item Octave:bad-alloc
There is not enough memory.
@end table

@seealso{pagemldivide, pageinv, pagemtimes, mrdivide}
@end deftypefn)doc")
{
  return gla::divide_pages (interp, "pagemrdivide", GLA_SIDE_RIGHT, args, nargout);
}

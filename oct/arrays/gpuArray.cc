// gpuArray.cc: gpuArray for Octave; its tests are in gpuArray.tst
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu_value.h"

static octave_value_list gpu_array_body (octave::interpreter &interp, const octave_value_list &args,
                                         int nargout)
{
  gla::check_counts ("gpuArray", args, 1, 1, nargout, 1);
  gla::begin_gpu_arrays (interp);
  return ovl (gla::value_of (gla::moved ("gpuArray", args (0))));
}

DEFMETHOD_DLD (gpuArray, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn {gpulinalg} {@var{G} =} gpuArray (@var{A})
Make an array that stays on the GPU.

@var{A} is a full array of class single, double or logical, real or complex, with
any number of dimensions.  @var{G} has class @code{gpuArray}; operators and
functions of @var{G} compute where it is and return gpuArrays.  @code{gather
(@var{G})} copies the elements back.  A gpuArray @var{A} is returned as it is.

Without a GPU the elements stay on the host and Octave computes: the same script
runs there, only not faster.

The first call of @code{gpuArray}, @code{gpuDevice} or @code{gpuDeviceCount} has
functions of Octave's own, such as @code{sum} and @code{zeros}, take gpuArrays, until
@code{pkg unload gpulinalg}; the user guide has the list.  Before it nothing of
Octave's is changed, and @code{zeros (2, "gpuArray")} and @code{load} of a saved
gpuArray are errors.

What works with gpuArrays:

@itemize
@item
new arrays by @code{zeros}, @code{ones}, @code{eye}, @code{rand}, @code{randn},
@code{randi}, @code{Inf}, @code{NaN}, @code{true}, @code{false} and @code{linspace}
with @qcode{"gpuArray"} as the last argument, and all but @code{linspace} with
@qcode{"like"} and a gpuArray; random numbers are those of the host, copied;

@item
all operators, with expansion of dimensions of size 1, also where the other operand
is an array of the host (which is copied to the GPU);

@item
indexing and assignment to elements, with ranges, lists, masks, @code{end} and
growth, deletion, concatenation, @code{for} and @code{if}, copies in cells and
structs, @code{save} and @code{load}, display;

@item
@code{sprintf}, @code{printf}, @code{fprintf}, @code{num2str}, @code{mat2str}, @code{int2str},
@code{error} and @code{warning}, which gather what they print, as display does; @code{cast};

@item
the functions of each element: @code{abs}, @code{exp}, @code{sqrt}, @code{real},
@code{isnan}, @code{mod} and so on;

@item
@code{sum}, @code{prod}, @code{any}, @code{all}, @code{max}, @code{min},
@code{cumsum}, @code{mean}, @code{median}, @code{norm}, @code{dot}, @code{find},
@code{nnz}, @code{sort}, @code{unique}, @code{cummax}, @code{corrcoef};

@item
@code{reshape}, @code{permute}, @code{squeeze}, @code{cat}, @code{repmat},
@code{diag}, @code{blkdiag}, @code{toeplitz}, @code{triu}, @code{tril}, @code{circshift},
@code{kron}, @code{diff}, @code{merge};

@item
@code{fft}, @code{fft2}, @code{fftn} and their inverses, by cuFFT of the CUDA Toolkit;

@item
of one matrix @code{inv}, @code{pinv}, @code{rank}, @code{cond}, @code{svd}, @code{null},
@code{orth}, and @code{eig} where it is Hermitian;

@item
@code{arrayfun}, which does all steps of a function of each element in one pass;

@item
the functions of this package; the help of each says which forms do not.
@end itemize

Any other function ends with the error @code{gpulinalg:gather-needed}; no array is
copied back without being asked for.  A single element may stand where Octave
expects a number: a size, a bound of a loop, a condition.

Complex arrays stay complex where all imaginary parts are zero, until they are
gathered: whether @var{G} is complex does not depend on its values, but for
functions such as @code{sqrt} and @code{log}, whose values are complex where an
element needs it, as usual.

@example
@group
G = gpuArray (magic (4));
H = sum (G .^ 2);
class (H)
   @result{} ans = gpuArray
gather (H)
   @result{} ans =

      378   370   370   378
@end group
@end example

@subheading Errors
@table @code
@item gpulinalg:bad-class
@var{A} is sparse or of another class.
@item gpulinalg:bad-shape
An array on a GPU would have more than 8 dimensions.
@item gpulinalg:bad-value
An argument of a function, such as a length or a dimension, is not valid.
@item gpulinalg:gather-needed
A function that gpuArrays do not have, or a form of it.
@item gpulinalg:device-memory
The GPU has too little memory; the message has the sizes.
@item gpulinalg:device-mismatch
Operands are on different GPUs.
@item gpulinalg:device-failed
The array is lost: its GPU was reset or has failed.
@end table

@seealso{gather, isgpuarray, gpuDevice, batcheig, pagemtimes}
@end deftypefn)doc")
{
  return gla::guarded ("gpuArray", [&] () { return gpu_array_body (interp, args, nargout); });
}

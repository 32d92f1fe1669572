// pageinv.cc: inverses of the pages of an array
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays/gpu_value.h"
#include "page_division.h"

template <typename Array, typename Real>
static octave_value_list invert (gla::call &call, const gla::page_division &want)
{
  Array X;
  gla::read (want.A, X);
  const auto found =
      gla::solve_pages<Array, Real> (call, want, gla::input (X), nullptr, nullptr, X.dims ());
  if (want.outputs < 2)
    return ovl (found.X);
  return ovl (found.X, found.rcond, found.info);
}

static octave_value_list pageinv_body (octave::interpreter &interp, const octave_value_list &args,
                                       int nargout)
{
  gla::check_counts ("pageinv", args, 1, gla::any_number, nargout, 3);
  const octave_value X = args (0);
  gla::check_float_array ("pageinv", "X", X);
  const gla::options opts ("pageinv", args, 1, {}, {"device", "progress"});
  if (X.rows () != X.columns ())
    error_with_id ("gpulinalg:bad-shape", "pageinv: the pages of X must be square, but X is %s",
                   X.dims ().str ().c_str ());
  gla::check_place ("pageinv", interp, opts);
  const octave_value device = gla::device_or_session (opts.value ("device"));
  const bool on_gpu = gla::any_on_gpu (args), moves = !on_gpu && gla::asks_for_gpu (device);
  if (X.rows () > GLA_PAGESOLVE_GPU_ROWS && !X.isempty () && (on_gpu || moves)) {
    const gla::gpu_arrays_inside inside (interp);
    const octave_value G = on_gpu ? X : gla::placed_on_gpu ("pageinv", X, device);
    const octave_value_list found = gla::gpu_pages_function (
        "inverse", ovl (G, opts.given ({"device", "progress"})), std::max (1, nargout));
    return moves ? gla::gathered (found) : found;
  }
  gla::call call ("pageinv", interp, gla::context_of_pages (args, opts.value ("progress")));
  call.set_place (opts.value ("device"));
  call.set_progress (opts.value ("progress"));
  gla::page_division want;
  want.who = "pageinv";
  want.A = X;
  want.outputs = nargout;
  return gla::in_page_class_of (X, octave_value (), [&] (auto array, auto real) {
    return invert<decltype (array), decltype (real)> (call, want);
  });
}

DEFMETHOD_DLD (pageinv, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{Y} =} pageinv (@var{X})
 @deftypefnx {gpulinalg} {[@var{Y}, @var{RC}, @var{info}] =} pageinv (@var{X})
 @deftypefnx {gpulinalg} {[@dots{}] =} pageinv (@dots{}, @var{name}, @var{value}, @dots{})
Inverses of the pages of an array.

@code{@var{Y}(:,:,p) = inv (@var{X}(:,:,p))} for every page @code{p}.  @var{X} is a
full array with square pages and any number of dimensions, single or double, real or
complex.  The dimensions from the third on count pages.  @var{Y} has the size and the
class of @var{X}.  The arguments and results are those of @sc{matlab}'s @code{pageinv}.

The inverse of a Hermitian page that is positive definite is exactly Hermitian, so
that it may be an argument of @code{batcheig}.  To solve equations,
@code{pagemldivide} is faster and more accurate than a product with the inverse.

@code{@var{RC}(1,1,p)} is the reciprocal condition number of @code{@var{X}(:,:,p)}
in the 1-norm.  Where a pivot is exactly 0, it is 0 and the page of @var{Y} is
@code{Inf}.  There is no warning about such pages, nor about those that are singular
but for rounding: distrust @var{Y} where @var{RC} is less than @code{eps}.

@var{info} is a column of class int32 with a number for each page:

@table @asis
@item 0
all is well;

@item k from 1 to n, the order of the pages
pivot k is exactly 0;

@item n+1
the page holds NaN or Inf; @var{Y} and @var{RC} are NaN.
@end table

Without the output @var{info} a warning @code{gpulinalg:pages-failed} counts
the pages that hold NaN or Inf.  A page gives the same bits whatever stands beside it.

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

Two inverses, the second one of a singular page:

@example
@group
X = cat (3, [2, 0; 1, 4], [1, 1; 1, 1]);
[Y, RC, info] = pageinv (X);
Y
   @result{} Y =

   ans(:,:,1) =

      0.5000        0
     -0.1250   0.2500

   ans(:,:,2) =

      Inf   Inf
      Inf   Inf
@end group
@end example

@subheading Limits
GPUs do pages of up to 256 rows.  Pages with a pivot that is exactly 0 or far out
of scale are returned to the CPU, which does them.  Larger pages are done by QR where
@var{X} is a gpuArray or @qcode{"device"} asks for a GPU: on the first of them, and all
pages must fit in its memory.  @var{info} is then the number of rows for every page whose
inverse is not finite.

@subheading gpuArrays
Where @var{X} is a gpuArray the work is done where it is, and so are @var{Y} and @var{RC}.
Pages with a pivot that is exactly 0 or far out of scale are copied to the CPU, one by
one, inverted there and copied back.

@subheading Errors
@table @code
@item gpulinalg:bad-class
@var{X} is sparse, or neither single nor double.
@item gpulinalg:bad-shape
The pages of @var{X} are not square.
@item gpulinalg:bad-option
The option is unknown or has no value.
@item gpulinalg:bad-value
An option does not take this value, or a GPU was asked for that cannot do this.
@item gpulinalg:no-device
A GPU was asked for that does not exist.
@item Octave:bad-alloc
There is not enough memory.
@end table

@seealso{pagemldivide, pagemrdivide, pagemtimes, batcheig, inv}
@end deftypefn)doc")
{
  return gla::guarded ("pageinv", [&] () {
    return gla::with_gpu_matrices (args, "arh", [&] (const octave_value_list &all) {
      return pageinv_body (interp, all, nargout);
    });
  });
}

/*
%!demo
%! ## An impurity binds an electron: densities of states in a chain, from inverses for 641 energies.
%! n = 41;
%! middle = (n + 1) / 2;
%! H = -diag (ones (n - 1, 1), 1) - diag (ones (n - 1, 1), -1);
%! H(middle,middle) = -1.5;
%! energy = reshape (linspace (-3.2, 3.2, 641), 1, 1, []);
%! G = pageinv ((energy + 0.05i) .* eye (n) - H);
%! density = @(site) -squeeze (imag (G(site,site,:))) / pi;
%! [~, at] = max (density (middle));
%! printf ("bound state at %.2f; -sqrt (1.5^2 + 4) = %.2f in an endless chain\n", energy(at), -2.5);
%! plot (energy(:), [density(middle), density(5)], "linewidth", 2);
%! axis ([-3.2, 3.2, 0, 4]);
%! xlabel ("energy");
%! ylabel ("local density of states");
%! legend ("at the impurity", "at site 5");
%! title ("an impurity in a chain");
*/

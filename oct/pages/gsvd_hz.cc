// gsvd_hz.cc: gsvd_hz for Octave; further tests are in gsvd_hz.tst and gsvd_hz-*.tst
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gsvd_hz.h"

#include <octave/parse.h>

#include <algorithm>

//------------------------------------------------------------------------------
// arguments
//------------------------------------------------------------------------------

// Reads the 0 that may follow B and selects the economy form. Returns the index of the first
// option.
static int read_positional (const octave_value_list &args, gsvd_request &want)
{
  if (args.length () < 3 || args (2).is_string ())
    return 2;
  if (!gla::is_zero (args (2)))
    error_with_id (
        "gpulinalg:bad-value", "gsvd_hz: argument 3 must be 0 or the name of an option, not %s",
        gla::is_real_scalar (args (2)) ? gla::text_of (args (2).double_value ()).c_str ()
                                       : ("of class " + args (2).class_name ()).c_str ());
  want.economy = true;
  return 3;
}

void gsvd_check_arrays (const char *who, const octave_value &A, const octave_value &B)
{
  gla::check_float_array (who, "A", A);
  gla::check_float_array (who, "B", B);
  dim_vector a = A.dims (), b = B.dims ();
  b (0) = a (0);
  if (a != b)
    error_with_id ("gpulinalg:bad-shape",
                   "%s: A and B must have the same columns and the same pages, but A is %s "
                   "and B is %s",
                   who, A.dims ().str ().c_str (), B.dims ().str ().c_str ());
}

octave_value_list gsvd_with_all_pages (const octave_value_list &args)
{
  octave_value_list all = args;
  for (int one = 0; args.length () >= 2 && one < 2; one++) {
    const octave_value &few = args (one), &many = args (1 - one);
    if (few.ndims () > 2 || many.ndims () < 3 || few.columns () != many.dims () (1) ||
        !few.isfloat () || few.issparse ())
      continue;
    dim_vector d = many.dims ();
    NDArray copies (dim_vector (1, d.ndims ()), 1.0);
    for (int k = 2; k < d.ndims (); k++)
      copies (k) = static_cast<double> (d (k));
    all (one) = gla::feval (gla::the_interpreter (), "repmat", ovl (few, copies)) (0);
  }
  return all;
}

gla_gsvd_options gsvd_read_options (const gla::options &opts)
{
  auto o = gla::sized<gla_gsvd_options> ();
  std::string method = opts.word ("method", {"auto", "hz", "tangent"});
  o.method = method == "hz"        ? GLA_GSVD_METHOD_HZ
             : method == "tangent" ? GLA_GSVD_METHOD_TANGENT
                                   : GLA_GSVD_METHOD_AUTO;
  o.blocking = opts.word ("blocking", {"bo", "fb"}) == "fb" ? GLA_GSVD_BLOCKING_FULL
                                                            : GLA_GSVD_BLOCKING_ORIENTED;
  o.ordering =
      opts.word ("ordering", {"me", "mm"}) == "mm" ? GLA_GSVD_ORDERING_MM : GLA_GSVD_ORDERING_ME;
  o.block = opts.count ("block", 0);
  return o;
}

//------------------------------------------------------------------------------
// the call
//------------------------------------------------------------------------------

gla::options gsvd_hz_arguments (const octave_value_list &args, int nargout, gsvd_request &want)
{
  gla::check_counts ("gsvd_hz", args, 2, gla::any_number, nargout, 6);
  want.outputs = std::max (1, nargout);
  const int first_option = read_positional (args, want);
  gla::options opts ("gsvd_hz", args, first_option, {"econ", "0"},
                     {"method", "blocking", "ordering", "block", "device", "progress", "mpi"});
  gsvd_check_arrays ("gsvd_hz", args (0), args (1));
  want.economy = want.economy || !opts.last_flag ({"econ", "0"}).empty ();
  want.gsvd = gsvd_read_options (opts);
  return opts;
}

static octave_value_list solve_here (octave::interpreter &interp, const octave_value_list &args,
                                     int nargout)
{
  gsvd_request want = {};
  const gla::options opts = gsvd_hz_arguments (args, nargout, want);

  gla::call call ("gsvd_hz", interp);
  call.set_place (opts.value ("device"));
  call.set_progress (opts.value ("progress"));
  call.show_sweeps ();
  return gsvd_hz_solve (call, nullptr, args (0), args (1), want);
}

static octave_value_list gsvd_hz_body (octave::interpreter &interp, const octave_value_list &args,
                                       int nargout)
{
  const char *outputs = nargout < 2 ? "r" : "aaarrh";
  return gsvd_with_gpu_arrays (args, outputs, [&] (const octave_value_list &all) {
    return solve_here (interp, gsvd_with_all_pages (all), nargout);
  });
}

DEFMETHOD_DLD (gsvd_hz, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{sigma} =} gsvd_hz (@var{A}, @var{B})
 @deftypefnx {gpulinalg} {[@var{U}, @var{V}, @var{X}, @var{C}, @var{S}] =} gsvd_hz (@var{A}, @var{B})
 @deftypefnx {gpulinalg} {[@var{U}, @var{V}, @var{X}, @var{C}, @var{S}, @var{stats}] =} gsvd_hz (@var{A}, @var{B})
 @deftypefnx {gpulinalg} {[@dots{}] =} gsvd_hz (@var{A}, @var{B}, 0)
 @deftypefnx {gpulinalg} {[@dots{}] =} gsvd_hz (@dots{}, "econ", @dots{})
 @deftypefnx {gpulinalg} {[@dots{}] =} gsvd_hz (@dots{}, @var{name}, @var{value}, @dots{})
Compute the generalized singular value decomposition of a pair of matrices, or of
many pairs at once.

@var{A} is @var{m}-by-@var{p} and @var{B} is @var{n}-by-@var{p}; any sizes and any
ranks are allowed.  Both are full, single or double, real or complex.  With
@code{@var{q} = min (@var{m} + @var{n}, @var{p})}

@example
@group
@var{A} = @var{U} * @var{C} * @var{X}'
@var{B} = @var{V} * @var{S} * @var{X}'
@var{C}' * @var{C} + @var{S}' * @var{S} = eye (@var{q})
@end group
@end example

@noindent
where @var{U} (@var{m}-by-@var{m}) and @var{V} (@var{n}-by-@var{n}) are unitary,
@var{X} is @var{p}-by-@var{q}, and @var{C} (@var{m}-by-@var{q}) and @var{S}
(@var{n}-by-@var{q}) are real, not negative and zero but for one diagonal: the main
one of @var{S}, and number @code{max (0, @var{q} - @var{m})} of @var{C}.

@var{sigma} holds the @var{q} generalized singular values
@code{sqrt (diag (@var{C}' * @var{C}) ./ diag (@var{S}' * @var{S}))} in ascending
order; @var{C} and @var{S} have the same order.  A value is @code{Inf} where
@var{B} maps a direction to zero that @var{A} does not.  The squares are the
eigenvalues of the pencil @code{(@var{A}' * @var{A}, @var{B}' * @var{B})}, which is
never formed; see @code{gevd_hz}.  Where @code{[@var{A}; @var{B}]} has a rank
@var{r} below @var{q}, @code{@var{q} - @var{r}} columns of @var{X} are zero, and
their values in @var{sigma} mean nothing.

Dimensions from the third on are pages: each page of @var{A} goes with the same
page of @var{B}, and all outputs keep these dimensions.  A single matrix is copied for
all pages of the other array, but not with @qcode{"mpi"}.  The results are single
where @var{A} or @var{B} is single; @var{U}, @var{V} and @var{X} are complex where
one of them is complex.  The work is done on an NVIDIA GPU where there is one and
where it is faster, otherwise on all cores of the CPU.

With 0 in the third place, @qcode{"econ"} or @qcode{"0"} the form is economical:
@var{U} has @code{min (@var{m}, @var{q})} columns and @var{C} as many rows; @var{V}
has @code{min (@var{n}, @var{q})} columns and @var{S} as many rows.

The struct @var{stats} describes the computation in these fields:

@table @code
@item method
@qcode{"hz"} or @qcode{"tangent"}, or @qcode{"none"} where there was nothing to
iterate; a row of cells for pages.
@item sweeps
Sweeps over all pairs of columns, one number for each page.
@item rotations
Row @var{k} holds the number of rotations in sweep @var{k}, a column for each page.
@item info
0 where all is well, @var{p}+1 where the page holds NaN or Inf, 1 where it did not
converge in 60 sweeps, or where its columns are beyond the range of the methods: on
the CPU the quotient of a column's lengths in @var{A} and in @var{B} may change by a
factor of 2^450 from one column to another (single: 2^60).
@item seconds
The time that the call took.
@item device
@qcode{"cpu"}, or the number of the first GPU that worked.
@end table

Options, each followed by its value, names in upper or lower case:

@table @asis
@item @qcode{"method"}
@qcode{"hz"}: the implicit method of Hari and Zimmermann, which makes the columns
of @var{A} and those of @var{B} orthogonal at the same time, two columns at a time.
@qcode{"tangent"}: @var{A} is divided by the triangular factor of @var{B}, and the
columns of the quotient are made orthogonal.  Both compute small values to as many
digits as large ones.  @qcode{"auto"} (default): the one that suits the pair.

@item @qcode{"blocking"}
@qcode{"bo"} (default): one sweep within a pair of blocks.  @qcode{"fb"}: as many
sweeps as it takes until nothing rotates.  That needs fewer sweeps over the matrix,
but is less accurate with @qcode{"hz"} where @var{X} is ill-conditioned.

@item @qcode{"ordering"}
The order of the pairs in a sweep: @qcode{"me"} (default), generalized Mantharam
and Eberlein; @qcode{"mm"}, modified modulus.

@item @qcode{"block"}
Columns of a block, a positive integer.  By default it is chosen by the sizes and
the machine.

@item @qcode{"device"}
@qcode{"auto"} (default): the faster place, the time for copies included.
@qcode{"cpu"}.  @qcode{"gpu"}: all GPUs.  A vector of numbers: these GPUs, as
@code{gpulinalg_info} counts them, from 0.  Where there are fewer pairs than GPUs,
2, 4 or 8 GPUs of one kind work together on each large pair if that is predicted to
be faster; on a single pair of at least 2048 columns, the GPUs of a vector always
do.  The results have the same bits on any number of GPUs.

@item @qcode{"progress"}
@code{true}: show a meter in one line.  A function handle @var{f}: call
@code{@var{f} (@var{done}, @var{total})} with numbers of pages now and then.  An
@var{f} of three arguments is called as @code{@var{f} (@var{done}, @var{total},
@var{sweeps})}, in addition after each sweep over a large pair, and over the pairs
that a GPU works on together: @var{sweeps} is the number of sweeps so far, or 0
where only @var{done} has grown.  The default is @code{false}.
@end table

A page that holds NaN or Inf or does not converge is NaN in the results, and every
other page is right.

@subheading Rows on several processes
With the option @qcode{"mpi"} and the value @qcode{"rows"}, the rows of @var{A} on
rank 0, those on rank 1 and so on are one matrix, and so are those of @var{B}; see
@code{gpulinalg_mpi}.  All ranks make the same call, each with its own rows, as many
as it has of each.  @var{U} and @var{V} have these rows, too; @var{X}, @var{C},
@var{S}, @var{sigma} and @var{stats} are the same on all ranks, to the bit.  With
@var{m} and @var{n}, the rows of all ranks together, everything above holds, but for
this: 0 or @qcode{"econ"} must be given where there is more than one output, and
there is no @qcode{"progress"}.  Both matrices are reduced to triangles of
@var{p} columns, as by @code{qr_block}, each rank on its CPU or on one GPU, and rank 0
decomposes these.

With the value @qcode{"root"} the whole matrices are on rank 0, and @var{A} and
@var{B} are @code{[]} on all others.  Rank 0 gets the results; they are @code{[]} on all
others.  Where @var{A} or @var{B} has more than 1.5 @var{p} rows, the rows of both are
dealt out to all ranks, which work as with @qcode{"rows"}.  Else rank 0 decomposes the
pair as it is, and gets the bits that it would get alone, whatever the number of ranks,
if all have the same kind of processor.

With the value @qcode{"columns"} the matrices are on rank 0, too, where the pair is
decomposed as it is, however tall.  Each rank gets its block of columns of @var{U},
@var{V}, @var{X}, @var{C} and @var{S}: of @var{k} columns it gets numbers
@code{floor (@var{k} * rank / ranks) + 1} to @code{floor (@var{k} * (rank + 1) / ranks)}, with
rank and ranks of @code{gpulinalg_mpi}, and with the bits that rank 0 would get alone.
@var{sigma} and @var{stats} are the same on all ranks.  Rank 0 has the whole results for
a moment; the others never have.

With all three values all ranks share the sweeps of one pair, which take most of the time of
a large one: each works on its part of the pairs of blocks of columns.  That is for
pairs without pages that the CPU of rank 0 decomposes, with more than 192 columns or, if
@qcode{"block"} is given, more than two blocks; GPUs of the other ranks do nothing.  Each
of these ranks needs memory for two square matrices of @var{p} columns.  Preparation
and results are work of rank 0 alone, and bound what more ranks can gain.

@example
@group
A = [1, 2, 3; 4, 5, 6; 7, 8, 10; 1, 1, 0];
B = [2, 0, 1; 0, 3, 1];
sigma = gsvd_hz (A, B)
   @result{} sigma =

      0.1644
      1.8776
         Inf
@end group

@group
[U, V, X, C, S] = gsvd_hz (A, B, 0);
norm (A - U * C * X') < 1e-13
   @result{} ans = 1
@end group
@end example

Many pairs in one call:

@example
@group
A = rand (8, 6, 1000);
B = rand (7, 6, 1000);
[U, V, X, C, S] = gsvd_hz (A, B);
norm (B(:,:,7) - V(:,:,7) * S(:,:,7) * X(:,:,7)') < 1e-13
   @result{} ans = 1
@end group
@end example

Tikhonov regularization, @code{min |@var{A} x - b|^2 + lambda^2 |@var{L} x|^2} for
every @code{lambda} > 0 and an @var{L} of any size, here first differences:

@example
@group
A = hilb (5);
b = A * [1; 1; 2; 2; 2];
L = diff (eye (5));
[U, V, X, C, S] = gsvd_hz (A, L, 0);
c2 = sumsq (C, 1).';
s2 = sumsq (S, 1).';
x = @@(lambda) X' \ (C' * (U' * b) ./ (c2 + lambda^2 * s2));
norm (x (0.1) - [A; 0.1 * L] \ [b; zeros(4, 1)]) < 1e-12
   @result{} ans = 1
@end group
@end example

Differences from Octave's @code{gsvd}: the values are in order with all outputs;
@var{X} is @var{p}-by-@var{q}; ranks may be deficient; there is an economy form.

@subheading Limits
The CPU does pairs with @code{@var{m} < @var{p}}, with @code{@var{n} < @var{p}} or
with a @var{B} of less than full column rank also where GPUs are asked for.  A GPU
needs cuBLAS.  On the CPU @var{p} is below @code{2^24}, and @var{m} and @var{n} are
below @code{2^28}, where LAPACK has 32-bit integers.

@subheading gpuArrays
Where @var{A} or @var{B} is a gpuArray the work is done where it is, the other one is
copied there, and all outputs but @var{stats} are gpuArrays.  On a GPU both must have
at least as many rows as columns, and @var{B} full column rank on each page; other
pairs must be gathered, because the CPU does them.  There is no @qcode{"mpi"}.

@subheading Errors
@table @code
@item gpulinalg:bad-class
@var{A} or @var{B} is sparse, or neither single nor double.
@item gpulinalg:gather-needed
A gpuArray in a form that does not take one.
@item gpulinalg:bad-shape
@var{A} and @var{B} do not have the same columns, or neither is a single matrix and
they do not have the same pages.
@item gpulinalg:bad-option
The option is unknown or has no value.
@item gpulinalg:bad-value
The option does not take this value, or the third argument is neither 0 nor a name.
@item gpulinalg:no-device
The GPU that was asked for does not exist, or has failed in an earlier call.
@item gpulinalg:no-mpi
@itemx gpulinalg:mpi-mismatch
@itemx gpulinalg:mpi-failed
With @qcode{"mpi"}: see @code{gpulinalg_mpi}.
@item gpulinalg:forked
A GPU was asked for in a child of @code{fork}.
@item Octave:bad-alloc
There is not enough memory for the results or the work.
@end table

Warnings: @code{gpulinalg:pages-failed}, pages hold NaN or Inf or did not converge,
unless @var{stats} is asked for; @code{gpulinalg:device-memory} and
@code{gpulinalg:device-failed}, a GPU had too little memory or failed, and the CPU
did the rest of the work.

@subheading References
V. Novakovi@'c and S. Singer, Implicit Hari--Zimmermann algorithm for
the generalized SVD on the GPUs, Int.@: J. High Perform.@: Comput.@: Appl.@: 35
(2021), 170--205; Z. Drma@v{c}, A tangent algorithm for computing the generalized
singular value decomposition, SIAM J. Numer.@: Anal.@: 35 (1998), 1804--1832.

@seealso{gevd_hz, gpulinalg_mpi, batcheig, gsvd}
@end deftypefn)doc")
{
  return gla::guarded ("gsvd_hz", [&] () {
    if (gla::wants_mpi (args))
      return gla::call_of_ranks ("gsvd_hz", interp, args, nargout);
    return gsvd_hz_body (interp, args, nargout);
  });
}

/*
%!## errors
%!error <Invalid call> gsvd_hz ()
%!error <Invalid call> gsvd_hz (1)
%!error <gsvd_hz: function called with too many outputs> [a, b, c, d, e, f, g] = gsvd_hz (1, 1);
%!error id=gpulinalg:bad-class gsvd_hz (true, 1)
%!error id=gpulinalg:bad-class gsvd_hz (1, true)
%!error id=gpulinalg:bad-class gsvd_hz (int32 (1), 1)
%!error id=gpulinalg:bad-class gsvd_hz (1, "a")
%!error id=gpulinalg:bad-class gsvd_hz ({1}, 1)
%!error id=gpulinalg:bad-class gsvd_hz (1, struct ("a", 1))
%!error id=gpulinalg:bad-class gsvd_hz (@sin, 1)
%!error <B must be a single or double array, not function_handle> gsvd_hz (ones (3, 1, 2), @sin)
%!error <A must be a single or double array, not containers.Map> gsvd_hz (containers.Map (), ones (3, 1, 2))
%!error <B must be a single or double array, not spmv_plan> ...
%! gsvd_hz (ones (4, 4, 2), spmv_plan (speye (4)))
%!error id=gpulinalg:bad-class gsvd_hz (sparse (1), 1)
%!error id=gpulinalg:bad-class gsvd_hz (1, sparse (1i))
%!error <A must be a single or double array, not logical> gsvd_hz (true, 1)
%!error <B must be a single or double array, not cell> gsvd_hz (1, {})
%!error <A must be a full array, not sparse; use full \(A\)> gsvd_hz (sparse (1), 1)
%!error <B must be a full array, not sparse; use full \(B\)> gsvd_hz (1, sparse (1))
%!error id=gpulinalg:bad-shape gsvd_hz (ones (3, 2), [])
%!error id=gpulinalg:bad-shape gsvd_hz (ones (3, 2, 4), ones (3, 3))
%!error id=gpulinalg:bad-shape gsvd_hz (ones (3, 2, 2, 3), ones (3, 2, 3, 2))
%!error <A and B must have the same columns and the same pages, but A is 3x2 and B is 2x5> ...
%! gsvd_hz (ones (3, 2), ones (2, 5))
%!error <A and B must have the same columns and the same pages, but A is 3x2x4 and B is 3x2x5> ...
%! gsvd_hz (ones (3, 2, 4), ones (3, 2, 5))
%!error <gsvd_hz: argument 3 must be 0 or the name of an option, not 1$> gsvd_hz (1, 1, 1)
%!error <argument 3 must be 0 or the name of an option, not of class double> gsvd_hz (1, 2, [])
%!error <argument 4 must be the name of an option, not of class double> gsvd_hz (1, 2, 0, 0)
%!error <argument 4 must be the name of an option, not of class cell> gsvd_hz (1, 2, "econ", {})
%!error id=gpulinalg:bad-option gsvd_hz (1, 1, "colour")
%!error <unknown option "Colour"; valid options are "econ", "0", "method", "blocking", "ordering", "block", "device", "progress" or "mpi"> ...
%! gsvd_hz (1, 1, "Colour", 3)
%!error <option "block" needs a value> gsvd_hz (1, 1, "block")
%!error id=gpulinalg:bad-value gsvd_hz (1, 1, "method", "qr")
%!error <option "method" must be "auto", "hz" or "tangent", not "qr"> gsvd_hz (1, 1, "method", "qr")
%!error <option "blocking" must be "bo" or "fb", not of class double> gsvd_hz (1, 1, "blocking", 1)
%!error <option "ordering" must be "me" or "mm", not "xx"> gsvd_hz (1, 1, "ordering", "xx")
%!error <option "block" must be a positive integer, not 0> gsvd_hz (1, 1, "block", 0)
%!error <option "block" must be a positive integer, not 2\.5> gsvd_hz (1, 1, "block", 2.5)
%!error <option "device" must be "auto", "cpu", "gpu" or numbers of GPUs, not "tpu"> gsvd_hz (1, 1, "device", "tpu")
%!error <option "progress" must be true, false or a function handle, not of class char> ...
%! gsvd_hz (1, 1, "progress", "yes")
%!error id=Octave:bad-alloc [U, V] = gsvd_hz (ones (2e7, 1), 1);

%!demo
%! ## A blurred signal restored by generalized Tikhonov regularization, three weights of the roughness.
%! n = 120;
%! t = linspace (0, 1, n).';
%! blur = exp (-((t - t.') / 0.04) .^ 2);
%! blur = blur ./ sum (blur, 2);
%! x = (t > 0.2 & t < 0.45) + exp (-((t - 0.7) / 0.05) .^ 2);
%! b = blur * x + 0.01 * randn (n, 1);
%! bend = diff (eye (n), 2);
%! [U, V, X, C, S] = gsvd_hz (blur, bend, 0);
%! c2 = sumsq (C, 1).';
%! s2 = sumsq (S, 1).';
%! y = [];
%! for lambda = [1e-3, 1, 1e3]
%!   y(:,end+1) = X' \ (C' * (U' * b) ./ (c2 + lambda ^ 2 * s2));
%!   printf ("lambda = %g: the error is %.3g\n", lambda, norm (y(:,end) - x) / norm (x));
%! endfor
%! plot (t, y, "linewidth", 2, t, x, "k--");
%! axis ([0, 1, -0.5, 1.5]);
%! legend ("lambda = 0.001", "lambda = 1", "lambda = 1000", "true", "location", "southoutside", ...
%!         "orientation", "horizontal");
%! title ("a blurred signal restored");
*/

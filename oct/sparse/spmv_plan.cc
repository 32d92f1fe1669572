// spmv_plan.cc: spmv_plan for Octave
// SPDX-License-Identifier: GPL-3.0-or-later

#include "spmv.h"

void spmv_plan_arguments (const octave_value_list &args, int nargout, octave_value &A,
                          octave_value &device, gla::sparse_matrix::settings &how)
{
  gla::check_counts ("spmv_plan", args, 1, gla::any_number, nargout, 1);
  gla::options opts ("spmv_plan", args, 1, {}, {"device", "method", "precision", "mpi"});
  how.method = gla::method_of (opts);
  how.single = gla::single_of (opts);
  opts.word ("mpi", {"rows"});
  device = opts.value ("device");
  A = args (0);
  if (gla::plan_view given = gla::plan_of (A))
    A = given.matrix (); // a new plan of the same matrix, with other options
}

static octave_value_list spmv_plan_body (octave::interpreter &interp, const octave_value_list &args,
                                         int nargout)
{
  gla::register_plans (interp);
  if (gla::wants_mpi (args))
    return gla::call_of_ranks ("spmv_plan", interp, args, nargout);
  gla::plan_view view;
  octave_value A, device;
  gla::sparse_matrix::settings how = {};
  spmv_plan_arguments (args, nargout, A, device, how);
  view.plan = std::make_shared<gla::plan> (interp, A, device, how);
  return ovl (gla::value_of (view));
}

DEFMETHOD_DLD (spmv_plan, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{P} =} spmv_plan (@var{A})
 @deftypefnx {gpulinalg} {@var{P} =} spmv_plan (@var{A}, @var{name}, @var{value}, @dots{})
Prepare a sparse matrix for many products.

@var{A} is a sparse matrix, real, complex or logical, or another plan.  @var{P}
replaces @var{A} in @code{spmv} and @code{eigs_lanczos}.  What a product needs to
know about @var{A} is computed once, and where a GPU multiplies, it keeps its copy
of @var{A} for as long as @var{P} or a copy of @var{P} lives.  On the host nothing
is copied: @var{P} shares the memory of @var{A}.  Changing the variable @var{A}
later does not change @var{P}.

Options, each followed by its value, names in upper or lower case:

@table @asis
@item @qcode{"device"}
Where products are computed unless a call says otherwise.  @qcode{"auto"}
(default): the faster place.  @qcode{"cpu"}.  @qcode{"gpu"}.  A vector of numbers:
these GPUs, as @code{gpulinalg_info} counts them, from 0.  Several GPUs share the rows of
@var{A} as in @code{spmv}: each keeps its own rows, so that @var{A} may be larger than the
memory of one.

@item @qcode{"method"}
How a GPU distributes the rows.  @qcode{"auto"} (default) chooses by the lengths of
the rows.  @qcode{"scalar"}: one thread for each row.  @qcode{"vector"}: one warp
for each row.  @qcode{"group"}: 2 to 32 threads for each row, by the mean length.
@qcode{"balanced"}: parts with equally many nonzeros; long rows are split and short
rows packed.  Where it pays, as for graphs with hubs, the elements of one vector at
the columns with the most nonzeros are then kept close to the processors, which
takes 4 bytes more for each nonzero.  On the CPU all methods are the same: parts
with equally many nonzeros.

@item @qcode{"precision"}
@qcode{"double"} (default) or @qcode{"single"}: the values are rounded once, and
all computations are single.

@item @qcode{"mpi"}
@qcode{"rows"}: the rows of @var{A} on all ranks are one square matrix, see @code{spmv}
and @code{gpulinalg_mpi}.  All ranks make the plan together, and all products with it.
It cannot be transposed.  @code{eigs_lanczos} takes the rows of @var{A}, not this plan.
@end table

@code{size (@var{P})}, @code{rows (@var{P})} and @code{columns (@var{P})} are those
of @var{A}, @code{@var{P}.matrix} is @var{A}, and @code{@var{P}.precision} is
@qcode{"double"} or @qcode{"single"}.  @code{@var{P} * @var{x}} is
@code{spmv (@var{P}, @var{x})}; @code{@var{P}'} and @code{@var{P}.'} are plans, too,
which cost nothing, so that @code{@var{P}' * @var{x}} and @code{@var{x}' * @var{P}} are
products by the same @var{P}.  @var{x} may be a gpuArray, see @code{spmv}.  @code{@var{P} == @var{Q}} and @code{isequal (@var{P}, @var{Q})}
are true where the matrices and their precisions are equal.  A plan cannot be indexed
otherwise, changed, or saved to a file.  Other operators, such as @code{2 * @var{P}} and
@code{@var{P} + @var{Q}}, and functions that want a matrix, such as @code{eigs}, do not
take it.

@example
@group
A = ba_graph (100000, 3);
P = spmv_plan (A)
   @result{} P = <spmv_plan: 100000x100000 double, 599982 nonzeros, all equal, method auto>
x = ones (100000, 1);
for k = 1:50
  x = P * x;
  x /= norm (x);
endfor
abs (norm (x) - 1) < 1e-12
   @result{} ans = 1
@end group
@end example

@subheading Errors
@table @code
@item gpulinalg:bad-class
@var{A} is neither sparse nor a plan; or, later, a plan is indexed, changed, saved,
or given to an operator or a function that does not take plans.
@item gpulinalg:bad-shape
In @code{@var{P} * @var{x}} or @code{@var{x} * @var{P}} the sizes do not match, or
@var{x} is a number.
@item gpulinalg:bad-option
The option is unknown or has no value.
@item gpulinalg:bad-value
The option does not take this value.
@item gpulinalg:no-device
The GPU that was asked for does not exist, or has failed in an earlier call.
@item gpulinalg:forked
A GPU was asked for in a child of @code{fork}.
@item Octave:bad-alloc
There is not enough memory.
@item gpulinalg:no-mpi
@itemx gpulinalg:mpi-mismatch
@itemx gpulinalg:mpi-failed
With @qcode{"mpi"}: see @code{gpulinalg_mpi}.
@end table

@subheading References
N. Bell and M. Garland, Efficient sparse matrix-vector multiplication on CUDA,
NVIDIA Technical Report NVR-2008-004 (2008).

@seealso{spmv, eigs_lanczos}
@end deftypefn)doc")
{
  return gla::guarded ("spmv_plan", [&] () { return spmv_plan_body (interp, args, nargout); });
}

/*
%!demo
%! ## A knock on a drum: 240 steps of the wave equation, one product with a plan each.
%! n = 120;
%! [x, y] = meshgrid (linspace (-1, 1, n));
%! inside = hypot (x, y) < 1;
%! T = spdiags (ones (n, 1) * [1, -2, 1], -1:1, n, n);
%! L = kron (T, speye (n)) + kron (speye (n), T);
%! P = spmv_plan (2 * speye (nnz (inside)) + 0.4 * L(inside,inside));
%! before = drum = exp (-100 * ((x(inside) - 0.4) .^ 2 + y(inside) .^ 2));
%! for k = 1:240
%!   [before, drum] = deal (drum, P * drum - before);
%! endfor
%! printf ("deflections from %.3f to %.3f\n", min (drum), max (drum));
%! skin = zeros (n);
%! skin(inside) = drum;
%! imagesc ([-1, 1], [-1, 1], skin);
%! hold on;
%! plot (exp (2i * pi * (0:200) / 200), "w", "linewidth", 2);
%! hold off;
%! axis ("image", "off");
%! title ("a drum after a knock beside its centre");

%!function text = shown (P)
%!  text = evalc ("P");
%!endfunction

%!test
%! A = sparse ([1, 1, 3], [1, 2, 2], [10, 20, 30]);
%! P = spmv_plan (A);
%! assert (class (P), "spmv_plan");
%! assert ({size(P), rows(P), columns(P), numel(P)}, {[3, 2], 3, 2, 6});
%! assert (P.matrix, A);
%! assert (full (P.matrix(3,2)), 30);
%! assert ({P.precision, P'.precision, P.precision(1)}, {"double", "double", "d"});
%! assert (spmv_plan (A, "precision", "single").precision, "single");
%! assert (spmv_plan (A * 1i, "precision", "single")'.precision, "single");
%! assert (spmv (P, [1; 2]), [50; 0; 60]);
%! assert (! isempty (regexp (shown (P), '^P = <spmv_plan: 3x2 double, 3 nonzeros, method \w+')));
%! assert (! isempty (strfind (shown (spmv_plan (A > 0)), "3 nonzeros, all equal, method")));
%! assert (! isempty (strfind (shown (spmv_plan (A * 1i)), "3x2 double complex")));
%! assert (! isempty (strfind (shown (spmv_plan (A, "precision", "single")), "3x2 single, ")));
%! assert (! isempty (strfind (disp (spmv_plan (A, "method", "Vector")), "method vector")));

%!## the help text shows the text that a plan prints
%!test
%! text = shown (spmv_plan (ba_graph (100000, 3)));
%! assert (! isempty (strfind (get_help_text ("spmv_plan"), strtrim (text))));

%!## a plan remains valid while a copy of it exists, even if the matrix is changed or cleared
%!test
%! A = sprand (300, 300, 0.1);
%! x = rand (300, 1);
%! P = spmv_plan (A);
%! y = spmv (P, x);
%! assert (y, A * x, 1e-12);
%! A(7,:) = 5;
%! assert (spmv (P, x), y);
%! clear A
%! Q = {P, struct("plan", P)};
%! clear P
%! assert (spmv (Q{2}.plan, x), y);
%! Q{1} = [];
%! assert (spmv (Q{2}.plan, x), y);
%! f = @(x) spmv (Q{2}.plan, x);
%! clear Q
%! assert (f (x), y);
%! for k = 1:100
%!   P = spmv_plan (speye (k));
%! endfor
%! assert (spmv (P, (1:100).'), (1:100).');

%!## single precision; a plan of a plan
%!test
%! A = sprand (60, 40, 0.2);
%! x = rand (40, 2);
%! P = spmv_plan (A, "precision", "single");
%! y = spmv (P, x);
%! assert (class (y), "single");
%! assert (y, single (A * x), 1e-5);
%! assert (spmv (P, single (x)), y);
%! z = spmv (P, complex (x, 2 * x));
%! assert ({class(z), real(z)}, {"single", y});
%! assert (imag (z), 2 * y, 1e-5);
%! Pz = spmv_plan (A * (1 + 1i), "precision", "single");
%! assert (spmv (Pz, x), single (A * x * (1 + 1i)), 1e-5);
%! D = spmv_plan (P, "precision", "double");
%! assert (spmv (D, x), A * x, 1e-13);
%! assert (class (spmv (D, single (x))), "single");

%!## plans on the CPU and on each GPU
%!test
%! A = sprand (60, 40, 0.2);
%! x = rand (40, 2);
%! for place = [{"cpu", "auto"}, num2cell(0:numel (gpulinalg_info ().devices) - 1)]
%!   P = spmv_plan (A, "device", place{1});
%!   assert (spmv (P, x), A * x, 1e-13);
%!   assert (spmv (P, x, "device", "cpu"), A * x, 1e-13);
%! endfor

%!## saving a plan is an error
%!test
%! P = spmv_plan (speye (3));
%! name = tempname ();
%! for format = {"-text", "-binary", "-hdf5"}(1:2+__have_feature__ ("HDF5"))
%!   err.identifier = err.message = "";
%!   try
%!     save (format{1}, name, "P");
%!   catch err
%!   end_try_catch
%!   if (exist (name, "file"))
%!     unlink (name);
%!   endif
%!   assert (err.identifier, "gpulinalg:bad-class");
%!   assert (! isempty (strfind (err.message, "a plan of spmv_plan cannot be saved")));
%! endfor
%! assert (spmv (P, [1; 2; 3]), [1; 2; 3]);

%!error <Invalid call> spmv_plan ()
%!error <spmv_plan: function called with too many outputs> [a, b] = spmv_plan (speye (2))
%!error id=gpulinalg:bad-class spmv_plan (eye (2))
%!error <spmv_plan: A must be a sparse matrix or a plan of spmv_plan, not a full array of class double; use sparse \(A\)> spmv_plan (ones (2))
%!error <unknown option "tol"; valid options are "device", "method", "precision" or "mpi"> spmv_plan (speye (2), "tol", 1)
%!error <option "precision" must be "single" or "double", not "half"> spmv_plan (speye (2), "precision", "half")
%!error id=gpulinalg:no-device spmv_plan (speye (2), "device", 77)
%!error <a plan cannot be indexed; its matrix is P.matrix> spmv_plan (speye (2))(1)
%!error <a plan cannot be indexed; its matrix is P.matrix> spmv_plan (speye (2)).values

%!## products by operators, of the plan and its transposes, real and complex
%!function check_products (A, x, y)
%!  P = spmv_plan (A);
%!  assert (P * x, A * x, 1e-13);
%!  assert (P' * y, A' * y, 1e-13);
%!  assert (P.' * y, A.' * y, 1e-13);
%!  assert (y' * P, y' * A, 1e-13);
%!  assert (y.' * P, y.' * A, 1e-13);
%!  assert (x' * P', x' * A', 1e-13);
%!  assert ((P.')' * x, conj (A) * x, 1e-13);
%!  assert ((P')' * x, P * x);
%!  assert (spmv (P', y), P' * y);
%!  assert (spmv (P', x, "ctranspose"), P * x);
%!  assert ({size(P'), P'.matrix, P.'.matrix, (P.')'.matrix}, {size(A'), A', A.', conj(A)});
%!  assert (isequal (P, P, spmv_plan (A), (P')'));
%!  assert (isequal (P, P'), false);
%!endfunction
%!test
%! A = sprand (30, 20, 0.2);
%! B = A + 1i * sprand (30, 20, 0.2);
%! x = rand (20, 1) - 0.5;
%! y = rand (30, 3) - 0.5;
%! check_products (A, x, y);
%! check_products (B, x, y);
%! check_products (A, complex (x, 2), complex (y, 3));
%! check_products (B, complex (x, 2), complex (y, 3));
%! P = spmv_plan (A);
%! assert (class (P * single (x)), "single");
%! assert (P * (x > 0), A * (x > 0), 1e-13);
%! assert (P * eye (20), full (A));
%! assert (P * (1:20).', A * (1:20).', 1e-13);
%! assert (spmv_plan (sparse (3)) * 4, 12);
%! assert (4i * spmv_plan (sparse (3)), 12i);
%! assert (P == spmv_plan (A, "precision", "single"), false);
%! assert (isequal (spmv_plan (A), spmv_plan (2 * A)), false);
%! assert (isequal (spmv_plan (A), spmv_plan (A(:,1:10))), false);
%! assert (! isempty (strfind (disp (spmv_plan (B)'), "20x30 double complex, ")));
%! assert (eigs_lanczos (spmv_plan (A' * A)', 2), eigs_lanczos (A' * A, 2), 1e-13);
%!error <X must have as many rows as A has columns, but A is 2x3 and X is 2x1> spmv_plan (sparse (2, 3)) * [1; 2]
%!error <X must be a full array, not sparse> spmv_plan (speye (2)) * speye (2)
%!error <X must be a matrix, but it is 2x1x2> spmv_plan (speye (2)) * ones (2, 1, 2)
%!error id=gpulinalg:bad-shape 2 * spmv_plan (speye (2))
%!error <P cannot be multiplied by a number; multiply X or P\*X by it, or make a plan of the matrix times the number; P is 2x3> ...
%! 2 * spmv_plan (sparse (2, 3))
%!error <P cannot be multiplied by a number> spmv_plan (speye (2)) * single (2i)
%!error <P cannot be multiplied by a number> spmv_plan (speye (2)) * true
%!error <in X\*P, X must have as many columns as P has rows, but X is 1x3 and P is 2x3> ...
%! [1, 2, 3] * spmv_plan (sparse (2, 3))
%!error <X must be a matrix, but it is 2x1x2> ones (2, 1, 2) * spmv_plan (speye (2))
%!error <the plan is a transpose> eigs_lanczos (spmv_plan (sparse ([1, 2i; -2i, 1])).', 1)

%!## functions that do not accept a plan name those that do
%!error <does not accept a plan; spmv, the operator \* and eigs_lanczos \(for eigs\) do> eigs (spmv_plan (speye (9)), 2)
%!error <P.matrix> full (spmv_plan (speye (2)))
%!error <a plan cannot be indexed; its matrix is P.matrix> spmv_plan (speye (2)){1}
%!error <a plan cannot be changed> P = spmv_plan (speye (2)); P.matrix = 3;
%!error <a plan cannot be changed> P = spmv_plan (speye (2)); P(1) = 3;
%!error <a plan cannot be changed> P = spmv_plan (speye (2)); P{1} = 3;
%!error <a plan cannot be changed> P = spmv_plan (speye (2)); P.matrix(1,1) = 3;
%!error <a plan cannot be changed> P = spmv_plan (speye (2)); P.precision = "single";
%!error <argument 2 must be the name of an option, not of class char of size 1x3x2> ...
%! spmv_plan (speye (2), reshape ("device", [1, 3, 2]))
%!error <option "precision" must be "single" or "double", not of class char of size 1x3x2> ...
%! spmv_plan (speye (2), "precision", reshape ("single", [1, 3, 2]))

%!## operators that do not accept a plan name those that do
%!function y = if_of (P)
%!  y = 0;
%!  if (P)
%!    y = 1;
%!  endif
%!endfunction
%!function P = counted (P)
%!  P++;
%!endfunction
%!function x = placed (P)
%!  x = [1, 2];
%!  x(1) = P;
%!endfunction
%!test
%! P = spmv_plan (speye (2));
%! refused = {@() P + 1, @() 1 - P, @() P + P, @() P .* 2, @() 2 .* P, @() P / 2, @() P \ [1; 2], ...
%!            @() P ^ 2, @() P * P, @() P == 2, @() P != P, @() 1 < P, @() P & P, @() -P, @() ! P, ...
%!            @() P * int8 (2), @() int8 (2) * P, @() P * {1}, @() {1} + P, @() [P, P], @() [P; P], ...
%!            @() P + speye (2), @() P * P', @() if_of (P), @() P && true, @() counted (P), ...
%!            @() placed (P)};
%! for k = 1:numel (refused)
%!   err.identifier = err.message = "";
%!   try
%!     refused{k} ();
%!   catch err
%!   end_try_catch
%!   assert (err.identifier, "gpulinalg:bad-class", func2str (refused{k}));
%!   assert (! isempty (strfind (err.message, "the matrix of a plan P is P.matrix")));
%! endfor
%! for op = {"P * X", "X * P", "P'", "P.'", "P == Q"}
%!   assert (! isempty (strfind (err.message, op{1})), op{1});
%! endfor

%!## factors of all classes that Octave makes matrices of
%!test
%! P = spmv_plan (sparse ([1, 2; 3, 4]));
%! assert (P * diag ([1, 2]), [1, 4; 3, 8]);
%! assert (diag (single ([1, 2])) * P, single ([1, 2; 6, 8]));
%! assert (P * diag ([1i, 2]), [1i, 4; 3i, 8]);
%! assert (P * eye (2)(:,[2, 1]), [2, 1; 4, 3]);
%! assert ((1:2) * P, [7, 10]);
%! assert (P * find ([1; 1]), [5; 11]);
%! assert (P * ["a"; "b"], [1, 2; 3, 4] * [97; 98]);
%! assert ([true, false] * P, [1, 2]);
%! assert (isequal (P, 2), false);
%! assert (isequal ({P, {P}, struct("p", P).p}, {P, {P}, P}));
*/

// spmv.cc: spmv for Octave
// SPDX-License-Identifier: GPL-3.0-or-later

#include "plan_value.h"

#include <algorithm>
#include <cctype>

//------------------------------------------------------------------------------
// arguments
//------------------------------------------------------------------------------

struct spmv_request {
  char op;             // 'N', 'T' or 'C'
  octave_idx_type out; // rows of the result
  gla_type type;       // of the prepared matrix
  bool single;         // the class of the result
};

static void check_vectors (const octave_value &x)
{
  gla::check_float_array ("spmv", "X", x);
  if (x.ndims () > 2)
    error_with_id ("gpulinalg:bad-shape", "spmv: X must be a matrix, but it is %s",
                   x.dims ().str ().c_str ());
}

static char read_op (const gla::options &opts)
{
  std::string flag = opts.last_flag ({"transpose", "ctranspose"});
  return flag == "transpose" ? 'T' : flag == "ctranspose" ? 'C' : 'N';
}

static void check_sizes (const dim_vector &dims, const octave_value &x, spmv_request &want)
{
  octave_idx_type in = want.op == 'N' ? dims (1) : dims (0);
  want.out = want.op == 'N' ? dims (0) : dims (1);
  if (x.rows () != in)
    error_with_id ("gpulinalg:bad-shape",
                   "spmv: X must have as many rows as %s has columns, but A is %s and X is %s",
                   want.op == 'N' ? "A" : "the transpose of A", dims.str ().c_str (),
                   x.dims ().str ().c_str ());
}

//------------------------------------------------------------------------------
// the product
//------------------------------------------------------------------------------

template <typename Array>
static Array multiply (gla::call &call, const gla::sparse_matrix &A, const Array &X,
                       const spmv_request &want)
{
  Array Y = gla::unfilled<Array> (dim_vector (want.out, X.dims () (1)));
  gla_array x = gla::input (X), y = gla::output (Y);
  call.finish (gla_spmv (call.context (), A.get (), want.op, &x, &y, nullptr));
  return Y;
}

// A real matrix multiplies the real and the imaginary parts as twice as many real vectors.
template <typename Real, typename Cplx>
static Cplx multiply_parts (gla::call &call, const gla::sparse_matrix &A, const Cplx &X,
                            const spmv_request &want)
{
  typedef typename Cplx::element_type C;
  octave_idx_type n = X.dims () (0), b = X.dims () (1), m = want.out;
  Real parts = gla::unfilled<Real> (dim_vector (n, 2 * b));
  const C *x = X.data ();
  auto *p = parts.fortran_vec ();
  for (octave_idx_type k = 0; k < n * b; k++) {
    p[k] = x[k].real ();
    p[n * b + k] = x[k].imag ();
  }
  Real products = multiply (call, A, parts, want);
  const auto *re = products.data (), *im = re + m * b;
  Cplx Y = gla::unfilled<Cplx> (dim_vector (m, b));
  C *y = Y.fortran_vec ();
  for (octave_idx_type k = 0; k < m * b; k++)
    y[k] = C (re[k], im[k]);
  return Y;
}

template <typename Real, typename Cplx>
static octave_value product (gla::call &call, const gla::sparse_matrix &A, const octave_value &x,
                             const spmv_request &want)
{
  Real re;
  Cplx z;
  if (gla_type_is_complex (want.type)) {
    gla::read (x, z);
    return multiply (call, A, z, want);
  }
  if (x.iscomplex ()) {
    gla::read (x, z);
    return multiply_parts<Real> (call, A, z, want);
  }
  gla::read (x, re);
  return multiply (call, A, re, want);
}

static octave_value multiplied (gla::call &call, const gla::sparse_matrix &A, const octave_value &x,
                                spmv_request want)
{
  want.type = A.info ().type;
  want.single = x.is_single_type () || want.type == GLA_S || want.type == GLA_C;
  octave_value y = want.type == GLA_S || want.type == GLA_C
                       ? product<FloatNDArray, FloatComplexNDArray> (call, A, x, want)
                       : product<NDArray, ComplexNDArray> (call, A, x, want);
  return want.single ? y.as_single () : y;
}

//------------------------------------------------------------------------------
// one product on the CPU, without a plan
//------------------------------------------------------------------------------

// Short products do without a call of their own; call is null then.
template <typename Array>
static Array multiply_once (gla::call *call, const gla_csr &A, const octave_value &x,
                            const spmv_request &want)
{
  Array X;
  gla::read (x, X);
  Array Y = gla::unfilled<Array> (dim_vector (want.out, X.dims () (1)));
  gla_status status = gla_spmv_once (call ? call->context () : nullptr, &A, want.op,
                                     gla::type_of (X), X.data (), Y.fortran_vec (), X.dims () (1));
  if (call)
    call->finish (status);
  return Y;
}

template <typename Matrix>
static octave_value product_once (gla::call *call, const Matrix &A, const void *values,
                                  bool is_complex, const octave_value &x, const spmv_request &want)
{
  gla_csr columns = {};
  columns.type = is_complex ? GLA_Z : GLA_D;
  columns.rows = A.rows ();
  columns.columns = A.cols ();
  columns.index_bytes = sizeof (octave_idx_type);
  columns.start = A.cidx ();
  columns.index = A.ridx ();
  columns.values = values;
  octave_value y;
  if (is_complex || x.iscomplex ())
    y = multiply_once<ComplexNDArray> (call, columns, x, want);
  else
    y = multiply_once<NDArray> (call, columns, x, want);
  return x.is_single_type () ? y.as_single () : y;
}

// The matrices are const: data () of another one would copy all of it.
static octave_value multiply_once (gla::call *call, const octave_value &A, const octave_value &x,
                                   const spmv_request &want)
{
  if (A.islogical ()) {
    const SparseBoolMatrix m = A.sparse_bool_matrix_value ();
    return product_once (call, m, nullptr, false, x, want);
  }
  if (A.iscomplex ()) {
    const SparseComplexMatrix m = A.sparse_complex_matrix_value ();
    return product_once (call, m, m.data (), true, x, want);
  }
  const SparseMatrix m = A.sparse_matrix_value ();
  return product_once (call, m, m.data (), false, x, want);
}

// Entries times vectors.
static double work_of (const octave_value &A, const octave_value &x)
{
  return static_cast<double> (A.nnz () + A.rows () + A.columns ()) * x.columns ();
}

// So short that Ctrl-C can wait.
static bool is_short (const octave_value &A, const octave_value &x)
{
  return work_of (A, x) < (1 << 19);
}

// Whether a GPU could be faster, with the matrix prepared and copied for one call: 5 million
// entries took 0.13 s on an H200, and 9.6 million 0.02 s on two cores of a CPU. For less the driver
// is not even asked whether there is a GPU, which takes 0.1 s and more in a fresh process.
static bool is_long (const octave_value &A, const octave_value &x)
{
  return work_of (A, x) >= (1 << 28);
}

// Whether it is the CPU that is asked for, or no GPU that could be meant.
static bool on_cpu (const octave_value &device)
{
  if (device.is_undefined ())
    return true;
  std::string word = gla::is_text (device) ? device.string_value () : "";
  std::transform (word.begin (), word.end (), word.begin (), ::tolower);
  return word == "cpu" || word == "auto";
}

static bool is_cpu (const octave_value &device)
{
  return device.is_defined () && device.is_string () && device.string_value ().size () == 3;
}

static octave_value conjugate (octave::interpreter &interp, const octave_value &x)
{
  return x.iscomplex () ? interp.feval ("conj", ovl (x), 1) (0) : x;
}

// A plan's own transposition and the one that is asked for make one.
static octave_value product_of_plan (octave::interpreter &interp, const gla::plan_view &given,
                                     const octave_value &x, spmv_request want,
                                     const octave_value &device)
{
  gla::plan_view view = given.then (want.op != 'N', want.op == 'C');
  check_sizes (given.dims (), x, want);
  want.op = view.transposed ? (view.conjugated ? 'C' : 'T') : 'N';
  bool conjugated = view.conjugated && !view.transposed; // conj (A)*x = conj (A*conj (x))
  octave_value X = conjugated ? conjugate (interp, x) : x, y;
  {
    gla::plan::use use ("spmv", view.plan);
    gla::call call ("spmv", interp, use.context ());
    call.set_place (use.place (device));
    y = multiplied (call, view.plan->matrix (), X, want);
  }
  return conjugated ? conjugate (interp, y) : y;
}

octave_value gla::multiply_plan (octave::interpreter &interp, const plan_view &view,
                                 const octave_value &X, const octave_value &device)
{
  check_vectors (X);
  spmv_request want = {};
  want.op = 'N';
  return product_of_plan (interp, view, X, want, device);
}

static octave_value_list spmv_body (octave::interpreter &interp, const octave_value_list &args,
                                    int nargout)
{
  gla::check_counts ("spmv", args, 2, gla::any_number, nargout, 1);
  gla::options opts ("spmv", args, 2, {"transpose", "ctranspose"}, {"device", "method"});
  octave_value A = args (0), x = args (1);
  check_vectors (x);
  spmv_request want = {};
  want.op = read_op (opts);
  gla::sparse_matrix::settings how = {};
  how.method = gla::method_of (opts);
  how.once = true;

  if (gla::plan_view view = gla::plan_of (A)) {
    if (opts.value ("method").is_defined ())
      error_with_id ("gpulinalg:bad-option",
                     "spmv: \"method\" is an option of spmv_plan where A is a plan");
    return ovl (product_of_plan (interp, view, x, want, opts.value ("device")));
  }
  octave_value device = opts.value ("device");
  bool once = A.issparse () && on_cpu (device);
  if (once) {
    check_sizes (A.dims (), x, want);
    if (is_short (A, x))
      return ovl (multiply_once (nullptr, A, x, want));
  }
  gla::call call ("spmv", interp);
  call.set_place (device);
  if (once && (is_cpu (device) || !is_long (A, x) || gla_device_count (call.context ()) == 0))
    return ovl (multiply_once (&call, A, x, want));
  gla::sparse_matrix prepared (call, "spmv", A, how);
  check_sizes (A.dims (), x, want);
  return ovl (multiplied (call, prepared, x, want));
}

DEFMETHOD_DLD (spmv, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{y} =} spmv (@var{A}, @var{x})
 @deftypefnx {gpulinalg} {@var{y} =} spmv (@var{A}, @var{x}, "transpose")
 @deftypefnx {gpulinalg} {@var{y} =} spmv (@var{A}, @var{x}, "ctranspose")
 @deftypefnx {gpulinalg} {@var{y} =} spmv (@dots{}, @var{name}, @var{value}, @dots{})
Product of a sparse matrix and one or several vectors.

@code{@var{y} = @var{A} * @var{x}}, with @qcode{"transpose"}
@code{@var{y} = @var{A}.' * @var{x}}, with @qcode{"ctranspose"}
@code{@var{y} = @var{A}' * @var{x}}.  @var{A} is sparse, real, complex or logical,
or a plan of @code{spmv_plan}; the columns of the full matrix @var{x} are the
vectors.  The work is done on an NVIDIA GPU where there is one and where it is
faster, the copies included, otherwise on all cores of the CPU.

Where the same matrix is multiplied again and again, @code{spmv_plan} saves most of
the work.  Matrices whose stored values are all equal, as those of graphs, are
multiplied without reading values.  A product without a plan prepares nothing: on the
CPU it adds in the order of @code{@var{A} * @var{x}}.  Several threads share the
columns of @var{x}, and a transposed product of a single one.

@var{y} is single where @var{x} is single or the plan is.  The sums are in double
unless the plan is single, and always in the same order: the same call gives the
same bits on one device.  (A plan may add in another order than a call with
@var{A} itself.)  NaN and Inf count only where they meet a stored entry of
@var{A}.

Options, each followed by its value, names in upper or lower case:

@table @asis
@item @qcode{"device"}
@qcode{"auto"} (default): the faster place, the time for copies included.
@qcode{"cpu"}.  @qcode{"gpu"}.  A vector of numbers: these GPUs, as
@code{gpulinalg_info} counts them, from 0.

@item @qcode{"method"}
How rows are dealt out on a GPU: @qcode{"auto"} (default), @qcode{"scalar"},
@qcode{"vector"}, @qcode{"group"} or @qcode{"balanced"}; see @code{spmv_plan},
which has this option where @var{A} is a plan.
@end table

If a GPU fails or has too little memory, the CPU does the work and the warning
@code{gpulinalg:device-failed} or @code{gpulinalg:device-memory} says so.

@example
@group
A = sparse ([1, 1, 3], [1, 2, 2], [10, 20, 30]);
spmv (A, [1; 2])
   @result{} ans =

        50
         0
        60

spmv (A, [1; 2; 3], "transpose")
   @result{} ans =

        10
       110
@end group
@end example

@seealso{spmv_plan, eigs_lanczos}
@end deftypefn)doc")
{
  return gla::guarded ("spmv", [&] () { return spmv_body (interp, args, nargout); });
}

/*
%!function A = matrix (m, n, density, type)
%!  ## Random, of type "d" (double), "z" (complex), "b" (logical), or "1" (all values alike).
%!  A = sprand (m, n, density);
%!  switch (type)
%!    case "z"
%!      A = A + 1i * (A != 0) .* sprand (A);
%!    case "b"
%!      A = A != 0;
%!    case "1"
%!      A = 2.5 * (A != 0);
%!  endswitch
%!endfunction

%!function x = vectors (n, b, type)
%!  x = rand (n, b) - 0.5;
%!  if (any (type == "zc"))
%!    x = complex (x, rand (n, b) - 0.5);
%!  endif
%!  if (any (type == "sc"))
%!    x = single (x);
%!  endif
%!endfunction

%!function check (y, A, x)
%!  ## Right to a few eps of the sums of moduli; classes and shapes are those of A*x.
%!  wanted = A * double (x);
%!  bound = 2 * columns (A) * double (eps (class (x))) * (abs (A) * abs (double (x)));
%!  assert (size (y), size (wanted));
%!  assert ({class(y), iscomplex(y)}, {class(x), iscomplex(wanted)});
%!  assert (all ((abs (double (y) - wanted) <= bound)(:)));
%!endfunction

%!## all types of A and x, all shapes, one to nine vectors
%!test
%! rand ("twister", 1);
%! for shape = [1, 1, 7, 30, 200, 64, 1000; 1, 5, 1, 40, 150, 64, 3]
%!   for ta = "dzb1"
%!     A = matrix (shape(1), shape(2), 0.15, ta);
%!     P = spmv_plan (A);
%!     for tx = "dzsc"
%!       for b = [1, 2, 3, 4, 5, 8, 9]
%!         x = vectors (shape(2), b, tx);
%!         y = spmv (A, x);
%!         z = spmv (P, x);
%!         check (y, A, x);
%!         check (z, A, x);
%!         assert ({spmv(A, x), spmv(P, x)}, {y, z});
%!       endfor
%!       x = vectors (shape(1), 2, tx);
%!       check (spmv (A, x, "transpose"), A.', x);
%!       check (spmv (P, x, "Transpose"), A.', x);
%!       check (spmv (A, x, "ctranspose"), A', x);
%!       check (spmv (P, x, "ctranspose"), A', x);
%!     endfor
%!   endfor
%! endfor

%!## no rows, no columns, no vectors, no entries
%!test
%! for type = {@double, @single, @(x) complex (x, x)}
%!   f = type{1};
%!   assert (spmv (sparse (0, 3), f (ones (3, 2))), real (f (zeros (0, 2))));
%!   assert (spmv (sparse (3, 0), f (ones (0, 2))), real (f (zeros (3, 2))));
%!   assert (spmv (sparse (0, 0), f (ones (0, 0))), real (f (zeros (0, 0))));
%!   assert (size (spmv (speye (3), f (ones (3, 0)))), [3, 0]);
%!   assert (spmv (sparse (4, 3), f (ones (3, 2))), real (f (zeros (4, 2))));
%!   assert (spmv (sparse (4, 3) > 0, f (ones (4, 2)), "transpose"), real (f (zeros (3, 2))));
%! endfor

%!## an x that is a range, a diagonal matrix or a scalar; A stays as it is
%!test
%! A = sparse ([1, 1, 3], [1, 2, 2], [10, 20, 30]);
%! B = 1 * A;
%! assert (spmv (A, (1:2).'), [50; 0; 60]);
%! assert (spmv (A, [1, 2].'), [50; 0; 60]);
%! assert (spmv (A, eye (2)), full (A));
%! assert (spmv (sparse (3), 4), 12);
%! assert (A, B);

%!## NaN and Inf count where they meet an entry
%!test
%! A = sparse ([1, 2, 2], [1, 1, 3], [1, 0.5, NaN]);
%! assert (spmv (A, [2; NaN; 1]), [2; NaN]);
%! assert (spmv (A, [Inf; NaN; 0]), [Inf; NaN]);
%! assert (spmv (A(:,1:2), [2; NaN]), [2; 1]);

%!## one long row among short ones
%!test
%! n = 40000;
%! A = speye (n);
%! A(77,:) = 1 / 3;
%! x = (1:n).' / n;
%! y = spmv (A, x);
%! assert (y([1:76, 78:n]), x([1:76, 78:n]));
%! assert (y(77), sum (x) / 3, 1e-10);
%! assert (spmv (A, x, "transpose"), A.' * x, 1e-10);

%!## options
%!test
%! A = matrix (50, 50, 0.1, "d");
%! x = vectors (50, 1, "d");
%! y = spmv (A, x);
%! for method = {"auto", "scalar", "vector", "group", "Balanced"}
%!   check (spmv (A, x, "Method", method{1}, "device", "cpu"), A, x);
%! endfor
%! assert (spmv (A, x, "device", "auto"), y);

%!testif ; isempty (gpulinalg_info ().devices)
%! try, spmv (speye (2), [1; 2], "device", "gpu"); catch err, end_try_catch
%! assert (err.identifier, "gpulinalg:no-device");

%!error <Invalid call> spmv ()
%!error <Invalid call> spmv (speye (2))
%!error <spmv: function called with too many outputs> [a, b] = spmv (speye (2), [1; 2])
%!error id=gpulinalg:bad-class spmv (eye (2), [1; 2])
%!error <A must be a sparse matrix or a plan of spmv_plan, not double> spmv (ones (2), [1; 2])
%!error <A must be a sparse matrix or a plan of spmv_plan, not cell> spmv ({}, [1; 2])
%!error id=gpulinalg:bad-class spmv (speye (2), speye (2))
%!error <X must be a full array, not sparse; use full \(X\)> spmv (speye (2), speye (2))
%!error <X must be a single or double array, not int8> spmv (speye (2), int8 ([1; 2]))
%!error <X must be a single or double array, not logical> spmv (speye (2), [true; false])
%!error <X must be a matrix, but it is 2x1x2> spmv (speye (2), ones (2, 1, 2))
%!error id=gpulinalg:bad-shape spmv (speye (2), [1; 2; 3])
%!error <X must have as many rows as A has columns, but A is 2x3 and X is 2x1> ...
%! spmv (sparse (2, 3), [1; 2])
%!error <X must have as many rows as the transpose of A has columns, but A is 2x3 and X is 3x1> ...
%! spmv (sparse (2, 3), [1; 2; 3], "transpose")
%!error <unknown option "Colour"; known are "transpose", "ctranspose", "device" or "method"> ...
%! spmv (speye (2), [1; 2], "Colour")
%!error <option "method" must be "auto", "scalar", "vector", "group" or "balanced", not "best"> ...
%! spmv (speye (2), [1; 2], "method", "best")
%!error <option "device" must be "auto", "cpu", "gpu" or numbers of GPUs, not "tpu"> ...
%! spmv (speye (2), [1; 2], "device", "tpu")
%!error <"method" is an option of spmv_plan where A is a plan> ...
%! spmv (spmv_plan (speye (2)), [1; 2], "method", "auto")

%!demo
%! ## Heat spreads over a plate with a hole: 2000 steps of one product each, with a plan.
%! n = 80;
%! T = spdiags (ones (n, 1) * [1, 0, 1], -1:1, n, n);
%! A = kron (T, speye (n)) + kron (speye (n), T);
%! [c, r] = meshgrid (1:n);
%! inside = (c - 55) .^ 2 + (r - 40) .^ 2 > 200;
%! A = A(inside(:),inside(:));
%! step = speye (rows (A)) + 0.2 * (A - spdiags (sum (A, 2), 0, rows (A), rows (A)));
%! P = spmv_plan (step);
%! heat = double (c(inside) < 10);
%! for k = 1:2000
%!   heat = spmv (P, heat);
%! endfor
%! printf ("heat after 2000 steps: %.4f of what it was\n", sum (heat) / nnz (c(inside) < 10));
%! if (__can_draw__ ())
%!   plate = zeros (n);
%!   plate(inside) = heat;
%!   imagesc (plate);
%!   axis ("image", "off");
%!   title ("heat in a plate with a hole");
%! endif
*/

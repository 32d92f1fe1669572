// spmv.cc: spmv for Octave
// SPDX-License-Identifier: GPL-3.0-or-later

#include "spmv.h"

//------------------------------------------------------------------------------
// arguments
//------------------------------------------------------------------------------

void spmv_check_vectors (const octave_value &x)
{
  gla::check_float_array ("spmv", "X", x);
  if (x.ndims () > 2)
    error_with_id ("gpulinalg:bad-shape", "spmv: X must be a matrix, but it is %s",
                   x.dims ().str ().c_str ());
}

char spmv_op (const gla::options &opts)
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
    return multiply_parts<Real> (
        z, want.out, [&] (const Real &parts) { return multiply (call, A, parts, want); });
  }
  gla::read (x, re);
  return multiply (call, A, re, want);
}

static octave_value multiplied (gla::call &call, const gla::sparse_matrix &A, const octave_value &x,
                                spmv_request want)
{
  want.type = A.info ().type;
  want.single = x.is_single_type () || want.type == GLA_TYPE_S || want.type == GLA_TYPE_C;
  octave_value y = spmv_is_on_gpu (x) ? spmv_on_gpu (call, A, x, want)
                   : want.type == GLA_TYPE_S || want.type == GLA_TYPE_C
                       ? product<FloatNDArray, FloatComplexNDArray> (call, A, x, want)
                       : product<NDArray, ComplexNDArray> (call, A, x, want);
  return want.single ? y.as_single () : y;
}

//------------------------------------------------------------------------------
// the place
//------------------------------------------------------------------------------

// The word of the option "device", or of the place of this Octave, in lower case; "" for numbers.
static std::string place_word (const octave_value &given)
{
  const octave_value device = gla::device_or_session (given);
  return gla::is_text (device) ? gla::lower_case (device.string_value ()) : "";
}

// Stored entries, rows and columns of A, times vectors: in proportion to the time of a product.
static double work_of (const octave_value &A, const octave_value &x)
{
  return static_cast<double> (A.nnz () + A.rows () + A.columns ()) * x.columns ();
}

// Below this work a product ends before Ctrl-C matters, so it needs no call with callbacks.
static bool is_short (const octave_value &A, const octave_value &x)
{
  return work_of (A, x) < (1 << 19);
}

// From this work on a GPU may be faster, although the matrix is prepared and copied for one
// product: 5 million entries took 0.13 s on an H200, and 9.6 million 0.02 s on two cores of a CPU.
// Below it the driver is not even queried for GPUs, which takes 0.1 s and more in a new process.
static bool is_long (const octave_value &A, const octave_value &x)
{
  return work_of (A, x) >= (1 << 28);
}

//------------------------------------------------------------------------------
// plans
//------------------------------------------------------------------------------

static octave_value conjugate (octave::interpreter &interp, const octave_value &x)
{
  return x.iscomplex () ? gla::feval (interp, "conj", ovl (x)) (0) : x;
}

// The product with a plan; the transposition of the plan and that of this call are combined.
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
    spmv_refuse_cpu (x, use.place (device));
    y = multiplied (call, view.plan->matrix (), X, want);
  }
  return conjugated ? conjugate (interp, y) : y;
}

// Multiplies by a plan that was made with "mpi", "rows".
static octave_value of_ranks (octave::interpreter &interp, const gla::plan_view &view,
                              const octave_value &X, const octave_value &device)
{
  octave_value_list args = ovl (gla::value_of (view), X);
  if (device.is_defined ())
    args.append (ovl ("device", device));
  return gla::call_of_ranks ("spmv", interp, args, 1) (0);
}

octave_value gla::multiply_plan (octave::interpreter &interp, const plan_view &view,
                                 const octave_value &X, const octave_value &device)
{
  if (view.plan->matrix ().rows ())
    return of_ranks (interp, view, X, device);
  spmv_check_vectors (X);
  spmv_request want = {};
  want.op = 'N';
  return spmv_gathered (view.plan->matrix ().matrix (), X, [&] (const octave_value &x) {
    return product_of_plan (interp, view, x, want, device);
  });
}

//------------------------------------------------------------------------------
// the call
//------------------------------------------------------------------------------

// Multiplies without "mpi"; x is the second argument.
static octave_value product_here (octave::interpreter &interp, const octave_value_list &args,
                                  const octave_value &x)
{
  const octave_value A = args (0);
  const bool on_gpu = spmv_is_on_gpu (x);
  spmv_request want = {};
  want.op = 'N';
  const std::string usual = place_word (octave_value ());
  if (args.length () == 2 && A.issparse () && !on_gpu && (usual == "auto" || usual == "cpu") &&
      is_short (A, x)) {
    // without options, whose reading takes longer than a product with a hundred rows
    spmv_check_vectors (x);
    check_sizes (A.dims (), x, want);
    return spmv_direct (nullptr, A, x, want);
  }

  gla::options opts ("spmv", args, 2, {"transpose", "ctranspose"}, {"device", "method", "mpi"});
  const octave_value device = opts.value ("device");
  spmv_check_vectors (x);
  want.op = spmv_op (opts);
  gla::sparse_matrix::settings how = {};
  how.method = gla::method_of (opts);
  how.once = true;

  if (gla::plan_view view = gla::plan_of (A)) {
    if (opts.value ("method").is_defined ())
      error_with_id ("gpulinalg:bad-option",
                     "spmv: with a plan, \"method\" is an option of spmv_plan");
    return product_of_plan (interp, view, x, want, device);
  }

  const std::string place = place_word (device);
  const bool direct = A.issparse () && !on_gpu && (place == "cpu" || place == "auto");
  if (direct) {
    check_sizes (A.dims (), x, want);
    if (is_short (A, x))
      return spmv_direct (nullptr, A, x, want);
  }
  gla::call call ("spmv", interp);
  call.set_place (device);
  spmv_refuse_cpu (x, device);
  if (direct && (place == "cpu" || !is_long (A, x) || gla_device_count (call.context ()) == 0))
    return spmv_direct (&call, A, x, want);
  gla::sparse_matrix prepared (call, "spmv", A, how);
  check_sizes (A.dims (), x, want);
  return multiplied (call, prepared, x, want);
}

static octave_value_list spmv_body (octave::interpreter &interp, const octave_value_list &args,
                                    int nargout)
{
  const gla::plan_view view = args.length () > 0 ? gla::plan_of (args (0)) : gla::plan_view ();
  if (gla::wants_mpi (args) || (view && view.plan->matrix ().rows ()))
    return gla::call_of_ranks ("spmv", interp, args, nargout);
  gla::check_counts ("spmv", args, 2, gla::any_number, nargout, 1);
  return ovl (spmv_gathered (
      args (0), args (1), [&] (const octave_value &x) { return product_here (interp, args, x); }));
}

DEFMETHOD_DLD (spmv, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{y} =} spmv (@var{A}, @var{x})
 @deftypefnx {gpulinalg} {@var{y} =} spmv (@var{A}, @var{x}, "transpose")
 @deftypefnx {gpulinalg} {@var{y} =} spmv (@var{A}, @var{x}, "ctranspose")
 @deftypefnx {gpulinalg} {@var{y} =} spmv (@dots{}, @var{name}, @var{value}, @dots{})
Multiply a sparse matrix by one or several vectors.

@code{@var{y} = @var{A} * @var{x}}, with @qcode{"transpose"}
@code{@var{y} = @var{A}.' * @var{x}}, with @qcode{"ctranspose"}
@code{@var{y} = @var{A}' * @var{x}}.  @var{A} is a sparse @var{m}-by-@var{n} matrix,
real, complex or logical, or a plan of @code{spmv_plan}.  @var{x} is a full matrix,
single or double, real or complex, whose columns are the vectors: @var{n} rows, or
@var{m} rows for the transposes.  The work is done on an NVIDIA GPU where there is
one and where it is faster, the copies included, otherwise on the CPU.

Where the same matrix is multiplied again and again, @code{spmv_plan} saves most of
the work.  The values of a matrix whose stored entries are all equal, such as the
adjacency matrix of a graph, are not read.  A product without a plan prepares
nothing: on the CPU it adds in the order of @code{@var{A} * @var{x}}, and several
threads share the columns of @var{x}, or the product with a transposed matrix.

@var{y} is single where @var{x} is single or the plan is single.  The sums are in
double unless the plan is single, and always in the same order: the same call gives
the same bits on one device, and on any two to eight GPUs that share the rows.  (A plan may add in another order than a call with
@var{A} itself.)  NaN and Inf count only where they meet a stored entry of
@var{A}.

Options, each followed by its value, names in upper or lower case:

@table @asis
@item @qcode{"device"}
@qcode{"auto"} (default): the faster place.  @qcode{"cpu"}.  @qcode{"gpu"}.  A vector
of numbers: these GPUs, as @code{gpulinalg_info} counts them, from 0.  Several GPUs share
the rows of op (@var{A}), those of a vector always, up to eight; all of @qcode{"gpu"} where
that is predicted to be faster or where one has too little memory.  A gpuArray @var{x} is
multiplied by the GPU that it is on alone.

@item @qcode{"method"}
How a GPU distributes the rows: @qcode{"auto"} (default), @qcode{"scalar"},
@qcode{"vector"}, @qcode{"group"} or @qcode{"balanced"}; see @code{spmv_plan},
which has this option where @var{A} is a plan.
@end table

@subheading gpuArrays
Where @var{x} is a gpuArray the product is computed where it is, and @var{y} is a
gpuArray; @var{A} stays a sparse matrix of the host, or a plan, whose copy on the GPU
is made once.  With the @qcode{"device"} @qcode{"cpu"} and with @qcode{"mpi"} it must be gathered.

@subheading Rows on several processes
With the option @qcode{"mpi"} and the value @qcode{"rows"}, the rows of @var{A} on
rank 0, those on rank 1 and so on are one square matrix; see @code{gpulinalg_mpi}.
All ranks make the same call.  Each passes its own rows of @var{A} and @var{x} and gets
these rows of @var{y}; a rank may have none.  Where @var{A} or @var{x} is complex, or
@var{x} single, on one rank, @var{y} is so on all.  Transposes are not possible.  A
rank sends those elements of @var{x} that other ranks need: few for a grid, nearly all
for a graph whose nodes are connected at random.  Each call first finds out which these
are.  For several products make a plan by @code{spmv_plan} with this option, once; a
product with that plan needs no option, and all ranks make it together.  Each rank
multiplies on its CPU or on one GPU, as @qcode{"device"} says, by way of the computer's
memory; its rows of @var{A} stay on the GPU in a plan.

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

@subheading Errors
@table @code
@item gpulinalg:bad-class
@var{A} is neither sparse nor a plan, or @var{x} is not a full single or double
matrix.
@item gpulinalg:bad-shape
@var{x} does not have as many rows as @var{A}, or its transpose, has columns, or
has more than two dimensions.
@item gpulinalg:gather-needed
@var{x} is on a GPU, and the work is to be done on the CPU; or a gpuArray with
@qcode{"mpi"}.
@item gpulinalg:bad-option
The option is unknown or has no value, or @qcode{"method"} is given with a plan.
@item gpulinalg:bad-value
The option does not take this value.
@item gpulinalg:busy
The plan is in use by a call that has called this function.
@item gpulinalg:no-device
The GPU that was asked for does not exist, or has failed in an earlier call.
@item gpulinalg:forked
A GPU was asked for in a child of @code{fork}.
@item Octave:bad-alloc
There is not enough memory for the result or the work.
@item gpulinalg:no-mpi
@itemx gpulinalg:mpi-mismatch
@itemx gpulinalg:mpi-failed
With @qcode{"mpi"}: see @code{gpulinalg_mpi}.
@end table

Warnings: @code{gpulinalg:device-memory} and @code{gpulinalg:device-failed}, a GPU
had too little memory or failed, and the CPU did the work.

@subheading References
N. Bell and M. Garland, Efficient sparse matrix-vector multiplication on CUDA,
NVIDIA Technical Report NVR-2008-004 (2008).

@seealso{spmv_plan, eigs_lanczos, gpulinalg_mpi}
@end deftypefn)doc")
{
  return gla::guarded ("spmv", [&] () { return spmv_body (interp, args, nargout); });
}

/*
%!## errors
%!error <Invalid call> spmv ()
%!error <Invalid call> spmv (speye (2))
%!error <spmv: function called with too many outputs> [a, b] = spmv (speye (2), [1; 2])
%!error id=gpulinalg:bad-class spmv (eye (2), [1; 2])
%!error <A must be a sparse matrix or a plan of spmv_plan, not a full array of class double; use sparse \(A\)> spmv (ones (2), [1; 2])
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
%!error <unknown option "Colour"; valid options are "transpose", "ctranspose", "device", "method" or "mpi"> ...
%! spmv (speye (2), [1; 2], "Colour")
%!error <option "method" must be "auto", "scalar", "vector", "group" or "balanced", not "best"> ...
%! spmv (speye (2), [1; 2], "method", "best")
%!error <spmv: option "device" must be numbers of GPUs, counted from 0, not 0.5> ...
%! spmv (speye (2), [1; 2], "device", gpuArray (0.5))
%!error <option "device" must be "auto", "cpu", "gpu" or numbers of GPUs, not "tpu"> ...
%! spmv (speye (2), [1; 2], "device", "tpu")
%!error <with a plan, "method" is an option of spmv_plan> ...
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
%! plate = zeros (n);
%! plate(inside) = heat;
%! imagesc (plate);
%! axis ("image", "off");
%! title ("heat in a plate with a hole");
*/

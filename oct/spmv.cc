// spmv.cc: spmv for Octave
// SPDX-License-Identifier: GPL-3.0-or-later

#include "sparse_matrix.h"

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

static void check_sizes (const octave_value &A, const octave_value &x, spmv_request &want)
{
  dim_vector dims = A.dims ();
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

static octave_value_list spmv_body (octave::interpreter &interp, const octave_value_list &args,
                                    int nargout)
{
  if (args.length () < 2 || nargout > 1)
    print_usage ();
  gla::options opts ("spmv", args, 2, {"transpose", "ctranspose"},
                     {"device", "method"});
  octave_value A = args (0), x = args (1);
  check_vectors (x);
  spmv_request want = {};
  want.op = read_op (opts);
  gla::sparse_matrix::settings how = {};
  how.method = gla::method_of (opts);
  how.once = true;

  std::shared_ptr<gla::plan> plan = gla::plan_of (A);
  if (plan) {
    if (opts.value ("method").is_defined ())
      error_with_id ("gpulinalg:bad-option",
                     "spmv: \"method\" is an option of spmv_plan where A is a plan");
    check_sizes (plan->matrix ().matrix (), x, want);
    gla::plan::use use ("spmv", plan);
    gla::call call ("spmv", interp, use.context ());
    call.set_place (use.place (opts.value ("device")));
    return ovl (multiplied (call, plan->matrix (), x, want));
  }
  gla::call call ("spmv", interp);
  call.set_place (opts.value ("device"));
  gla::sparse_matrix prepared (call, "spmv", A, how);
  check_sizes (A, x, want);
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
multiplied without reading values.

@var{y} is single where @var{x} is single or the plan is.  The sums are in double
unless the plan is single, and always in the same order: the same call gives the
same bits on one device.  NaN and Inf count only where they meet a stored entry of
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
 */

// spmv_rows.cc: spmv and spmv_plan (.., "mpi", "rows")
// SPDX-License-Identifier: GPL-3.0-or-later

#include "sparse_rows.h"
#include "sparse/spmv.h"

template <typename Array>
static Array multiply (gla::collective &t, const gla::sparse_matrix &A, const Array &X)
{
  Array Y = gla::unfilled<Array> (X.dims ());
  const gla_array x = gla::part (gla::input (X)), y = gla::part (gla::output (Y));
  t.finish (gla_spmv_rows (t.call ().context (), rows_of (A), &x, &y, nullptr));
  return Y;
}

// All ranks have the same class of vectors, so that each multiplies equally many.
template <typename Real, typename Cplx>
static octave_value product (gla::collective &t, const gla::sparse_matrix &A, const octave_value &x)
{
  Real re;
  Cplx z;
  if (!t.is_complex ()) {
    gla::read (x, re);
    return multiply (t, A, re);
  }
  gla::read (x, z);
  if (gla_type_is_complex (A.info ().type))
    return multiply (t, A, z);
  return multiply_parts<Real> (z, A.info ().rows,
                               [&] (const Real &parts) { return multiply (t, A, parts); });
}

static octave_value multiplied (gla::collective &t, const gla::sparse_matrix &A,
                                const octave_value &x)
{
  const gla_type type = A.info ().type;
  const bool single = type == GLA_TYPE_S || type == GLA_TYPE_C;
  const octave_value y = single ? product<FloatNDArray, FloatComplexNDArray> (t, A, x)
                                : product<NDArray, ComplexNDArray> (t, A, x);
  return single || t.is_single () ? y.as_single () : y;
}

static void check_rows (const octave_value &A, const octave_value &x)
{
  if (x.rows () != A.rows ())
    error_with_id ("gpulinalg:bad-shape",
                   "spmv: with \"mpi\" X must have as many rows as A has on this rank, but A is %s "
                   "and X is %s",
                   A.dims ().str ().c_str (), x.dims ().str ().c_str ());
}

//------------------------------------------------------------------------------
// spmv
//------------------------------------------------------------------------------

// Reads the options, with all checks that need no matrix. It is called where the other ranks can be
// told of errors.
static gla::options options_of_rows (const octave_value_list &args, int nargout)
{
  gla::check_counts ("spmv", args, 2, gla::any_number, nargout, 1);
  gla::options opts ("spmv", args, 2, {"transpose", "ctranspose"}, {"device", "method", "mpi"});
  opts.word ("mpi", {"rows"});
  spmv_check_vectors (args (1));
  spmv_refuse_rows (args (1));
  if (spmv_op (opts) != 'N')
    error_with_id ("gpulinalg:bad-option", "spmv: \"mpi\" cannot be combined with a transpose");
  return opts;
}

static octave_value_list product_by_rows (gla::collective &t, const octave_value_list &args,
                                          int nargout)
{
  const gla::options opts = options_of_rows (args, nargout);
  const octave_value A = args (0), x = args (1);
  if (gla::plan_of (A))
    error_with_id ("gpulinalg:bad-option", "spmv: with a plan, \"mpi\" is an option of spmv_plan");
  gla::sparse_matrix::settings how = {};
  how.method = gla::method_of (opts);
  how.once = true;
  check_rows (A, x);
  t.call ().set_place (opts.value ("device"));
  t.announce (A, x);
  t.follow (1);
  const auto prepared = gla::rows_of_rank (t, A, how);
  t.follow (0);
  return ovl (multiplied (t, *prepared, x));
}

// Multiplies by a plan that was made with "mpi", "rows".
static octave_value_list by_plan (octave::interpreter &interp, const gla::plan_view &view,
                                  const octave_value_list &args, int nargout)
{
  gla::plan::use use ("spmv", view.plan);
  auto body = [&] (gla::collective &t) {
    const gla::options opts = options_of_rows (args, nargout);
    const octave_value x = args (1);
    if (opts.value ("method").is_defined ())
      error_with_id ("gpulinalg:bad-option",
                     "spmv: with a plan, \"method\" is an option of spmv_plan");
    if (view.transposed || view.conjugated)
      error_with_id ("gpulinalg:bad-option",
                     "spmv: a plan made with \"mpi\" cannot be transposed or conjugated");
    check_rows (view.plan->matrix ().matrix (), x);
    t.call ().set_place (use.place (opts.value ("device")));
    t.announce (x, octave_value ());
    return ovl (multiplied (t, view.plan->matrix (), x));
  };
  return gla::together ("spmv", interp, body, use.context ());
}

static octave_value_list spmv_together (octave::interpreter &interp, const octave_value_list &args,
                                        int nargout)
{
  if (!gla::wants_mpi (args))
    return by_plan (interp, gla::plan_of (args (0)), args, nargout);
  return gla::together ("spmv", interp,
                        [&] (gla::collective &t) { return product_by_rows (t, args, nargout); });
}

static const gla::add_of_ranks add_spmv ("spmv", spmv_together);

//------------------------------------------------------------------------------
// spmv_plan
//------------------------------------------------------------------------------

static octave_value_list spmv_plan_together (octave::interpreter &interp,
                                             const octave_value_list &args, int nargout)
{
  gla::plan_view view;
  view.plan =
      std::make_shared<gla::plan> (interp, [&] (gla_context *context, octave_value &device) {
        std::unique_ptr<gla::sparse_matrix> matrix;
        auto prepare = [&] (gla::collective &t) {
          octave_value A;
          gla::sparse_matrix::settings how = {};
          spmv_plan_arguments (args, nargout, A, device, how);
          t.call ().set_place (device);
          t.announce (A, octave_value ());
          matrix = gla::rows_of_rank (t, A, how);
          return octave_value_list ();
        };
        gla::together ("spmv_plan", interp, prepare, context);
        return matrix;
      });
  return ovl (gla::value_of (view));
}

static const gla::add_of_ranks add_spmv_plan ("spmv_plan", spmv_plan_together);

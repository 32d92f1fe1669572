// spmv_rows.cc: spmv (.., "mpi", "rows")
// SPDX-License-Identifier: GPL-3.0-or-later

#include "spmv.h"

template <typename Array>
static Array multiply (gla::collective &t, const gla::sparse_matrix &A, const Array &X)
{
  Array Y = gla::unfilled<Array> (X.dims ());
  const gla_array x = gla::part (gla::input (X)), y = gla::part (gla::output (Y));
  t.finish (gla_spmv_rows (t.call ().context (), A.rows (), &x, &y, nullptr));
  return Y;
}

// The class of the vectors is that of all ranks, so that each multiplies equally many.
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

octave_value spmv_rows_of_matrix (gla::collective &t, const octave_value &A, const octave_value &x,
                                  const octave_value &device,
                                  const gla::sparse_matrix::settings &how)
{
  check_rows (A, x);
  t.call ().set_place (device);
  t.announce (A, x);
  t.follow (1);
  const gla::sparse_matrix prepared (t, A, how);
  t.follow (0);
  return multiplied (t, prepared, x);
}

octave_value spmv_rows_of_plan (octave::interpreter &interp, const gla::plan_view &view,
                                const rows_reader &read)
{
  gla::plan::use use ("spmv", view.plan);
  auto body = [&] (gla::collective &t) {
    octave_value device;
    const octave_value x = read (device);
    if (view.transposed || view.conjugated)
      error_with_id ("gpulinalg:bad-option",
                     "spmv: a plan made with \"mpi\" cannot be transposed or conjugated");
    check_rows (view.plan->matrix ().matrix (), x);
    t.call ().set_place (use.place (device));
    t.announce (x, octave_value ());
    return ovl (multiplied (t, view.plan->matrix (), x));
  };
  return gla::together ("spmv", interp, body, use.context ()) (0);
}

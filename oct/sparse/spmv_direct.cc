// spmv_direct.cc: one product with a sparse matrix of Octave on the CPU, without a plan
// SPDX-License-Identifier: GPL-3.0-or-later

#include "spmv.h"

template <typename Array>
static Array multiply (gla::call *call, const gla_csr &A, const octave_value &x,
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

// values: NULL for a logical matrix, whose stored entries are all 1.
template <typename Matrix>
static octave_value multiply_by_columns (gla::call *call, const Matrix &A, const void *values,
                                         bool is_complex, const octave_value &x,
                                         const spmv_request &want)
{
  gla_csr columns = gla::columns_of (A, is_complex ? GLA_TYPE_Z : GLA_TYPE_D);
  columns.values = values;
  octave_value y;
  if (is_complex || x.iscomplex ())
    y = multiply<ComplexNDArray> (call, columns, x, want);
  else
    y = multiply<NDArray> (call, columns, x, want);
  return x.is_single_type () ? y.as_single () : y;
}

// The matrices are const, because data () of a non-const one copies all of it.
octave_value spmv_direct (gla::call *call, const octave_value &A, const octave_value &x,
                          const spmv_request &want)
{
  if (A.islogical ()) {
    const SparseBoolMatrix m = A.sparse_bool_matrix_value ();
    return multiply_by_columns (call, m, nullptr, false, x, want);
  }
  if (A.iscomplex ()) {
    const SparseComplexMatrix m = A.sparse_complex_matrix_value ();
    return multiply_by_columns (call, m, m.data (), true, x, want);
  }
  const SparseMatrix m = A.sparse_matrix_value ();
  return multiply_by_columns (call, m, m.data (), false, x, want);
}

// pageeig_solve.cc: Hermitian pages by batcheig, the others by the general solver
// SPDX-License-Identifier: GPL-3.0-or-later

#include "batcheig.h"
#include "pageeig.h"

#include <limits>
#include <octave/ov-cx-mat.h>
#include <octave/ov-flt-cx-mat.h>

namespace
{

//------------------------------------------------------------------------------
// pages of one kind
//------------------------------------------------------------------------------

// V is undefined if X has pages that are not Hermitian and `any_kind` says that this is no error.
page_eigen solve_hermitian_pages (octave::interpreter &interp, const octave_value &X,
                                  const pageeig_request &want, bool any_kind)
{
  eig_request how = eig_request ();
  how.eig = gla::sized<gla_eig_options> ();
  how.vectors = want.outputs > 1;
  how.matrix = how.diagonal = want.matrix;
  how.info = true;
  how.any_kind = any_kind;
  how.columns = X.rows ();
  gla::call call ("pageeig", interp);
  call.set_place (want.place);
  const octave_value_list all = solve_hermitian ("pageeig", call, X, how);
  if (all.length () == 0)
    return page_eigen ();
  return {all (0), all (1), all (0), all (2).int32_array_value ()};
}

// Octave makes arrays real if all imaginary parts are 0.
template <typename Array, typename Complex>
page_eigen solve_general (gla::call &call, const octave_value &X, const pageeig_request &want)
{
  Array A;
  gla::read (X, A);
  const dim_vector dims = A.dims ();
  const octave_idx_type n = dims (0);
  Complex D, V, W;
  page_eigen found;
  found.info = int32NDArray (dim_vector (gla::pages_of (dims), 1));
  auto results = gla::sized<gla_pageeig_results> ();
  if (want.matrix) {
    D = gla::zeros<Complex> (dims);
    results.lambda = gla::output (D);
    results.lambda.columns = 1;
    results.lambda.row_stride = n + 1; // along the diagonal
  } else {
    gla::allocate (D, results.lambda, dims, n, 1);
  }
  if (want.outputs > 1)
    gla::allocate (V, results.V, dims, n, n);
  if (want.outputs > 2)
    gla::allocate (W, results.W, dims, n, n);
  results.info = reinterpret_cast<int32_t *> (found.info.fortran_vec ());
  auto options = gla::sized<gla_pageeig_options> ();
  options.not_balanced = !want.balance;
  const gla_array a = gla::input (A);
  call.finish (gla_pageeig (call.context (), &a, &results, &options, nullptr));
  found.D = D;
  found.V = V;
  found.W = W;
  return found;
}

page_eigen solve_general_pages (octave::interpreter &interp, const octave_value &X,
                                const pageeig_request &want)
{
  gla::call call ("pageeig", interp);
  call.set_place (octave_value ("cpu"));
  if (X.is_single_type ())
    return X.iscomplex () ? solve_general<FloatComplexNDArray, FloatComplexNDArray> (call, X, want)
                          : solve_general<FloatNDArray, FloatComplexNDArray> (call, X, want);
  return X.iscomplex () ? solve_general<ComplexNDArray, ComplexNDArray> (call, X, want)
                        : solve_general<NDArray, ComplexNDArray> (call, X, want);
}

//------------------------------------------------------------------------------
// pages of several kinds
//------------------------------------------------------------------------------

typedef std::vector<octave_idx_type> page_list;

// An octave_value of a complex array becomes real if all imaginary parts are 0; these do not.
octave_value complex_value (const ComplexNDArray &A)
{
  return new octave_complex_matrix (A);
}
octave_value complex_value (const FloatComplexNDArray &A)
{
  return new octave_float_complex_matrix (A);
}
template <typename Array> octave_value complex_value (const Array &A)
{
  return A;
}

// Returns these pages of X; those with NaN or Inf become NaN. Hermitian pages stay complex if X is,
// because whether they are all without imaginary parts depends on the others. Of a group of general
// pages all or none are.
template <typename Array, typename RealArray>
octave_value pages_from (const octave_value &X, const page_list &list, const boolNDArray &bad,
                         bool hermitian)
{
  typedef typename RealArray::element_type T;
  Array A;
  gla::read (X, A);
  const octave_idx_type n = A.rows (), size = n * n, pages = list.size ();
  Array some = gla::unfilled<Array> (dim_vector (n, n, pages));
  auto *to = some.fortran_vec ();
  for (octave_idx_type p = 0; p < pages; p++, to += size)
    if (bad.xelem (list[p]))
      std::fill_n (to, size, std::numeric_limits<T>::quiet_NaN ());
    else
      std::copy_n (A.data () + list[p] * size, size, to);
  return hermitian ? complex_value (some) : octave_value (some);
}

octave_value pages_from (const octave_value &X, const page_list &list, const page_kinds &kinds,
                         bool hermitian)
{
  return gla::in_class_of (X, octave_value (), [&] (auto array, auto real) {
    return ovl (pages_from<decltype (array), decltype (real)> (X, list, kinds.bad, hermitian));
  }) (0);
}

// Writes pages of `from` into pages of `to`.
template <typename Array>
void put_pages (Array &to, const octave_value &from, const page_list &list)
{
  Array some;
  gla::read (from, some);
  const octave_idx_type size = some.rows () * some.columns (), pages = list.size ();
  auto *target = to.fortran_vec ();
  for (octave_idx_type p = 0; p < pages; p++)
    std::copy_n (some.data () + p * size, size, target + list[p] * size);
}

template <typename Array>
page_eigen solve_groups (octave::interpreter &interp, const octave_value &X,
                         const pageeig_request &want, const page_kinds &kinds,
                         const std::vector<page_list> &groups)
{
  const dim_vector dims = X.dims ();
  dim_vector columns = dims;
  columns (1) = 1;
  Array D = gla::unfilled<Array> (want.matrix ? dims : columns), V, W;
  if (want.outputs > 1)
    V = gla::unfilled<Array> (dims);
  if (want.outputs > 2)
    W = gla::unfilled<Array> (dims);
  page_eigen found;
  found.info = int32NDArray (dim_vector (gla::pages_of (dims), 1));
  for (const page_list &list : groups) {
    if (list.empty ())
      continue;
    const bool hermitian = &list == &groups[0];
    const octave_value some = pages_from (X, list, kinds, hermitian);
    const page_eigen group = hermitian ? solve_hermitian_pages (interp, some, want, false)
                                       : solve_general_pages (interp, some, want);
    put_pages (D, group.D, list);
    if (want.outputs > 1)
      put_pages (V, group.V, list);
    if (want.outputs > 2)
      put_pages (W, group.W, list);
    for (std::size_t p = 0; p < list.size (); p++)
      found.info.xelem (list[p]) = group.info.data ()[p];
  }
  found.D = D;
  found.V = V;
  found.W = W;
  return found;
}

// Solves general pages without imaginary parts as real ones, as if there were no complex ones in X.
page_eigen solve_by_kind (octave::interpreter &interp, const octave_value &X,
                          const pageeig_request &want)
{
  const octave_idx_type pages = gla::pages_of (X.dims ());
  page_kinds kinds;
  {
    gla::call call ("pageeig", interp);
    kinds = kinds_of_pages (call, X, pages);
  }
  std::vector<page_list> groups (3); // Hermitian, real, complex
  for (octave_idx_type p = 0; p < pages; p++)
    groups[kinds.bad.xelem (p) || kinds.hermitian.xelem (p) ? 0
           : kinds.real.xelem (p)                           ? 1
                                                            : 2]
        .push_back (p);
  const octave_idx_type real = groups[1].size (), complex = groups[2].size ();
  if (complex == pages || (real == pages && !X.iscomplex ()))
    return solve_general_pages (interp, X, want);
  return X.is_single_type () ? solve_groups<FloatComplexNDArray> (interp, X, want, kinds, groups)
                             : solve_groups<ComplexNDArray> (interp, X, want, kinds, groups);
}

} // namespace

// Solves all pages by batcheig, which checks that they are Hermitian. The first page is checked
// before, so that pages of another kind do not cost a call.
page_eigen solve_pages (octave::interpreter &interp, const octave_value &X,
                        const pageeig_request &want)
{
  bool hermitian = X.isempty ();
  if (!hermitian) {
    gla::call call ("pageeig", interp);
    hermitian = kinds_of_pages (call, X, 1).hermitian.xelem (0);
  }
  if (hermitian) {
    const page_eigen all = solve_hermitian_pages (interp, X, want, true);
    if (all.D.is_defined ())
      return all;
  }
  return solve_by_kind (interp, X, want);
}

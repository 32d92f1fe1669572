// batcheig_qz.cc: batcheig (A, B, "qz"), page by page by Octave's eig
// SPDX-License-Identifier: GPL-3.0-or-later

#include "batcheig.h"

#include <octave/int32NDArray.h>
#include <octave/interpreter.h>
#include <octave/oct-map.h>
#include <octave/parse.h>

#include <cmath>
#include <complex>
#include <numeric>

static ComplexNDArray complex_of (const NDArray &)
{
  return ComplexNDArray ();
}
static ComplexNDArray complex_of (const ComplexNDArray &)
{
  return ComplexNDArray ();
}
static FloatComplexNDArray complex_of (const FloatNDArray &)
{
  return FloatComplexNDArray ();
}
static FloatComplexNDArray complex_of (const FloatComplexNDArray &)
{
  return FloatComplexNDArray ();
}

// Returns page p; the only one of an array that has one.
template <typename Array> static Array page_of (const Array &x, octave_idx_type p)
{
  const octave_idx_type n = x.dims () (0), at = gla::pages_of (x.dims ()) == 1 ? 0 : p;
  Array page (dim_vector (n, n));
  std::copy_n (x.data () + at * n * n, n * n, page.fortran_vec ());
  return page;
}

//------------------------------------------------------------------------------
// a page of results
//------------------------------------------------------------------------------

// Returns the rank of a value in the order: finite, Inf, NaN.
template <typename T> static int rank_of (const std::complex<T> &x)
{
  return std::isnan (x.real ()) || std::isnan (x.imag ()) ? 2 : std::isinf (x.real ()) ? 1 : 0;
}

// Returns places of eigenvalues in ascending order of their real and then imaginary parts.
template <typename T>
static std::vector<octave_idx_type> order_of (const std::complex<T> *x, octave_idx_type n)
{
  std::vector<octave_idx_type> order (n);
  std::iota (order.begin (), order.end (), 0);
  std::stable_sort (order.begin (), order.end (), [x] (octave_idx_type a, octave_idx_type b) {
    const int p = rank_of (x[a]), q = rank_of (x[b]);
    if (p != q || p > 0)
      return p < q;
    return x[a].real () < x[b].real () ||
           (x[a].real () == x[b].real () && x[a].imag () < x[b].imag ());
  });
  return order;
}

// Scales the vector to length 1 and, with `turn`, gives it the phase of gla_batcheig: the first of
// the largest entries is real and positive.
template <typename T>
static void put_vector (const std::complex<T> *from, octave_idx_type n, bool turn,
                        std::complex<T> *to)
{
  const T equal = T (0.999 * 0.999);
  T most = 0, sum = 0;
  for (octave_idx_type i = 0; i < n; i++) {
    most = std::max (most, std::norm (from[i]));
    sum += std::norm (from[i]);
  }
  octave_idx_type at = 0;
  while (at + 1 < n && !(std::norm (from[at]) >= equal * most))
    at++;
  const T length = std::sqrt (sum), size = std::abs (from[at]);
  const std::complex<T> phase =
      turn && size > 0 ? std::conj (from[at]) / size : std::complex<T> (1);
  for (octave_idx_type i = 0; i < n; i++)
    to[i] = from[i] * phase / (length > 0 ? length : T (1));
  if (turn && size > 0)
    to[at] = to[at].real ();
}

// Does eig (A, B, "qz") of a page; false if it fails.
static bool eig_page (const octave_value &A, const octave_value &B, bool vectors,
                      octave_value_list &results)
{
  try {
    const octave_value_list args = vectors ? ovl (A, B, "qz", "vector") : ovl (A, B, "qz");
    results = gla::feval (gla::the_interpreter (), "eig", args, vectors ? 2 : 1);
    return true;
  } catch (const octave::execution_exception &) {
    octave::interpreter::the_interpreter ()->recover_from_exception ();
    return false;
  }
}

//------------------------------------------------------------------------------
// all pages
//------------------------------------------------------------------------------

template <typename CArray> struct qz_results {
  CArray D, V;
  int32NDArray info;
  NDArray rank, count;
};

// Solves page p, with matrices a and b.
template <typename CArray, typename Array>
static void solve_page (const Array &a, const Array &b, const eig_request &want, octave_idx_type p,
                        qz_results<CArray> &r)
{
  typedef typename CArray::element_type number;
  const octave_idx_type n = a.dims () (0), step = want.matrix ? n + 1 : 1;
  number *lambda = r.D.fortran_vec () + p * n * (want.matrix ? n : 1);
  number *v = want.vectors ? r.V.fortran_vec () + p * n * n : nullptr;
  octave_value_list found;
  const bool finite = !a.any_element_is_inf_or_nan () && !b.any_element_is_inf_or_nan ();
  if (!finite || !eig_page (octave_value (a), octave_value (b), want.vectors, found)) {
    r.info (p) = static_cast<int> (finite ? n : n + 1);
    for (octave_idx_type i = 0; i < n; i++)
      lambda[i * step] = octave::numeric_limits<double>::NaN ();
    std::fill_n (v, want.vectors ? n * n : 0, number (octave::numeric_limits<double>::NaN ()));
    return;
  }
  CArray x, y;
  gla::read (found (want.vectors ? 1 : 0), x);
  if (want.vectors)
    gla::read (found (0), y);
  number *values = x.fortran_vec ();
  for (octave_idx_type i = 0; i < n; i++)
    if (std::isinf (values[i].real ()) || std::isinf (values[i].imag ()))
      values[i] = octave::numeric_limits<double>::Inf ();
  const std::vector<octave_idx_type> order = order_of (values, n);
  for (octave_idx_type i = 0; i < n; i++) {
    lambda[i * step] = values[order[i]];
    r.rank (p) += rank_of (values[order[i]]) == 0;
    if (want.vectors)
      put_vector (y.data () + order[i] * n, n, want.eig.phase == GLA_EIG_PHASE_MAX, v + i * n);
  }
  r.count (p) = static_cast<double> (n);
}

template <typename Array, typename RealArray>
static octave_value_list solve (gla::call &call, const octave_value &a, const octave_value &b,
                                const eig_request &want)
{
  Array A, B;
  gla::read (a, A);
  gla::read (b, B);
  typedef decltype (complex_of (A)) CArray;
  const dim_vector dims = gla::pages_of (A.dims ()) == 1 ? B.dims () : A.dims ();
  const octave_idx_type n = dims (0), pages = gla::pages_of (dims);
  const dim_vector column (pages, 1);
  qz_results<CArray> r = {gla::zeros<CArray> (dims_of_eigenvalues (dims, want)),
                          gla::unfilled<CArray> (dims_of_vectors (dims, want)),
                          int32NDArray (column, 0), NDArray (column, 0), NDArray (column, 0)};
  RealArray rcond (dim_vector (want.more ? pages : 0, 1));
  for (octave_idx_type p = 0; p < pages; p++) {
    const Array page = page_of (B, p);
    solve_page (page_of (A, p), page, want, p, r);
    if (want.more)
      rcond (p) = gla::feval (gla::the_interpreter (), "rcond", ovl (octave_value (page))) (0)
                      .double_value ();
    call.report (p + 1, pages);
  }
  call.finish (GLA_OK);
  if (!want.info)
    gla::warn_of_failed_pages ("batcheig", reinterpret_cast<const int32_t *> (r.info.data ()),
                               pages, {gla::not_finite (n), gla::not_converged (n)});
  octave_scalar_map more;
  if (want.more) {
    more.assign ("rcond", octave_value (rcond));
    more.assign ("rank", octave_value (r.rank));
    more.assign ("count", octave_value (r.count));
  }
  if (want.vectors)
    return ovl (r.V, r.D, r.info, more);
  return ovl (r.D);
}

octave_value_list solve_qz (gla::call &call, const octave_value &A, const octave_value &B,
                            const eig_request &want)
{
  return gla::in_class_of (A, B, [&] (auto array, auto real) {
    return solve<decltype (array), decltype (real)> (call, A, B, want);
  });
}

// svd_functions.h: what pagepinv, pagelsqminnorm, pagerank and pagecond share
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_OCT_SVD_FUNCTIONS_H
#define GPULINALG_OCT_SVD_FUNCTIONS_H

#include "batchsvd.h"

#include <octave/quit.h>

#include <cmath>
#include <limits>

namespace gla
{

// Reads a number from 0 to `most`, or one for each page of an array A of these dimensions, as an
// array with the pages of A. Ends with gpulinalg:bad-value, which names `what`, for anything else.
NDArray read_page_numbers (const char *who, const char *what, const octave_value &given,
                           const dim_vector &dims, double most);

// Reads the tolerance, a nonnegative number, or one for each page of args (0), if args (at) is none
// of the options, and counts it. It is undefined if none is given.
octave_value read_tolerance (const char *who, const octave_value_list &args, int &at);

// The arguments of pagepinv, pagerank and pagecond, which takes no tolerance. tol and device are
// undefined if they are not given; tol is on the host.
struct svd_arguments {
  octave_value A, tol, device;
};
svd_arguments read_svd_arguments (const char *who, const octave_value_list &args,
                                  bool takes_tolerance);

// Does pagepinv, pagerank and pagecond, and pagelsqminnorm, if A is on a GPU (svd_on_gpu.cc).
octave_value_list by_svd_on_gpu (const char *who, const svd_arguments &given);
octave_value least_norm_on_gpu (const svd_arguments &given, const octave_value &B,
                                const NDArray &regularization, bool warns);

// Calls body (p) for all pages, of this many elements. Ctrl-C ends it after a page: after about a
// million elements, or after one page if that is larger.
template <typename Body> void each_page (octave_idx_type pages, octave_idx_type size, Body body)
{
  const octave_idx_type group = (1 << 20) / (size + 1) + 1;
  for (octave_idx_type p = 0; p < pages; p++) {
    body (p);
    if ((p + 1) % group == 0)
      octave_quit ();
  }
}

// Returns that of page p: tol is a number, or has one for each page.
inline double tolerance (const octave_value &tol, octave_idx_type p)
{
  return tol.numel () == 1 ? tol.double_value () : tol.array_value ().xelem (p);
}

// Decompositions of scale[p] * A(:,:,p). scale is empty, or has a power of 2 for each page: below 1
// if a singular value of the page overflows.
template <typename Array, typename RealArray> struct scaled_svd {
  svd_arrays<Array, RealArray> of;
  std::vector<typename RealArray::element_type> scale;

  octave_idx_type pages () const { return of.info.numel (); }
  octave_idx_type values () const { return of.S.rows (); } // of a page
  auto scale_of (octave_idx_type p) const
  {
    return scale.empty () ? typename RealArray::element_type (1) : scale[p];
  }
  // Up to which size singular values of page p count as 0: tol, or n * eps times the largest one.
  auto bound (const octave_value &tol, octave_idx_type n, octave_idx_type p) const
  {
    typedef typename RealArray::element_type T;
    if (tol.is_defined ())
      return static_cast<T> (tolerance (tol, p)) * scale_of (p);
    return static_cast<T> (n) * std::numeric_limits<T>::epsilon () * of.S.data ()[p * values ()];
  }
};

// Returns the pages whose largest singular value is Inf; empty if there is none.
template <typename RealArray> std::vector<octave_idx_type> overflows (const RealArray &S)
{
  std::vector<octave_idx_type> pages;
  const octave_idx_type k = S.rows ();
  for (octave_idx_type at = 0; at < S.numel (); at += k)
    if (std::isinf (S.data ()[at]))
      pages.push_back (at / k);
  return pages;
}

// Finds singular values of the pages, and with `vectors` the economy form; warns in the name of
// `who` if pages fail, which are NaN.
template <typename RealArray, typename Array>
scaled_svd<Array, RealArray> decompose_scaled (const char *who, call &call, Array A, bool vectors)
{
  typedef typename RealArray::element_type T;
  svd_request want = svd_request ();
  want.svd = sized<gla_svd_options> ();
  want.economy = true;
  want.vectors = vectors;
  scaled_svd<Array, RealArray> found;
  found.of = decompose<RealArray> (call, A, want);
  const std::vector<octave_idx_type> over = overflows (found.of.S);
  if (!over.empty ()) {
    const T small = std::ldexp (T (1), -64);
    const octave_idx_type size = A.rows () * A.columns ();
    found.scale.assign (found.pages (), T (1));
    auto *a = A.fortran_vec ();
    for (octave_idx_type p : over) {
      found.scale[p] = small;
      std::for_each (a + p * size, a + (p + 1) * size, [&] (auto &x) { x *= small; });
    }
    found.of = decompose<RealArray> (call, A, want);
  }
  warn_of_failures (who, found.of, A.dims ());
  return found;
}

// Does pagepinv, pagerank and pagecond: returns work (svd), or the result on a GPU. vectors:
// whether svd has them.
template <typename Work>
octave_value_list svd_function (const char *who, octave::interpreter &interp,
                                const svd_arguments &given, bool vectors, Work work)
{
  if (is_gpu_array (given.A))
    return by_svd_on_gpu (who, given);
  call call (who, interp);
  call.set_place (given.device);
  return in_class_of (given.A, octave_value (), [&] (auto array, auto real) {
    read (given.A, array);
    auto svd = decompose_scaled<decltype (real)> (who, call, array, vectors);
    return ovl (work (svd));
  });
}

} // namespace gla

#endif

// batchsvd_solve.cc: the results of batchsvd and pagesvd
// SPDX-License-Identifier: GPL-3.0-or-later

#include "batchsvd.h"

template <typename Array, typename RealArray>
static octave_value_list solve (const char *who, gla::call &call, const octave_value &arg,
                                const svd_request &want)
{
  Array A;
  gla::read (arg, A);
  const auto found = decompose<RealArray> (call, A, want);
  if (!want.info)
    warn_of_failures (who, found, A.dims ());
  if (want.vectors)
    return ovl (found.U, found.S, found.V, found.info);
  return ovl (found.S);
}

octave_value_list decompose_pages (const char *who, gla::call &call, const octave_value &A,
                                   const svd_request &want)
{
  return gla::in_page_class_of (A, octave_value (), [&] (auto array, auto real) {
    return solve<decltype (array), decltype (real)> (who, call, A, want);
  });
}

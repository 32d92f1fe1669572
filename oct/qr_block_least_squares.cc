// qr_block_least_squares.cc: qr_block (A, B, "solve")
// SPDX-License-Identifier: GPL-3.0-or-later

#include "qr_block.h"

#include <octave/int32NDArray.h>

static void warn_of_deficient_pages (const gla_least_squares_report &report, octave_idx_type pages)
{
  warning_with_id (
      "gpulinalg:rank-deficient",
      "qr_block: on %lld of %lld pages A has less than full rank to rounding, and x is the "
      "least squares solution of least norm; the first is page %lld",
      static_cast<long long> (report.pages_deficient), static_cast<long long> (pages),
      static_cast<long long> (report.first_deficient + 1));
}

template <typename Array>
static octave_value_list solve (gla::call &call, const octave_value &arg_A,
                                const octave_value &arg_B, const gla_qr_options &options,
                                int outputs)
{
  Array A, B;
  gla::read (arg_A, A);
  gla::read (arg_B, B);
  dim_vector dims = B.dims ();
  octave_idx_type n = A.dims () (1), pages = gla::pages_of (dims);
  dims (0) = n;
  Array X = gla::unfilled<Array> (dims);
  int32NDArray info (dim_vector (pages, 1));

  gla_array a = gla::input (A), b = gla::input (B);
  int32_t *codes = reinterpret_cast<int32_t *> (info.fortran_vec ());
  auto results = gla::sized<gla_least_squares_results> ();
  results.X = gla::output (X);
  results.info = codes;
  auto report = gla::sized<gla_least_squares_report> ();
  call.finish (gla_least_squares (call.context (), &a, &b, &results, &options, &report));
  if (outputs < 2 && report.base.pages_failed > 0) // codes to n: a loss of rank; x is right there
    gla::warn_of_failed_pages ("qr_block", codes, pages, {gla::not_finite (n)});
  if (outputs < 2 && report.pages_deficient > 0)
    warn_of_deficient_pages (report, pages);
  return ovl (X, info);
}

octave_value_list qr_block_least_squares (gla::call &call, const octave_value &A,
                                          const octave_value &B, const gla_qr_options &options,
                                          int outputs)
{
  return gla::in_class_of (A, B, [&] (auto array, auto) {
    return solve<decltype (array)> (call, A, B, options, outputs);
  });
}

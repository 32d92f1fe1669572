// qr_block_least_squares.cc: qr_block (A, B, "solve")
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays/gpu_pages.h"
#include "arrays/gpu_steps.h"
#include "qr_block.h"

#include <octave/int32NDArray.h>

static void warn_of_deficient_pages (long long deficient, long long first, octave_idx_type pages)
{
  warning_with_id (
      "gpulinalg:rank-deficient",
      "qr_block: on %lld of %lld pages A has less than full rank to rounding, and x is the "
      "least squares solution of least norm; the first is page %lld",
      deficient, static_cast<long long> (pages), first + 1);
}

template <typename Array>
static octave_value_list solve (gla::call &call, gla::shared_call *shared,
                                const octave_value &arg_A, const octave_value &arg_B,
                                const qr_request &want)
{
  Array A, B;
  gla::read (arg_A, A);
  gla::read (arg_B, B);
  dim_vector dims = B.dims ();
  octave_idx_type n = A.dims () (1), pages = gla::pages_of (dims);
  dims (0) = n;
  Array X = gla::unfilled<Array> (dims);
  int32NDArray info (dim_vector (pages, 1));

  gla_array a = gla::part (gla::input (A)), b = gla::part (gla::input (B));
  int32_t *codes = reinterpret_cast<int32_t *> (info.fortran_vec ());
  auto results = gla::sized<gla_least_squares_results> ();
  results.X = gla::output (X);
  results.info = codes;
  auto report = gla::sized<gla_least_squares_report> ();
  if (shared)
    shared->shared_least_squares (a, b, results, want.qr, report);
  else
    call.finish (gla_least_squares (call.context (), &a, &b, &results, &want.qr, &report));
  const bool warns = want.outputs < 2 && (!shared || shared->is_root ());
  if (warns && report.base.pages_failed > 0) // codes to n: a loss of rank; x is right there
    gla::warn_of_failed_pages ("qr_block", codes, pages, {gla::not_finite (n)});
  if (warns && report.pages_deficient > 0)
    warn_of_deficient_pages (report.pages_deficient, report.first_deficient, pages);
  return ovl (X, info);
}

octave_value_list qr_block_least_squares (gla::call &call, gla::shared_call *shared,
                                          const octave_value &A, const octave_value &B,
                                          const qr_request &want)
{
  auto body = [&] (auto array, auto) { return solve<decltype (array)> (call, shared, A, B, want); };
  return shared ? shared->in_common_class (body) : gla::in_class_of (A, B, body);
}

octave_value_list qr_block_solve_on_gpu (const octave_value &A, const octave_value &B,
                                         const qr_request &want, const gla::options &opts)
{
  const Cell args = opts.given ({"block", "device", "progress"});
  const octave_value_list found = gla::least_squares ("qr_block", A, B, octave_value_list (args));
  const int32NDArray info = found (1).int32_array_value ();
  if (want.outputs > 1)
    return ovl (found (0), info);
  const auto *codes = reinterpret_cast<const int32_t *> (info.data ()),
             *end = codes + info.numel ();
  auto lacks_rank = [&] (int32_t code) { return code > 0 && code <= A.columns (); };
  gla::warn_of_failed_pages ("qr_block", codes, info.numel (), {gla::not_finite (A.columns ())});
  if (const auto deficient = std::count_if (codes, end, lacks_rank))
    warn_of_deficient_pages (deficient, std::find_if (codes, end, lacks_rank) - codes,
                             info.numel ());
  return ovl (found (0), info);
}

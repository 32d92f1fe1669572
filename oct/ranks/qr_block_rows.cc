// qr_block_rows.cc: qr_block (.., "mpi", "rows")
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays/gpu_pages.h"
#include "pages/qr_block.h"
#include "ranks.h"

#include <algorithm>

template <typename Array>
static octave_value_list factorize (gla::collective &collective, const octave_value &arg_A,
                                    const octave_value &arg_B, const qr_request &want)
{
  Array A, B, Q, R, C;
  const bool have_B = arg_B.is_defined ();
  gla::read (arg_A, A);
  if (have_B)
    gla::read (arg_B, B);
  const dim_vector dims = A.dims ();
  const octave_idx_type n = dims (1), k = std::min<octave_idx_type> (collective.total (0), n);

  auto results = gla::sized<gla_qr_results> ();
  if (have_B)
    gla::allocate_part (C, results.C, dims, k, B.dims () (1));
  else if (want.outputs > 1)
    gla::allocate_part (Q, results.Q, dims, dims (0), k);
  if (want.outputs > 1 || !have_B)
    gla::allocate_part (R, results.R, dims, k, n);
  std::vector<int64_t> order;
  if (want.qr.pivot)
    order.resize (std::max<octave_idx_type> (1, n * gla::pages_of (dims)));
  results.jpvt = order.data ();

  gla_array a = gla::part (gla::input (A)), b = gla::part (gla::input (B));
  collective.finish (gla_qr_rows (collective.call ().context (), collective.ranks (), &a,
                                  have_B ? &b : nullptr, &results, &want.qr, nullptr));
  if (want.outputs == 1)
    return ovl (have_B ? C : R);
  if (want.outputs == 2)
    return ovl (have_B ? C : Q, R);
  return ovl (have_B ? C : Q, R, qr_permutations (order, dims, want.vector));
}

static octave_value_list qr_block_rows (gla::collective &collective, const octave_value &A,
                                        const octave_value &B, const qr_request &want)
{
  return collective.in_common_class (
      [&] (auto array, auto) { return factorize<decltype (array)> (collective, A, B, want); });
}

static octave_value_list qr_block_of_ranks (gla::collective &collective,
                                            const octave_value_list &args, int nargout)
{
  qr_request want = {};
  octave_value B;
  const gla::options opts = qr_block_arguments (args, nargout, B, want);
  gla::mpi_word ("qr_block", opts, {"rows"});
  if (gla::any_gpu_array (args))
    gla::gather_needed ("qr_block with \"mpi\"");
  if (want.wy)
    error_with_id ("gpulinalg:bad-option", "qr_block: \"mpi\" cannot be combined with \"wy\"");
  if (!want.economy && !want.solve)
    error_with_id ("gpulinalg:bad-option",
                   "qr_block: with \"mpi\" there is the economy form only; add 0 or \"econ\"");
  collective.call ().set_place (opts.value ("device"));
  const octave_value A = args (0);
  collective.announce (A, B);
  if (want.solve)
    return qr_block_least_squares (collective.call (), &collective, A, B, want);
  return qr_block_rows (collective, A, B, want);
}

static octave_value_list qr_block_together (octave::interpreter &interp,
                                            const octave_value_list &args, int nargout)
{
  return gla::together ("qr_block", interp, [&] (gla::collective &collective) {
    return qr_block_of_ranks (collective, args, nargout);
  });
}

static const gla::add_of_ranks add_qr_block ("qr_block", qr_block_together);

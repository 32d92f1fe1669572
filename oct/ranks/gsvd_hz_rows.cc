// gsvd_hz_rows.cc: gsvd_hz and gevd_hz (.., "mpi", "rows"), "root" and "columns"
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays/gpu_pages.h"
#include "pages/gsvd_hz.h"
#include "ranks.h"

static octave_value_list gsvd_hz_of_ranks (gla::collective &collective,
                                           const octave_value_list &args, int nargout)
{
  gsvd_request want = {};
  const gla::options opts = gsvd_hz_arguments (args, nargout, want);
  if (gla::any_gpu_array (args))
    gla::gather_needed ("gsvd_hz with \"mpi\"");
  const std::string layout = gla::mpi_word ("gsvd_hz", opts, {"rows", "root", "columns"});
  if (!want.economy && want.outputs > 1)
    error_with_id ("gpulinalg:bad-option",
                   "gsvd_hz: with \"mpi\" there is the economy form only; add 0 or \"econ\"");
  collective.call ().set_place (opts.value ("device"));
  auto solve = [&] (const octave_value &A, const octave_value &B) {
    collective.announce (A, B);
    return gsvd_hz_solve (collective.call (), &collective, A, B, want);
  };
  if (layout == "rows")
    return solve (args (0), args (1));
  want.by_columns = layout == "columns";
  if (want.by_columns)
    return gla::with_columns (collective, args (0), args (1), solve);
  const std::string by_rows = want.outputs > 1 ? "AB----" : "-";
  return gla::with_root (collective, args (0), args (1), by_rows.substr (0, want.outputs), solve);
}

static octave_value_list gsvd_hz_together (octave::interpreter &interp,
                                           const octave_value_list &args, int nargout)
{
  return gla::together ("gsvd_hz", interp, [&] (gla::collective &collective) {
    return gsvd_hz_of_ranks (collective, args, nargout);
  });
}

static const gla::add_of_ranks add_gsvd_hz ("gsvd_hz", gsvd_hz_together);

static octave_value_list gevd_hz_of_ranks (gla::collective &collective,
                                           const octave_value_list &args, int nargout)
{
  gsvd_request want = {};
  const gla::options opts = gevd_hz_arguments (args, nargout, want);
  if (gla::any_gpu_array (args))
    gla::gather_needed ("gevd_hz with \"mpi\"");
  const std::string layout = gla::mpi_word ("gevd_hz", opts, {"rows", "root", "columns"});
  collective.call ().set_place (opts.value ("device"));
  auto work = [&] (const octave_value &A, const octave_value &B) {
    collective.announce (A, B);
    return gevd_hz_solve (collective.call (), &collective, A, B, want);
  };
  if (layout == "rows")
    return work (args (0), args (1));
  want.by_columns = layout == "columns";
  if (want.by_columns)
    return gla::with_columns (collective, args (0), args (1), work);
  return gla::with_root (collective, args (0), args (1), std::string (want.outputs, '-'), work);
}

static octave_value_list gevd_hz_together (octave::interpreter &interp,
                                           const octave_value_list &args, int nargout)
{
  return gla::together ("gevd_hz", interp, [&] (gla::collective &collective) {
    return gevd_hz_of_ranks (collective, args, nargout);
  });
}

static const gla::add_of_ranks add_gevd_hz ("gevd_hz", gevd_hz_together);

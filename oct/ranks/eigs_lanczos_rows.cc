// eigs_lanczos_rows.cc: eigs_lanczos (.., "mpi", "rows")
// SPDX-License-Identifier: GPL-3.0-or-later

#include "sparse/eigs_lanczos.h"
#include "sparse_rows.h"

static const char function_name[] = "eigs_lanczos";

template <typename Array, typename Real>
static octave_value_list solve_rows (gla::collective &t, const gla::sparse_matrix &A,
                                     eigs_request want)
{
  if (want.v0.iscomplex () && !t.is_complex ())
    error_with_id ("gpulinalg:bad-value",
                   "eigs_lanczos: the start vector is complex, but the problem is real");
  eigs_outputs<Array, Real> out (want, want.A.rows ());
  auto report = gla::sized<gla_eigs_report> ();
  t.finish (gla_eigs_rows (t.call ().context (), gla::rows_of (A), want.k, want.which, &out.results,
                           &want.eigs, &report));
  return out.values (report);
}

static octave_value_list values_by_rows (gla::collective &t, const eigs_request &want)
{
  gla::sparse_matrix::settings how = {};
  how.single = want.single;
  t.call ().set_place (want.device);
  t.announce (want.A, octave_value ());
  t.follow (1);
  const auto A = gla::rows_of_rank (t, want.A, how);
  t.follow (0);
  return gla::in_class (want.single, t.is_complex (), [&] (auto array, auto real) {
    return solve_rows<decltype (array), decltype (real)> (t, *A, want);
  });
}

// Replaces the call that the other ranks make: this rank cannot take part, with the error in its
// last argument.
static octave_value_list refuse_rows (octave::interpreter &interp, const std::string &why)
{
  return gla::together (function_name, interp, [&] (gla::collective &t) {
    t.refuse (GLA_ERROR_RANKS_DIFFER, why);
    return octave_value_list ();
  });
}

static octave_value_list eigs_together (octave::interpreter &interp, const octave_value_list &args,
                                        int nargout)
{
  if (args.length () == 1)
    return refuse_rows (interp, args (0).string_value ());
  const eigs_request want = eigs_read_request (args, nargout);
  return gla::together (function_name, interp,
                        [&] (gla::collective &t) { return values_by_rows (t, want); });
}

static const gla::add_of_ranks add_eigs (function_name, eigs_together);

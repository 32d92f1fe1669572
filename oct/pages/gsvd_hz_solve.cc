// gsvd_hz_solve.cc: calls the library for gsvd_hz and makes its outputs
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gsvd_hz.h"

#include <octave/int32NDArray.h>
#include <octave/oct-map.h>

#include <algorithm>

//------------------------------------------------------------------------------
// on a GPU
//------------------------------------------------------------------------------

void gsvd_check_rows (const char *who, const dim_vector &a, const dim_vector &b)
{
  if (a (0) < a (1) || b (0) < b (1))
    error_with_id ("gpulinalg:gather-needed",
                   "%s: gpuArrays must have at least as many rows as columns, but A is %s and B is "
                   "%s; gather (A) and gather (B) copy them to the host",
                   who, a.str ().c_str (), b.str ().c_str ());
}

void gsvd_check_ranks (const char *who, const int32_t *info, octave_idx_type pages)
{
  for (octave_idx_type p = 0; p < pages; p++)
    if (info[p] == -1)
      error_with_id ("gpulinalg:gather-needed",
                     "%s: B has less than full column rank on page %lld, or is too large; gather "
                     "(A) and gather (B) copy the pairs to the host, where that is done",
                     who, static_cast<long long> (p + 1));
}

//------------------------------------------------------------------------------
// outputs
//------------------------------------------------------------------------------

// Returns the name of the method for one pair, a row of cells for pages.
static octave_value method_names (const std::vector<gla_gsvd_stats> &stats, octave_idx_type pages,
                                  bool one_pair)
{
  Cell names (1, pages);
  for (octave_idx_type k = 0; k < pages; k++)
    names (k) = stats[k].method == GLA_GSVD_METHOD_HZ        ? "hz"
                : stats[k].method == GLA_GSVD_METHOD_TANGENT ? "tangent"
                                                             : "none";
  if (one_pair)
    return names (0);
  return names;
}

static octave_scalar_map stats_of (const std::vector<gla_gsvd_stats> &stats,
                                   const int32NDArray &info, const gla_gsvd_report &report,
                                   double seconds, bool one_pair)
{
  octave_idx_type pages = info.numel (), most = 0;
  RowVector sweeps (pages);
  for (octave_idx_type k = 0; k < pages; k++) {
    sweeps (k) = stats[k].sweeps;
    most = std::max<octave_idx_type> (most, stats[k].sweeps);
  }
  Matrix rotations (most, pages, 0.0);
  for (octave_idx_type k = 0; k < pages; k++)
    for (octave_idx_type s = 0; s < stats[k].sweeps; s++)
      rotations (s, k) = static_cast<double> (stats[k].rotations[s]);

  octave_scalar_map map;
  map.assign ("method", method_names (stats, pages, one_pair));
  map.assign ("sweeps", sweeps);
  map.assign ("rotations", rotations);
  map.assign ("info", info);
  map.assign ("seconds", seconds);
  if (report.base.device == GLA_DEVICE_HOST)
    map.assign ("device", "cpu");
  else
    map.assign ("device", static_cast<double> (report.base.device));
  return map;
}

//------------------------------------------------------------------------------
// the call
//------------------------------------------------------------------------------

// Sizes: A has m x p here and all_m x p on all ranks, B n and all_n rows.
struct pair_sizes {
  octave_idx_type m, n, all_m, all_n, p, q;

  pair_sizes (const dim_vector &A, const dim_vector &B, const gla::shared_call *shared)
      : m (A (0)), n (B (0)), all_m (shared ? shared->total (0) : m),
        all_n (shared ? shared->total (1) : n), p (A (1)), q (std::min (all_m + all_n, p))
  {
  }
};

// The arrays that the library writes; dims are those of A.
template <typename Array, typename RealArray> struct gsvd_factors {
  Array U, V, X;
  RealArray alpha, beta;
  gla_gsvd_results results = gla::sized<gla_gsvd_results> ();

  gsvd_factors (const dim_vector &dims, const pair_sizes &s, const gsvd_request &want,
                const gla::shared_call *shared)
  {
    auto here = [&] (octave_idx_type columns) {
      return columns_of_result (shared, want, columns).count;
    };
    // results by columns have all rows of U and V
    const octave_idx_type m = want.by_columns ? s.all_m : s.m, n = want.by_columns ? s.all_n : s.n;
    gla::allocate_part (alpha, results.alpha, dims, s.q, 1);
    gla::allocate_part (beta, results.beta, dims, s.q, 1);
    if (want.outputs > 1) {
      gla::allocate_part (U, results.U, dims, m, here (want.economy ? std::min (s.all_m, s.q) : m));
      gla::allocate_part (V, results.V, dims, n, here (want.economy ? std::min (s.all_n, s.q) : n));
    }
    if (want.outputs > 2)
      gla::allocate_part (X, results.X, dims, s.p, here (s.q));
  }
};

template <typename Array, typename RealArray>
static octave_value_list solve (gla::call &call, gla::shared_call *shared,
                                const octave_value &arg_A, const octave_value &arg_B,
                                const gsvd_request &want)
{
  Array A, B;
  gla::read (arg_A, A);
  gla::read (arg_B, B);
  dim_vector dims = A.dims ();
  const bool on_gpu = gla::place_of (A) != GLA_DEVICE_HOST;
  if (on_gpu)
    gsvd_check_rows ("gsvd_hz", dims, B.dims ());
  const pair_sizes size (dims, B.dims (), shared);
  octave_idx_type pages = gla::pages_of (dims);
  bool one_pair = dims.ndims () == 2;

  gsvd_factors<Array, RealArray> f (dims, size, want, shared);
  int32NDArray info (dim_vector (1, pages));
  f.results.info = reinterpret_cast<int32_t *> (info.fortran_vec ());
  std::vector<gla_gsvd_stats> stats (want.outputs > 5 ? std::max<octave_idx_type> (1, pages) : 0);
  f.results.stats = want.outputs > 5 ? stats.data () : nullptr;

  gla_array a = gla::part (gla::input (A)), b = gla::part (gla::input (B));
  auto report = gla::sized<gla_gsvd_report> ();
  auto start = std::chrono::steady_clock::now ();
  if (shared)
    shared->shared_gsvd (want.by_columns, a, b, f.results, want.gsvd, report);
  else
    call.finish (gla_gsvd (call.context (), &a, &b, &f.results, &want.gsvd, &report));
  if (on_gpu)
    gsvd_check_ranks ("gsvd_hz", f.results.info, pages);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now () - start;
  if (report.base.pages_failed > 0 && want.outputs < 6 && (!shared || shared->is_root ()))
    gla::warn_of_failed_pages ("gsvd_hz", f.results.info, pages,
                               {gla::not_finite (size.p), gla::not_converged (size.p)});

  if (want.outputs == 1)
    return ovl (RealArray (quotient (f.alpha, f.beta)));
  octave_value_list out = ovl (f.U, f.V, f.X);
  if (want.outputs > 3) {
    const octave_idx_type m = size.all_m, n = size.all_n, q = size.q;
    octave_idx_type above = std::max<octave_idx_type> (0, q - m);
    const gla::columns_here here = columns_of_result (shared, want, q);
    out (3) = gla::diagonal_pages (f.alpha, want.economy ? std::min (m, q) : m, above, here);
    out (4) = gla::diagonal_pages (f.beta, want.economy ? std::min (n, q) : n, 0, here);
  }
  if (want.outputs > 5)
    out (5) = stats_of (stats, info, report, seconds.count (), one_pair);
  return out;
}

octave_value_list gsvd_hz_solve (gla::call &call, gla::shared_call *shared, const octave_value &A,
                                 const octave_value &B, const gsvd_request &want)
{
  auto body = [&] (auto array, auto real) {
    return solve<decltype (array), decltype (real)> (call, shared, A, B, want);
  };
  return shared ? shared->in_common_class (body) : gla::in_page_class_of (A, B, body);
}

// batcheig_pairs.cc: batcheig (A, B); tests are in batcheig-pairs.tst
// SPDX-License-Identifier: GPL-3.0-or-later

#include "batcheig.h"
#include "pages.h"

#include <octave/int32NDArray.h>
#include <octave/oct-map.h>

#include <cmath>

//------------------------------------------------------------------------------
// arguments
//------------------------------------------------------------------------------

static void check_square (const char *name, const dim_vector &dims)
{
  if (dims (0) != dims (1))
    error_with_id ("gpulinalg:bad-shape", "batcheig: the pages of %s must be square, but %s is %s",
                   name, name, dims.str ().c_str ());
}

// Compares dimensions without their first two numbers.
static bool same_page_dims (const dim_vector &a, const dim_vector &b)
{
  bool same = a.ndims () == b.ndims ();
  for (int k = 2; same && k < a.ndims (); k++)
    same = a (k) == b (k);
  return same;
}

void check_pair (const octave_value &A, const octave_value &B)
{
  gla::check_float_array ("batcheig", "B", B);
  const dim_vector a = A.dims (), b = B.dims ();
  check_square ("B", b);
  if (a (0) != b (0))
    error_with_id ("gpulinalg:bad-shape",
                   "batcheig: the pages of A and B must have the same size, but A is %s and B is "
                   "%s",
                   a.str ().c_str (), b.str ().c_str ());
  if (!same_page_dims (a, b) && gla::pages_of (a) != 1 && gla::pages_of (b) != 1)
    error_with_id ("gpulinalg:bad-shape",
                   "batcheig: A and B must have the same pages, or one of them a single page, but "
                   "A is %s and B is %s",
                   a.str ().c_str (), b.str ().c_str ());
}

// Checks that no option which conflicts with `name` was given.
static void check_apart (const gla::options &opts, const char *name,
                         const std::vector<std::string> &others)
{
  for (const std::string &other : others)
    if (opts.value (other).is_defined () || !opts.last_flag ({other}).empty ())
      error_with_id ("gpulinalg:bad-option",
                     "batcheig: options \"%s\" and \"%s\" exclude each other", name,
                     other.c_str ());
}

void refuse_gpu_arrays (const octave_value_list &args)
{
  if ((gla::is_gpu_array (args (0)) || gla::is_gpu_array (args (1))) && has_word (args, "qz"))
    error_with_id ("gpulinalg:gather-needed",
                   "batcheig: option \"qz\" takes no gpuArray, because it works on the CPU; gather "
                   "(G) copies it to the host");
}

static void need_pair (const gla::options &opts)
{
  for (const char *name : {"itype", "drop", "chol", "swap", "qz"})
    if (opts.value (name).is_defined () || !opts.last_flag ({name}).empty ())
      error_with_id ("gpulinalg:bad-option",
                     "batcheig: option \"%s\" needs a second matrix, batcheig (A, B, ...)", name);
}

void read_way (const gla::options &opts, bool pair, eig_request &want)
{
  const std::string flag = opts.last_flag ({"chol", "swap", "qz"});
  const bool drop = opts.value ("drop").is_defined ();
  want.way = drop ? GLA_PAIRS_DROP : flag == "swap" ? GLA_PAIRS_SWAP : GLA_PAIRS_CHOL;
  want.qz = flag == "qz";
  want.drop = opts.number ("drop", 0, 1, 0);
  want.itype = opts.count ("itype", 1);
  if (!pair)
    need_pair (opts);
  if (want.itype > 3)
    error_with_id ("gpulinalg:bad-value", "batcheig: option \"itype\" must be 1, 2 or 3, not %d",
                   want.itype);
  if (want.itype > 1 && (want.qz || want.way != GLA_PAIRS_CHOL))
    error_with_id ("gpulinalg:bad-option",
                   "batcheig: option \"%s\" needs \"itype\" 1, but it is %d",
                   drop ? "drop" : flag.c_str (), want.itype);
  if (drop)
    check_apart (opts, "drop", {"chol", "swap", "qz"});
  if (want.qz)
    check_apart (
        opts, "qz",
        {"lower", "upper", "method", "tol", "maxit", "range", "largest", "smallest", "interval"});
  if (want.qz && gla::asks_for_gpu (opts.value ("device")))
    error_with_id ("gpulinalg:bad-value",
                   "batcheig: option \"qz\" runs on the CPU, but \"device\" asks for a GPU");
  if (drop && want.eig.range == GLA_EIG_ALL && want.columns > 0) {
    want.cut = true;
    want.diagonal = false;
  }
}

//------------------------------------------------------------------------------
// pages that fail
//------------------------------------------------------------------------------

std::vector<gla::page_failure> pair_failures (octave_idx_type n, gla_pairs_way way)
{
  const char *what = way == GLA_PAIRS_DROP ? "have a B with negative eigenvalues"
                     : way == GLA_PAIRS_SWAP
                         ? "have an A that is not positive definite to working precision"
                         : "have a B that is not positive definite to working precision";
  return {gla::not_finite (n), {n + 2, 2 * n + 1, what, "NaN"}, gla::not_converged (n)};
}

//------------------------------------------------------------------------------
// the call
//------------------------------------------------------------------------------

static void fail_not_hermitian (const gla_eig_pairs_report &report)
{
  const char name = report.bad_matrix;
  error_with_id ("gpulinalg:not-hermitian",
                 "batcheig: page %lld of %c is not Hermitian: the largest |%c - %c'| is %g; "
                 "\"lower\" or \"upper\" reads one triangle only",
                 static_cast<long long> (report.bad_page + 1), name, name, name,
                 report.bad_difference);
}

static gla_eig_pairs_options options_of (const eig_request &want)
{
  auto o = gla::sized<gla_eig_pairs_options> ();
  o.method = want.eig.method;
  o.triangle = want.eig.triangle;
  o.tol = want.eig.tol;
  o.maxit = want.eig.maxit;
  o.itype = want.itype;
  o.range = want.eig.range;
  o.il = want.eig.il;
  o.iu = want.eig.iu;
  o.vl = want.eig.vl;
  o.vu = want.eig.vu;
  o.way = want.way;
  o.drop = want.drop;
  o.phase = want.eig.phase;
  // the number of eigenvalues of a page is known afterwards
  o.largest = want.largest && want.way == GLA_PAIRS_DROP;
  return o;
}

// Returns them on the host. The library is not called for matrices without elements, because it has
// none of these on a GPU.
template <typename RealArray>
static octave_value condition_numbers (const RealArray &rcond, octave_idx_type n,
                                       octave_idx_type pages)
{
  if (n > 0)
    return gla::gathered (ovl (rcond)) (0);
  const octave_value infinite = NDArray (dim_vector (pages, 1), INFINITY);
  return gla::type_of (rcond) == GLA_TYPE_S ? infinite.as_single () : infinite;
}

template <typename Array, typename RealArray>
static octave_value_list solve (gla::call &call, const octave_value &a, const octave_value &b,
                                const eig_request &want)
{
  Array A, B;
  gla::read (a, A);
  gla::read (b, B);
  const dim_vector dims = gla::pages_of (A.dims ()) == 1 ? B.dims () : A.dims ();
  const octave_idx_type n = dims (0), pages = gla::pages_of (dims);
  const dim_vector lambda_dims = dims_of_eigenvalues (dims, want);
  RealArray D = want.diagonal ? gla::zero_pages<RealArray> (lambda_dims)
                              : gla::unfilled_pages<RealArray> (lambda_dims);
  Array V = gla::unfilled_pages<Array> (dims_of_vectors (dims, want));
  RealArray rcond = gla::unfilled_pages<RealArray> (dim_vector (want.more && n > 0 ? pages : 0, 1));
  int32NDArray info (dim_vector (pages, 1));
  std::vector<int64_t> count (pages), rank (pages);

  const gla_array A_pages = gla::input (A), B_pages = gla::input (B);
  auto results = gla::sized<gla_eig_pairs_results> ();
  results.lambda = eigenvalues_in (D, pages, want);
  if (want.vectors)
    results.V = gla::output (V);
  if (rcond.numel () > 0)
    results.rcond = gla_array_packed (rcond.fortran_vec (), gla::type_of (rcond), 1, 1, pages,
                                      gla::place_of (rcond));
  results.info = reinterpret_cast<int32_t *> (info.fortran_vec ());
  results.count = count.data ();
  results.rank = rank.data ();

  const gla_eig_pairs_options options = options_of (want);
  auto report = gla::sized<gla_eig_pairs_report> ();
  const gla_status status =
      gla_batcheig_pairs (call.context (), &A_pages, &B_pages, &results, &options, &report);
  call.finish (status == GLA_ERROR_NOT_HERMITIAN ? GLA_OK : status);
  if (status == GLA_ERROR_NOT_HERMITIAN)
    fail_not_hermitian (report);
  if (report.base.pages_failed > 0 && !want.info)
    gla::warn_of_failed_pages ("batcheig", results.info, pages, pair_failures (n, want.way));

  take_wanted (D, V, report.most, want);
  octave_scalar_map more;
  if (want.more) {
    more.assign ("rcond", condition_numbers (rcond, n, pages));
    more.assign ("rank", column_of_counts (rank));
    more.assign ("count", column_of_counts (count));
  }
  if (want.vectors)
    return ovl (V, D, info, more);
  return ovl (D);
}

octave_value_list solve_pairs (gla::call &call, const octave_value &A, const octave_value &B,
                               const eig_request &want)
{
  return gla::in_page_class_of (A, B, [&] (auto array, auto real) {
    return solve<decltype (array), decltype (real)> (call, A, B, want);
  });
}

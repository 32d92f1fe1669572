// batcheig_gpu.cc: batcheig (A, B, "drop") and "swap" of gpuArrays
// SPDX-License-Identifier: GPL-3.0-or-later
//
// inst/__gpu_pages__.m does the work, on three-dimensional arrays. This file passes the options,
// and shapes the results.

#include "batcheig.h"

#include <octave/int32NDArray.h>
#include <octave/oct-map.h>

//------------------------------------------------------------------------------
// arguments
//------------------------------------------------------------------------------

static void set_part (const eig_request &want, octave_scalar_map &request)
{
  const gla_eig_options &o = want.eig;
  RowVector bounds (2);
  bounds (0) = o.range == GLA_EIG_INTERVAL ? o.vl : static_cast<double> (o.il);
  bounds (1) = o.range == GLA_EIG_INTERVAL ? o.vu : static_cast<double> (o.iu);
  octave_value numbers = bounds;
  if (want.largest)
    numbers = static_cast<double> (want.columns);
  request.assign ("part", o.range == GLA_EIG_ALL        ? "all"
                          : o.range == GLA_EIG_INTERVAL ? "interval"
                          : want.largest                ? "largest"
                                                        : "range");
  request.assign ("bounds", numbers);
  request.assign ("all_columns", o.range == GLA_EIG_ALL && want.way == GLA_PAIRS_SWAP);
}

static octave_scalar_map request_of (const eig_request &want, const gla::options &opts)
{
  const gla_triangle t = want.eig.triangle;
  octave_scalar_map request;
  request.assign ("triangle", t == GLA_TRIANGLE_LOWER   ? "lower"
                              : t == GLA_TRIANGLE_UPPER ? "upper"
                                                        : "full");
  request.assign ("phase", want.eig.phase == GLA_EIG_PHASE_NONE ? "none" : "max");
  request.assign ("vectors", want.vectors);
  request.assign ("more", want.more);
  request.assign ("drop", want.drop);
  set_part (want, request);
  request.setfield ("args", opts.given ({"method", "tol", "maxit", "device"}));
  request.setfield ("progress", opts.given ({"progress"}));
  return request;
}

static octave_value as_pages (const octave_value &v, int device)
{
  const dim_vector dims = v.dims ();
  return gla::value_of (gla::moved_to (device, "batcheig", v))
      .reshape (dim_vector (dims (0), dims (1), gla::pages_of (dims)));
}

//------------------------------------------------------------------------------
// results
//------------------------------------------------------------------------------

// Returns lambda of k x 1 x P in the caller's form.
template <typename RealArray>
static octave_value values_of (const octave_value &lambda, dim_vector dims, const eig_request &want)
{
  gla::gpu_pages<RealArray> values;
  gla::read (lambda, values);
  dims (0) = values.rows ();
  dims (1) = want.matrix ? values.rows () : 1;
  octave_value v = lambda;
  if (want.matrix)
    v = ovl (gla::diagonal_pages (values, values.rows (), 0)) (0);
  return v.reshape (dims);
}

static octave_value struct_of (const octave_scalar_map &found)
{
  octave_scalar_map more;
  for (const char *name : {"rcond", "rank", "count"})
    more.assign (name, found.getfield (name));
  return more;
}

// Replaces a gpuArray that has pages by one without; its contents are not needed.
static octave_value without_pages (const octave_value &v)
{
  const dim_vector dims (v.rows (), v.columns (), 0);
  return gla::is_gpu_array (v) && !v.isempty ()
             ? gla::value_of (gla::resized (gla::gpu_value_of (v), dims))
             : v;
}

octave_value_list solve_pairs_on_gpu (const octave_value &A, const octave_value &B,
                                      const eig_request &want, const gla::options &opts)
{
  const dim_vector dims = gla::pages_of (A.dims ()) == 1 ? B.dims () : A.dims ();
  if (A.isempty () || B.isempty ())
    return gla::with_gathered (ovl (without_pages (A), without_pages (B)),
                               want.vectors ? "arhh" : "r", [&] (const octave_value_list &all) {
                                 gla::call call ("batcheig", gla::the_interpreter ());
                                 return solve_pairs (call, all (0), all (1), want);
                               });
  const int device = gla::device_of ("batcheig", ovl (A, B));
  const octave_value_list found = gla::gpu_pages_function (
      want.way == GLA_PAIRS_DROP ? "drop" : "swap",
      ovl (as_pages (A, device), as_pages (B, device), octave_value (request_of (want, opts))), 4);
  const int32NDArray info = found (2).int32_array_value ();
  if (!want.info)
    gla::warn_of_failed_pages ("batcheig", reinterpret_cast<const int32_t *> (info.data ()),
                               info.numel (), pair_failures (dims (0), want.way));
  gla::gpu_of_call () = device;
  const octave_value D = found (0).is_single_type ()
                             ? values_of<FloatNDArray> (found (0), dims, want)
                             : values_of<NDArray> (found (0), dims, want);
  if (!want.vectors)
    return ovl (D);
  dim_vector vectors = dims;
  vectors (1) = found (1).columns ();
  const octave_value more = want.more ? struct_of (found (3).scalar_map_value ()) : octave_value ();
  return ovl (found (1).reshape (vectors), D, info, more);
}

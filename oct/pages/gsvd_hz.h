// gsvd_hz.h: arguments and results that gsvd_hz and gevd_hz share
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_GSVD_HZ_H
#define GPULINALG_GSVD_HZ_H

#include "arrays/gpu_pages.h"
#include "common/shared_call.h"

#include <algorithm>

namespace gla
{

// Divides element by element; for arrays of the host Octave does.
template <typename A> gpu_pages<A> quotient (const gpu_pages<A> &x, const gpu_pages<A> &y)
{
  return gpu_pages<A> (gla::binary (gla::gpu_op::rdivide, x, y));
}
template <typename A> gpu_pages<A> product (const gpu_pages<A> &x, const gpu_pages<A> &y)
{
  return gpu_pages<A> (gla::binary (gla::gpu_op::times, x, y));
}

// Returns pages of `rows` rows with the columns of `values` on the diagonal that is `above` the
// main one; of these pages the columns `here`.
template <typename RealArray>
RealArray diagonal_pages (const RealArray &values, octave_idx_type rows, octave_idx_type above,
                          const columns_here &here)
{
  dim_vector dims = values.dims ();
  octave_idx_type q = dims (0), pages = pages_of (dims);
  dims (0) = rows;
  dims (1) = here.count;
  RealArray D = zeros<RealArray> (dims);
  auto *d = D.fortran_vec ();
  const auto *v = values.data ();
  for (octave_idx_type k = 0; k < pages; k++)
    for (octave_idx_type j = std::max (above, here.first);
         j < here.first + here.count && j - above < rows; j++)
      d[(k * here.count + j - here.first) * rows + j - above] = v[k * q + j];
  return D;
}
// Does so for all columns, which are always here on a GPU.
template <typename RealArray>
RealArray diagonal_pages (const RealArray &values, octave_idx_type rows, octave_idx_type above)
{
  return diagonal_pages (values, rows, above, {0, values.dims () (0)});
}
template <typename A>
gpu_pages<A> diagonal_pages (const gpu_pages<A> &values, octave_idx_type rows,
                             octave_idx_type above, const columns_here &)
{
  return diagonal_pages (values, rows, above);
}

} // namespace gla

struct gsvd_request {
  gla_gsvd_options gsvd;
  bool economy;
  bool by_columns; // "mpi", "columns"
  int outputs;     // at least 1: without outputs Octave stores the first one in ans
};

// Returns the columns here of a result that has so many: all, unless results are by columns.
inline gla::columns_here columns_of_result (const gla::shared_call *shared,
                                            const gsvd_request &want, octave_idx_type columns)
{
  return want.by_columns ? shared->columns_of (columns) : gla::columns_here{0, columns};
}

// For gsvd_hz and gevd_hz: checks that the shapes of A and B match; reads the options of the
// method.
void gsvd_check_arrays (const char *who, const octave_value &A, const octave_value &B);
// Returns the arguments with a single matrix repeated for all pages of the other.
octave_value_list gsvd_with_all_pages (const octave_value_list &args);
gla_gsvd_options gsvd_read_options (const gla::options &opts);

// Serve gpuArrays: only the CPU does pairs that are not regular. Before the call of the library,
// and after it, these end with gpulinalg:gather-needed.
void gsvd_check_rows (const char *who, const dim_vector &a, const dim_vector &b);
void gsvd_check_ranks (const char *who, const int32_t *info, octave_idx_type pages);
// Calls body (args) for gsvd_hz or gevd_hz, where arguments may be gpuArrays; outputs as in
// gla::with_gathered.
template <typename Body>
octave_value_list gsvd_with_gpu_arrays (const octave_value_list &args, const char *outputs,
                                        Body body)
{
  // of empty pairs nothing is copied
  const bool empty = args.length () > 1 && args (0).isempty () && args (1).isempty ();
  if (empty && gla::any_gpu_array (args))
    return gla::with_gathered (args, outputs, body);
  return gla::with_gpu_arrays (args, outputs, body);
}

// Read and check all arguments of gsvd_hz and gevd_hz.
gla::options gsvd_hz_arguments (const octave_value_list &args, int nargout, gsvd_request &want);
gla::options gevd_hz_arguments (const octave_value_list &args, int nargout, gsvd_request &want);

// Returns their outputs for checked arrays; `shared` is NULL without "mpi".
octave_value_list gsvd_hz_solve (gla::call &call, gla::shared_call *shared, const octave_value &A,
                                 const octave_value &B, const gsvd_request &want);
octave_value_list gevd_hz_solve (gla::call &call, gla::shared_call *shared, const octave_value &A,
                                 const octave_value &B, const gsvd_request &want);

#endif

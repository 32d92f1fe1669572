// batcheig.h: what the files of batcheig share
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_OCT_BATCHEIG_H
#define GPULINALG_OCT_BATCHEIG_H

#include "arrays/gpu_pages.h"

#include <algorithm>
#include <vector>

struct eig_request {
  gla_eig_options eig;
  bool vectors; // return V
  bool matrix;  // return D as diagonal pages
  bool info;    // return info; then failed pages give no warning
  bool more;    // return the struct with rcond and rank, with pairs, and count

  bool any_kind; // pages that are not Hermitian are no error, but nothing is returned then

  // with pairs
  int itype;         // 1, 2 or 3
  gla_pairs_way way; // not used with qz
  double drop;       // with GLA_PAIRS_DROP
  bool qz;           // each page by eig (A, B, "qz")

  // set by read_part
  octave_idx_type columns; // of V that the library writes
  bool cut;                // of which only some are returned
  bool diagonal;           // the library writes eigenvalues to the diagonal of pages; not on a GPU,
                           // where these pages are made behind its work, while the host goes on
  bool largest;            // the last ones, whose numbers are known afterwards with "drop"
};

//------------------------------------------------------------------------------
// parts of the spectrum
//------------------------------------------------------------------------------

// Whether this word, the name of an option, is among the arguments.
bool has_word (const octave_value_list &args, const std::string &name);
// Whether an option asks for one.
bool asks_for_part (const octave_value_list &args);
// Reads these options for pages of order n; ends with an error if a value is not valid.
void read_part (const gla::options &opts, octave_idx_type n, eig_request &want);
octave_value column_of_counts (const std::vector<int64_t> &count);

// Returns the first k columns of each page.
template <typename Array> Array first_columns (const Array &x, octave_idx_type k)
{
  dim_vector dims = x.dims ();
  const octave_idx_type from = dims (0) * dims (1), to = dims (0) * k, pages = gla::pages_of (dims);
  if (dims (1) == k)
    return x;
  dims (1) = k;
  Array y = gla::unfilled<Array> (dims);
  auto *at = y.fortran_vec ();
  for (octave_idx_type p = 0; p < pages; p++)
    std::copy_n (x.data () + p * from, to, at + p * to);
  return y;
}

// Returns the first k eigenvalues of columns, as columns or on the diagonal of pages.
template <typename RealArray>
RealArray first_values (const RealArray &D, octave_idx_type k, bool matrix)
{
  dim_vector dims = D.dims (), row = dims;
  row (0) = 1;
  row (1) = dims (0);
  const RealArray some = first_columns (RealArray (D.reshape (row)), k);
  dims (0) = k;
  dims (1) = matrix ? k : 1;
  if (!matrix)
    return RealArray (some.reshape (dims));
  RealArray pages = gla::zeros<RealArray> (dims);
  auto *to = pages.fortran_vec ();
  for (octave_idx_type at = 0; at < some.numel (); at++)
    to[at / k * k * k + at % k * (k + 1)] = some.data ()[at];
  return pages;
}

// Does the same for arrays on a GPU.
template <typename A>
gla::gpu_pages<A> first_columns (const gla::gpu_pages<A> &x, octave_idx_type k)
{
  return gla::corner_of (x, x.rows (), k);
}
template <typename A>
gla::gpu_pages<A> first_values (const gla::gpu_pages<A> &D, octave_idx_type k, bool matrix)
{
  const gla::gpu_pages<A> some = k < D.rows () ? gla::corner_of (D, k, 1) : D;
  return matrix ? gla::diagonal_pages (some, k, 0) : some;
}

//------------------------------------------------------------------------------
// results
//------------------------------------------------------------------------------

// Returns the dimensions of the eigenvalues that the library writes for pages with these
// dimensions. Those of an empty matrix are an empty matrix, as with eig.
dim_vector dims_of_eigenvalues (const dim_vector &dims, const eig_request &want);

// Returns the dimensions of the vectors.
dim_vector dims_of_vectors (const dim_vector &dims, const eig_request &want);

// Describes D, of want.columns eigenvalues a page, to the library.
template <typename RealArray>
gla_array eigenvalues_in (RealArray &D, octave_idx_type pages, const eig_request &want)
{
  const octave_idx_type k = want.columns;
  gla_array lambda =
      gla_array_packed (D.fortran_vec (), gla::type_of (D), k, 1, pages, gla::place_of (D));
  if (want.diagonal) {
    lambda.row_stride = k + 1; // along the diagonal
    lambda.page_stride = k * k;
  }
  return lambda;
}

// Makes the caller's D and V from those of the library: if a part is wanted, the first `most` of
// each page, and D as diagonal pages if it is not yet.
template <typename RealArray, typename Array>
void take_wanted (RealArray &D, Array &V, octave_idx_type most, const eig_request &want)
{
  if (!want.cut && want.matrix && !want.diagonal)
    D = first_values (D, want.columns, true);
  if (!want.cut)
    return;
  D = first_values (D, most, want.matrix);
  if (want.vectors)
    V = first_columns (V, most);
}

// Returns [V, D, info, more] of Hermitian pages; V is undefined if it is not wanted. Errors and
// warnings are in the name of `who`.
octave_value_list solve_hermitian (const char *who, gla::call &call, const octave_value &A,
                                   const eig_request &want);

// Does batcheig (A, B). `check_pair` ends with an error if they do not fit together.
void check_pair (const octave_value &A, const octave_value &B);
// Reads "itype", "chol", "drop", "swap" and "qz" after read_part; ends with an error without a
// pair, or if they conflict with each other or with other options.
void read_way (const gla::options &opts, bool pair, eig_request &want);
// Ends with gpulinalg:gather-needed if a pair of gpuArrays comes with "qz", which works on the CPU,
// page by page.
void refuse_gpu_arrays (const octave_value_list &args);
// Why pages of order n fail.
std::vector<gla::page_failure> pair_failures (octave_idx_type n, gla_pairs_way way);
octave_value_list solve_pairs (gla::call &call, const octave_value &A, const octave_value &B,
                               const eig_request &want);
// The same with "drop" or "swap" on a GPU (batcheig_gpu.cc).
octave_value_list solve_pairs_on_gpu (const octave_value &A, const octave_value &B,
                                      const eig_request &want, const gla::options &opts);
// The same with "qz" (batcheig_qz.cc).
octave_value_list solve_qz (gla::call &call, const octave_value &A, const octave_value &B,
                            const eig_request &want);

#endif

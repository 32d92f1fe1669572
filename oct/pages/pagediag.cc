// pagediag.cc: diagonals of the pages of an array
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pagediag.h"

#include <algorithm>
#include <cmath>

namespace
{

const std::vector<std::string> option_names = {"device", "progress"};

template <typename Array>
octave_value work (gla::call &call, const octave_value &arg, gla_diag what, int64_t k,
                   const dim_vector &dims)
{
  Array A;
  gla::read (arg, A);
  Array D = gla::unfilled_pages<Array> (dims);
  const gla_array a = gla::input (A), d = gla::output (D);
  // diag gives no columns, too, for a page of no rows and no columns
  call.finish (D.numel () == 0 ? GLA_OK : gla_pagediag (call.context (), &a, what, k, &d, nullptr));
  return D;
}

// Whether argument 2 is k, and not the name of an option.
bool has_k (const octave_value_list &args)
{
  return args.length () > 1 && !args (1).is_string ();
}

int64_t read_k (const octave_value &k)
{
  const double most = 1e15; // no memory holds a matrix of so many columns
  const double x = gla::is_real_scalar (k) ? k.double_value () : NAN;
  if (!(std::fabs (x) <= most) || x != std::floor (x))
    error_with_id ("gpulinalg:bad-value", "pagediag: k must be an integer%s",
                   gla::not_this_number (k).c_str ());
  return static_cast<int64_t> (x);
}

// Returns the dimensions of the result's pages, as those of diag (A(:,:,1), k).
dim_vector page_of_diag (octave_idx_type m, octave_idx_type n, int64_t k)
{
  if (m == 0 && n == 0)
    return dim_vector (0, 0);
  if (m == 1 || n == 1) {
    const octave_idx_type order = m * n + std::abs (k);
    return dim_vector (order, order);
  }
  const int64_t length =
      std::min<int64_t> (m + std::min<int64_t> (k, 0), n - std::max<int64_t> (k, 0));
  return dim_vector (std::max<int64_t> (length, 0), 1);
}

octave_value_list pagediag_body (const octave_value_list &args, int nargout)
{
  gla::check_counts ("pagediag", args, 1, gla::any_number, nargout, 1);
  const octave_value A = args (0);
  gla::check_float_array ("pagediag", "A", A);
  const int64_t k = has_k (args) ? read_k (args (1)) : 0;
  const gla::options opts ("pagediag", args, has_k (args) ? 2 : 1, {}, option_names);
  const octave_idx_type m = A.rows (), n = A.dims () (1);
  const bool makes = m == 1 || n == 1;
  return gla::diagonals ("pagediag", A, makes ? GLA_DIAG_MAKE : GLA_DIAG_TAKE, k,
                         page_of_diag (m, n, k), opts);
}

} // namespace

octave_value_list gla::diagonals (const char *who, const octave_value &A, gla_diag what, int64_t k,
                                  const dim_vector &page, const options &opts)
{
  dim_vector dims = A.dims ();
  dims (0) = page (0);
  dims (1) = page (1);
  dims.safe_numel (); // std::bad_alloc if Octave cannot count the elements
  gla::call call (who, the_interpreter (), context_of_pages (ovl (A), opts.value ("progress")));
  call.set_place (opts.value ("device"));
  call.set_progress (opts.value ("progress"));
  return in_page_class_of (A, octave_value (), [&] (auto array, auto) {
    return ovl (work<decltype (array)> (call, A, what, k, dims));
  });
}

DEFMETHOD_DLD (pagediag, , args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{D} =} pagediag (@var{A})
 @deftypefnx {gpulinalg} {@var{D} =} pagediag (@var{A}, @var{k})
 @deftypefnx {gpulinalg} {@var{D} =} pagediag (@dots{}, @var{name}, @var{value}, @dots{})
Diagonals of the pages of an array, or pages with given diagonals.

@code{@var{D}(:,:,p) = diag (@var{A}(:,:,p), @var{k})} for every page @code{p}.
@var{A} is a full array of any number of dimensions, single or double, real or complex.
The dimensions from the third on count pages.  @var{k} is an integer, by default 0:
the main diagonal; a positive @var{k} is above it, a negative one below.

Where the pages of @var{A} are matrices, those of @var{D} are columns with diagonal
@var{k}, without rows where there is no such diagonal.  Where the pages of @var{A} have
one row or one column of n elements, those of @var{D} are square matrices of order
@code{n + abs (@var{k})} with these elements on diagonal @var{k} and 0 elsewhere.
Elements are copied bit by bit; NaN and Inf are elements as others.

Options, each followed by its value, names in upper or lower case:

@table @asis
@item @qcode{"device"}
@qcode{"auto"} (default), @qcode{"cpu"}, @qcode{"gpu"}, or the number of a GPU or a
vector of such numbers, counted from 0.

@item @qcode{"progress"}
@code{true}: show a meter in one line.  A function handle @var{f}: call
@code{@var{f} (@var{done}, @var{total})} with numbers of pages now and then.
The default is @code{false}.
@end table

The diagonals of two matrices, and the matrices of eigenvalues that products need:

@example
@group
A = cat (3, [1, 2; 3, 4], [5, 6; 7, 8]);
squeeze (pagediag (A))
   @result{} ans =

      1   5
      4   8

[V, L] = batcheig (A + pagetranspose (A), "vector");
X = pagemtimes (pagemtimes (V, pagediag (L)), "none", V, "ctranspose");
norm ((X - A - pagetranspose (A))(:)) < 1e-13
   @result{} ans = 1
@end group
@end example

@subheading gpuArrays
Where @var{A} is a gpuArray the work is done where it is, and so is @var{D}.

@subheading Errors
@table @code
@item gpulinalg:bad-class
@var{A} is sparse, or neither single nor double.
@item gpulinalg:bad-option
The option is unknown or has no value.
@item gpulinalg:bad-value
@var{k} is no integer, or an option does not take this value.
@item gpulinalg:no-device
A GPU was asked for that does not exist.
@item Octave:bad-alloc
There is not enough memory.
@end table

@seealso{pagetrace, pagenorm, pagemtimes, diag}
@end deftypefn)doc")
{
  return gla::guarded ("pagediag", [&] () {
    return gla::with_gpu_matrices (
        args, "a", [&] (const octave_value_list &all) { return pagediag_body (all, nargout); });
  });
}

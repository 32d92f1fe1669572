// pagemtimes.cc: products of the pages of two arrays
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pages.h"

namespace
{

//------------------------------------------------------------------------------
// operands
//------------------------------------------------------------------------------

// Refuses transpX and transpY after X and Y, where only options are allowed.
void refuse_late_op (const octave_value &option)
{
  const std::string word = gla::is_text (option) ? gla::lower_case (option.string_value ()) : "";
  if (word == "none" || word == "transpose" || word == "ctranspose")
    error_with_id ("gpulinalg:bad-option",
                   "pagemtimes: transpX stands behind X and transpY behind Y, as in pagemtimes "
                   "(X, \"%s\", Y, \"none\")",
                   word.c_str ());
}

// Reads (X, Y) or (X, transpX, Y, transpY); returns the number of arguments that were read.
int read_operands (const octave_value_list &args, gla::page_factors &want)
{
  want.X = args (0);
  int read = 2;
  if (args (1).is_string ()) {
    if (args.length () < 4)
      error_with_id ("Octave:invalid-fun-call",
                     "pagemtimes: transpX needs transpY as argument 4, as in pagemtimes (X, "
                     "\"ctranspose\", Y, \"none\")");
    want.op_x = gla::read_op ("pagemtimes", "transpX", args (1));
    want.op_y = gla::read_op ("pagemtimes", "transpY", args (3));
    want.Y = args (2);
    read = 4;
  } else {
    want.Y = args (1);
    if (args.length () > 2)
      refuse_late_op (args (2));
  }
  gla::check_float_array ("pagemtimes", "X", want.X);
  gla::check_float_array ("pagemtimes", "Y", want.Y);
  return read;
}

//------------------------------------------------------------------------------
// sizes
//------------------------------------------------------------------------------

// A single element times a matrix scales it. In the order (matrix, element), and with the matrix as
// one column, that is a product, too.
void scale_by_element (gla::page_factors &want)
{
  const bool swap = gla::is_scalar (want.X);
  octave_value matrix = swap ? want.Y : want.X;
  const char op = swap ? want.op_y : want.op_x;
  if (op != 'N')
    matrix = gla::transposed (matrix, op);
  dim_vector column = matrix.dims ();
  column (0) *= column (1);
  column (1) = 1;
  want = {matrix.reshape (column), swap ? want.X : want.Y, 'N', swap ? want.op_x : want.op_y};
}

// Finds the rows and columns of the product. Ends with an error if the operands do not match.
void multiply_sizes (const char *who, gla::page_factors &want, octave_idx_type &rows,
                     octave_idx_type &columns)
{
  rows = gla::rows_of (want.X, want.op_x);
  columns = gla::columns_of (want.Y, want.op_y);
  const octave_idx_type inner = gla::columns_of (want.X, want.op_x),
                        other = gla::rows_of (want.Y, want.op_y);
  if (inner == other)
    return;
  if (!gla::is_scalar (want.X) && !gla::is_scalar (want.Y))
    error_with_id ("gpulinalg:bad-shape",
                   "%s: the pages of X have %lld columns and those of Y have %lld rows%s", who,
                   static_cast<long long> (inner), static_cast<long long> (other),
                   want.op_x == 'N' && want.op_y == 'N' ? "" : ", transposed as requested");
  const bool swap = gla::is_scalar (want.X);
  rows = gla::rows_of (swap ? want.Y : want.X, swap ? want.op_y : want.op_x);
  columns = gla::columns_of (swap ? want.Y : want.X, swap ? want.op_y : want.op_x);
  scale_by_element (want);
}

//------------------------------------------------------------------------------
// the product
//------------------------------------------------------------------------------

// dims: of the result. If a page was made one column of the operand, it is one in the product.
template <typename A>
octave_value multiply (gla::call &call, const gla::page_factors &want, const gla::page_grid &grid,
                       bool single, const dim_vector &dims)
{
  const bool gpu = gla::any_on_gpu (ovl (want.X, want.Y));
  const gla::operand X (want.X, single, gpu), Y (want.Y, single, gpu);
  A Z = gla::unfilled_pages<A> (dims);
  gla_pagemul_options options = gla::sized<gla_pagemul_options> ();
  options.op_a = want.op_x;
  options.op_b = want.op_y;
  options.dims = static_cast<int> (grid.size.size ());
  options.dim_size = grid.size.data ();
  options.a_step = grid.x_step.data ();
  options.b_step = grid.y_step.data ();
  gla_pagemul_results results = gla::sized<gla_pagemul_results> ();
  results.C = gla::output (Z);
  results.C.rows = gla::rows_of (want.X, want.op_x);
  results.C.columns = gla::columns_of (want.Y, want.op_y);
  results.C.column_stride = results.C.rows;
  call.finish (
      gla_pagemul (call.context (), &X.array (), &Y.array (), &results, &options, nullptr));
  return Z;
}

octave_value_list pagemtimes_body (octave::interpreter &interp, const octave_value_list &args,
                                   int nargout)
{
  gla::check_counts ("pagemtimes", args, 2, gla::any_number, nargout, 1);
  gla::page_factors want;
  gla::options opts ("pagemtimes", args, read_operands (args, want), {}, {"device", "progress"});
  return ovl (gla::page_product ("pagemtimes", interp, want, opts.value ("device"),
                                 opts.value ("progress")));
}

} // namespace

octave_value gla::page_product (const char *who, octave::interpreter &interp, page_factors factors,
                                const octave_value &device, const octave_value &progress)
{
  octave_idx_type rows, columns;
  multiply_sizes (who, factors, rows, columns);
  const octave_value &X = factors.X, &Y = factors.Y;
  dim_vector dims;
  const page_grid grid = expand_pages (who, "X", X.dims (), "Y", Y.dims (), dims);
  dims (0) = rows;
  dims (1) = columns;

  gla::call call (who, interp, context_of_pages (ovl (X, Y), progress));
  call.set_place (device);
  call.set_progress (progress);
  const bool single = X.is_single_type () || Y.is_single_type ();
  return in_page_class_of (X, Y, [&] (auto array, auto) {
    return ovl (multiply<decltype (array)> (call, factors, grid, single, dims));
  }) (0);
}

DEFMETHOD_DLD (pagemtimes, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{Z} =} pagemtimes (@var{X}, @var{Y})
 @deftypefnx {gpulinalg} {@var{Z} =} pagemtimes (@var{X}, @var{transpX}, @var{Y}, @var{transpY})
 @deftypefnx {gpulinalg} {@var{Z} =} pagemtimes (@dots{}, @var{name}, @var{value}, @dots{})
Multiply the pages of two arrays.

@code{@var{Z}(:,:,p) = @var{X}(:,:,p) * @var{Y}(:,:,p)} for every page @code{p}.
@var{X} and @var{Y} are full arrays of any number of dimensions, single or double,
real or complex.  The dimensions from the third on count pages.  They must be equal
or 1; where one of them is 1, its pages are used for all pages of the other array.
So a single matrix is multiplied by every page.  Pages of one element scale the
other page.  The arguments and results are those of @sc{matlab}'s @code{pagemtimes}.

@var{transpX} and @var{transpY} are @qcode{"none"}, @qcode{"transpose"} or
@qcode{"ctranspose"} (conjugate transpose): what is multiplied is the page, its
transpose or its conjugate transpose.  No transpose is formed in memory.
@code{pagemtimes (@var{X}, "none", @var{X}, "ctranspose")} and
@code{pagemtimes (@var{X}, "ctranspose", @var{X}, "none")} are exactly Hermitian:
one triangle is computed and mirrored.

@var{Z} is single where @var{X} or @var{Y} is single, and complex where one of them
is complex.  NaN and Inf stay in the pages that hold them.  A page gives the same
bits on one device whatever stands beside it; a CPU and a GPU round differently.

Options, each followed by its value, names in upper or lower case:

@table @asis
@item @qcode{"device"}
@qcode{"auto"} (default): the faster place, the time for copies included.
@qcode{"cpu"}.  @qcode{"gpu"}: all GPUs.  A vector of numbers: these GPUs, as
@code{gpulinalg_info} counts them, from 0.

@item @qcode{"progress"}
@code{true}: show a meter in one line.  A function handle @var{f}: call
@code{@var{f} (@var{done}, @var{total})} with numbers of pages now and then.
The default is @code{false}.
@end table

The covariance matrices of 1000 sets of 50 samples in 4 channels, and their
eigenvalues:

@example
@group
X = randn (4, 50, 1000);
C = pagemtimes (X, "none", X, "ctranspose") / 50;
lambda = batcheig (C);
size (lambda)
   @result{} ans =

         4      1   1000

all (lambda(:) > 0)
   @result{} ans = 1
@end group
@end example

@subheading gpuArrays
Where @var{X} is a gpuArray the work is done where it is, and so is the result; the other argument may be an array of the host.

@subheading Errors
@table @code
@item gpulinalg:bad-class
@var{X} or @var{Y} is sparse, or neither single nor double.
@item gpulinalg:bad-shape
The columns of a page of @var{X} are not as many as the rows of a page of @var{Y},
or the numbers of pages are neither equal nor 1.
@item gpulinalg:bad-option
The option is unknown or has no value.
@item gpulinalg:bad-value
@var{transpX} or @var{transpY} is none of the three words, an option does not take
this value, or the pages are too large for the GPU that was asked for.
@item gpulinalg:no-device
The GPU that was asked for does not exist, or has failed in an earlier call.
@item gpulinalg:forked
A GPU was asked for in a child of @code{fork}.
@item Octave:bad-alloc
There is not enough memory for the result.
@end table

Warnings: @code{gpulinalg:device-memory} and @code{gpulinalg:device-failed}, a GPU had
too little memory or failed, and the CPU did the rest of the work.

@seealso{pagenorm, batcheig, qr_block, pageeig, gpulinalg_info, mtimes}
@end deftypefn)doc")
{
  return gla::guarded ("pagemtimes", [&] () {
    return gla::with_gpu_arrays (args, "a", [&] (const octave_value_list &all) {
      return pagemtimes_body (interp, all, nargout);
    });
  });
}

/*
%!demo
%! ## Light on a mirror of 16 thin layers: the matrices of the layers, multiplied for 500 colours.
%! wavelength = reshape (linspace (350, 850, 500), 1, 1, []);
%! stack = eye (2);
%! for index = repmat ([2.3, 1.46], 1, 8)
%!   phase = pi / 2 * 550 ./ wavelength;
%!   stack = pagemtimes (stack, [cos(phase), 1i * sin(phase) / index; 1i * index * sin(phase), cos(phase)]);
%! endfor
%! fields = pagemtimes (stack, [1; 1.52]);
%! reflected = squeeze (abs (-diff (fields) ./ sum (fields)) .^ 2);
%! printf ("reflected at 550 nm: %.2f %%\n", 100 * interp1 (wavelength(:), reflected, 550));
%! plot (wavelength(:), 100 * reflected, "linewidth", 2);
%! axis ([350, 850, 0, 100]);
%! xlabel ("wavelength in nm");
%! ylabel ("reflected light in %");
%! title ("a mirror of eight pairs of layers");
*/

## -*- texinfo -*-
## @c __gpu_mean__.m: forms of mean of gpuArrays that oct/arrays/gpu_repeat.cc does not do
## @c SPDX-License-Identifier: GPL-3.0-or-later
## @deftypefn {gpulinalg} {@var{y} =} __gpu_mean__ (@var{x}, @dots{})
## Undocumented internal function: @code{mean} of a gpuArray with words such as "omitnan", of an
## empty one, and the errors of forms that there are not.
## @end deftypefn

## Octave's own function does not serve here: its result would be double for single gpuArrays, whose isa (x,
## "single") is false, and from Octave 9 on it calls forms of sum that gpuArrays do not have.

function y = __gpu_mean__ (x, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  are_words = cellfun ("ischar", varargin);
  words = lower (varargin(are_words));
  dim = varargin(! are_words);
  of_all = any (strcmp (words, "all"));
  known = {"all", "omitnan", "includenan", "default", "native", "double"};
  if (! all (ismember (words, known)) || numel (dim) + of_all > 1 || ! all (cellfun (@isscalar, dim)))
    __gpu_array__ ("mean", x, "other"); # the error that names gather
  endif
  as_double = any (strcmp (words, "double")) || ! strcmp (underlyingType (x), "single");
  if (isempty (x))
    ## what that is differs between releases of Octave, and older ones do not know all words
    empty = zeros (size (x), merge (as_double, "double", "single"));
    if (of_all)
      empty = zeros (0, 1, class (empty));
    endif
    y = gpuArray (mean (empty, dim{:}));
    return;
  endif
  if (as_double)
    x = double (x);
  endif
  if (of_all)
    x = reshape (x, [numel(x), 1]);
  endif
  if (isempty (dim))
    dim = {[find(size (x) != 1, 1), 1](1)};
  endif
  if (any (strcmp (words, "omitnan")))
    missing = isnan (x);
    x(missing) = 0;
    y = sum (x, dim{1}) ./ sum (! missing, dim{1});
  else
    y = sum (x, dim{1});
    y = y ./ size (x, gather (dim{1}));
  endif
endfunction

%!error <Invalid call> __gpu_mean__ ()
%!assert (gather (__gpu_mean__ (gpuArray ([1, NaN, 3]), "omitnan")), 2)
%!assert (gather (mean (gpuArray (zeros (0, 3)), "all")), NaN)
%!assert (gather (mean (gpuArray (zeros (0, 3, "single")), "all")), single (NaN))
%!assert (gather (mean (gpuArray (zeros (0, 3)), "omitnan")), mean (zeros (0, 3)))
%!assert (gather (mean (gpuArray (zeros (0, 3)), 2, "omitnan")), mean (zeros (0, 3), 2))

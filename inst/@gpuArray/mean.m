## mean.m: mean of gpuArrays, in their own precision
## SPDX-License-Identifier: GPL-3.0-or-later

function y = mean (x, varargin)
  y = builtin ("mean", x, varargin{:});
  ## Octave's function takes the class from isa (x, "single"), which is false of all gpuArrays
  if (isgpuarray (y) && strcmp (underlyingType (x), "single") && ! any (strcmp (varargin, "double")))
    y = single (y);
  endif
endfunction

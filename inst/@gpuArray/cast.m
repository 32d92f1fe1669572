## cast.m: cast of gpuArrays, and to the class of a gpuArray
## SPDX-License-Identifier: GPL-3.0-or-later

function y = cast (x, varargin)
  if (numel (varargin) == 2 && strcmpi (varargin{1}, "like"))
    like = varargin{2};
    name = underlyingType (like);
    to_complex = iscomplex (like) && ! iscomplex (x);
  elseif (numel (varargin) == 1)
    name = gather (varargin{1});
    to_complex = false;
  else
    name = "";
  endif
  if (! ischar (name) || isempty (name) || strcmpi (name, "like"))
    print_usage ("cast");
  endif
  if (! any (strcmp (name, {"double", "single", "logical"})))
    __gpu_array__ (["cast to " name], x); # the error that names gather
  endif
  y = gpuArray (feval (name, x));
  if (to_complex)
    y = complex (y);
  endif
endfunction

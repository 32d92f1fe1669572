## repmat.m: repmat of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function x = repmat (A, varargin)
  times = cellfun (@gather, varargin, "UniformOutput", false);
  if (! isgpuarray (A))
    x = repmat (A, times{:});
    return;
  endif
  if (nargin == 2 && isrow (times{1}))
    n = double (times{1});
    if (isscalar (n))
      n = [n, n];
    endif
  elseif (nargin > 2 && all (cellfun (@numel, times) == 1))
    n = double ([times{:}]);
  else
    n = -1;
  endif
  if (! all (n >= 0 & n == fix (n)))
    n = size (repmat (true, times{:}));  # Octave's errors, and its other forms
  endif
  x = __gpu_array__ ("repmat", A, n);
endfunction

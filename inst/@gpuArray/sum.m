## sum.m: sum of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = sum (x, varargin)
  if (nargin > 1 && ischar (varargin{end}))
    switch (varargin{end})
      case "double"
        x = double (x);
        varargin(end) = [];
      case "native"
        ## of logical arrays that is another function, which __gpu_array__ refuses
        if (! islogical (x))
          varargin(end) = [];
        endif
    endswitch
  endif
  if (nargin < 1)
    print_usage ();
  endif
  y = __gpu_array__ ("sum", x, varargin{:});
endfunction

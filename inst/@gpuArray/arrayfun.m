## arrayfun.m: arrayfun of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = arrayfun (varargin)
  while (nargin > 2 && numel (varargin) > 2 && ischar (varargin{end-1}))
    if (! strcmpi (varargin{end-1}, "UniformOutput") || ! varargin{end})
      error ("gpulinalg:gather-needed", 'arrayfun: with gpuArrays there is no option "%s"', varargin{end-1});
    endif
    varargin(end-1:end) = [];
  endwhile
  varargout = cell (1, max (nargout, 1));
  [varargout{:}] = __gpu_array__ ("arrayfun", varargin{:});
endfunction

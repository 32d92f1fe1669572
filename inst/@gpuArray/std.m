## std.m: standard deviation of a gpuArray
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = std (varargin)
  [varargout{1:max (nargout, 1)}] = __gpu_array__ ("std", varargin{:});
endfunction

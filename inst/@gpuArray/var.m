## var.m: variance of a gpuArray
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = var (varargin)
  [varargout{1:max (nargout, 1)}] = __gpu_array__ ("var", varargin{:});
endfunction

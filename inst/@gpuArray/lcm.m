## lcm.m: says that gpuArrays have no lcm
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = lcm (varargin)
  varargout = {__gpu_array__("lcm", gpuArray (0))}; # the error that names gather
endfunction

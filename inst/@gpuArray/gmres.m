## gmres.m: says that gpuArrays have no gmres; Octave's own would take that error for a singular preconditioner
## SPDX-License-Identifier: GPL-3.0-or-later

function varargout = gmres (varargin)
  varargout = {__gpu_array__("gmres", gpuArray (0))}; # the error that names gather
endfunction

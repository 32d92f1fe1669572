% tests/octave/code_is_limited.m: whether the GPU runs code for compute capability 7.5
% SPDX-License-Identifier: GPL-3.0-or-later
%
% Such code has no products of pages, nor what needs them, and says so (doc/user-guide.md, Where does it run). The name
% of the build tells.

function limited = code_is_limited ()
  limited = ! isempty (regexpi (getenv ("GPULINALG_GPU_LABEL"), '^(PTX 75|compute 7\.5 )', "once"));
endfunction

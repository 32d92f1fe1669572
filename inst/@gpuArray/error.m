## error.m: error with gpuArrays in its text, whose elements it copies to the host
## SPDX-License-Identifier: GPL-3.0-or-later

function error (varargin)
  varargin = cellfun (@gather, varargin, "UniformOutput", false);
  try
    error (varargin{:});
  catch err
    ## the error is the caller's, not of this file
    rethrow (struct ("message", err.message, "identifier", err.identifier, "stack", err.stack(2:end)));
  end_try_catch
endfunction

## __gpu_of_matrix__.m: functions on pages for functions of one matrix, such as inv, that are called with a gpuArray
## SPDX-License-Identifier: GPL-3.0-or-later
##
## [...] = __gpu_of_matrix__ (who, f): the outputs of f (), which calls a function on pages with a single page. Errors
## are in the name of `who` and speak of a matrix. Where the page fails, there is no warning: the caller gives its own.

function varargout = __gpu_of_matrix__ (who, f)

  warning ("off", "gpulinalg:pages-failed", "local");
  try
    [varargout{1:nargout}] = __gpu_in_name_of__ (who, f);
  catch err
    err.message = regexprep (err.message, '^(\w+): page 1( of \w)? is', "$1: the matrix is");
    rethrow (err);
  end_try_catch

endfunction

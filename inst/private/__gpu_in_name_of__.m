## __gpu_in_name_of__.m: errors of functions on pages in the name of the function that was called
## SPDX-License-Identifier: GPL-3.0-or-later
##
## [...] = __gpu_in_name_of__ (who, f): the outputs of f (). The name at the beginning of an error becomes `who`.

function varargout = __gpu_in_name_of__ (who, f)

  try
    [varargout{1:nargout}] = f ();
  catch err
    text = regexprep (err.message, '^\w+: ', [who ": "]);
    error (struct ("message", text, "identifier", err.identifier, "stack", err.stack));
  end_try_catch

endfunction

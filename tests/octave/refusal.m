% tests/octave/refusal.m: whether a call fails with a message that says why
% SPDX-License-Identifier: GPL-3.0-or-later
%
% counts = refusal (call, text) is [1, 0] if the error message of call () has the text, and [0, 1] if not
% or if there is no error.

function counts = refusal (call, text)
  counts = [0, 1];
  try
    call ();
  catch err
    counts = ! isempty (strfind (err.message, text)) == [1, 0];
  end_try_catch
endfunction

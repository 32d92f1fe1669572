% tests/octave/compare_gpu_arrays.m: a function of gpuArrays beside that of arrays of the host
% SPDX-License-Identifier: GPL-3.0-or-later
%
% result = compare_gpu_arrays (name, f, args, tol, outputs, which): f of the host's arguments, and with some of them as
% gpuArrays, those of each row of `which`. Classes, sizes and values must be the same, to tol units of eps, and
% gpuArrays the result; an error must be one on both sides. Counts in the global counts_of_gpu_arrays.

function result = compare_gpu_arrays (name, f, args, tol, outputs = 1, which = true (1, numel (args)))
  global counts_of_gpu_arrays;
  [out, err] = attempt (f, args, outputs);
  result = {};
  for row = which.'
    on_gpu = args;
    on_gpu(row) = cellfun (@gpuArray, args(row), "uniformoutput", false);
    [gpu, gpu_err] = attempt (f, on_gpu, outputs);
    result = gpu;
    good = isempty (err) == isempty (gpu_err) && all (cellfun (@isgpuarray, gpu) | ! isempty (err));
    if (good && isempty (err))
      gpu = cellfun (@gather, gpu, "uniformoutput", false);
      good = all (cellfun (@(a, b) close_to (a, b, tol), gpu, out));
    endif
    counts_of_gpu_arrays += [good, ! good];
    if (! good && counts_of_gpu_arrays(2) <= 40)
      printf ("FAILED %s (%s), gpuArrays %s: %s, not %s %s\n", name, strjoin (cellfun (@shown, args, "uniformoutput", false), "; "), ...
              num2str (row.'), ifelse (gpu_err, gpu), ifelse (err, out), differs (gpu, out));
    endif
  endfor
endfunction

% The outputs of f (args{:}), or the error.
function [out, err] = attempt (f, args, outputs)
  out = cell (1, outputs);
  err = "";
  try
    [out{:}] = f (args{:});
  catch e
    err = [e.identifier, ": ", e.message];
  end_try_catch
endfunction

function good = close_to (a, b, tol)
  good = strcmp (class (a), class (b)) && isequal (size (a), size (b)) && iscomplex (a) == iscomplex (b);
  if (! good || isempty (a))
    return;
  endif
  if (islogical (a))
    good = isequal (a, b);
    return;
  endif
  scale = abs (b(:));
  parts = [real(b(:)), imag(b(:))];
  parts(! isfinite (parts)) = 0;
  scale(! isfinite (scale)) = max (abs (parts(! isfinite (scale),:)), [], 2);
  tol *= eps (class (a)) * max (scale, realmin);
  good = near (real (a(:)), real (b(:)), tol) && near (imag (a(:)), imag (b(:)), tol);
endfunction

function good = near (a, b, tol)
  same = a == b | (isnan (a) & isnan (b));
  good = all (same | abs (a - b) <= tol);
endfunction

function text = shown (v)
  text = sprintf ("%s%s %s", class (v), {"", " complex"}{1 + iscomplex(v)}, strjoin (arrayfun (@num2str, size (v), "uniformoutput", false), "x"));
endfunction

function text = ifelse (err, out)
  if (isempty (err))
    text = strjoin (cellfun (@shown, out, "uniformoutput", false), "; ");
  else
    text = err;
  endif
endfunction

% The first element that is not the same.
function text = differs (gpu, out)
  text = "";
  for k = 1:numel (out)
    a = gather (gpu{k});
    b = out{k};
    if (isequal (size (a), size (b)) && isnumeric (a) && isnumeric (b))
      at = find (! (a(:) == b(:) | (isnan (a(:)) & isnan (b(:)))), 1);
      if (! isempty (at))
        text = sprintf ("at %d: %s, not %s", at, num2str (a(at), 17), num2str (b(at), 17));
        return;
      endif
    endif
  endfor
endfunction

% tests/octave/check_gpu_order.m: functions on pages of gpuArrays in the order of all other work on them
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [passed, failed] = check_gpu_order (). Functions on pages return before their work is done. With "progress" they have
% another context, and wait: the results must have the same bits. Arguments are new, are changed and forgotten at once,
% and their memory is used again; calls have one chunk of pages, or several.

function [passed, failed] = check_gpu_order ()
  global counts_of_gpu_arrays;
  counts_of_gpu_arrays = [0, 0];
  if (gpuDeviceCount () > 0)
    rand ("twister", 46);
    for type = "dz"
      for shape = [3, 16, 40, 130, 300; 50000, 20000, 3000, 400, 300]
        one_size (type, shape(1), shape(2));
      endfor
    endfor
    chains ();
  endif
  passed = counts_of_gpu_arrays(1);
  failed = counts_of_gpu_arrays(2);
endfunction

function one_size (type, n, pages)
  A = rand (n, n, pages) - 0.5;
  if (type == "z")
    A = complex (A, rand (n, n, pages) - 0.5);
  endif
  A += 2 * sqrt (n) * full (eye (n));
  S = A + conj (permute (A, [2, 1, 3]));
  calls = {"product", @(A, S, varargin) pagemtimes(A, "none", S, "ctranspose", varargin{:}); "norms", @(A, S, varargin) pagenorm(A, 1, varargin{:}); ...
           "factors", @(A, S, varargin) qr_block(A, varargin{:}); "values", @(A, S, varargin) batcheig(S, varargin{:}); ...
           "vectors", @(A, S, varargin) batcheig(S, "largest", 2, "matrix", varargin{:}); "singular values", @(A, S, varargin) batchsvd(A, varargin{:})};
  if (n <= 256)
    calls(end+1:end+2,:) = {"solutions", @(A, S, varargin) pagemldivide(A, S, varargin{:}); "inverses", @(A, S, varargin) pageinv(S, varargin{:})};
  endif
  for k = 1:rows (calls)
    f = calls{k,2};
    expected = gather (f (gpuArray (A), gpuArray (S), "progress", false));
    good = true;
    for again = 1:3
      x = gpuArray (A) .* 1;
      y = gpuArray (S) + 0;
      z = f (x, y);
      x(:) = NaN;
      y = y * NaN;
      x = y = [];
      x = gpuArray (A) * NaN;
      good = good && isequal (gather (z), expected);
    endfor
    count_gpu_check (sprintf ("%s of %d pages %d x %d of type %s in order", calls{k,1}, pages, n, n, type), good);
  endfor
endfunction

% Many calls one after the other, each with the result of the last one: more than may be unfinished at a time.
function chains ()
  Q = qr_block (gpuArray (rand (24, 24, 500)));
  [Q, ~] = qr_block (gpuArray (rand (24, 24, 500)), 0);
  X = Y = Q;
  for k = 1:40
    X = pagemtimes (X, Q);
    Y = pagemtimes (Y, Q, "progress", false);
  endfor
  count_gpu_check ("40 products in a row", isequal (gather (X), gather (Y)));
  x = gpuArray (ones (16, 1, 1000));
  M = gpuArray (rand (16, 16, 1000));
  for k = 1:30
    x = pagemtimes (M, x);
    x = x ./ pagenorm (x);
  endfor
  y = gpuArray (ones (16, 1, 1000));
  for k = 1:30
    y = pagemtimes (M, y, "progress", false);
    y = y ./ pagenorm (y, "progress", false);
  endfor
  count_gpu_check ("the power method", isequal (gather (x), gather (y)));
endfunction

% tests/octave/check_spmv.m: spmv on matrices of every shape, compared with A*x
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [passed, failed] = check_spmv (device, quick). The error of each entry of y must be at most 2 n eps times the
% sum of the moduli of its terms: in four types, for matrices and plans, A, A.' and A', 0 to 9 vectors. A
% second run must give the same bits. A GPU is tested with all methods; on the CPU, which has one method, and
% with `quick` each case has one precision only.

function [passed, failed] = check_spmv (device, quick = false)
  rand ("twister", 1);
  counts = [0, 0];
  kinds = {"real", "complex", "pattern", "logical"};
  list = hard_sparse ();
  for c = 1:numel (list)
    [name, A] = list{c}{:};
    for kind = 1:4
      for single_ = [false, true]
        if ((quick || strcmp (device, "cpu")) && mod (c + kind, 2) != single_)
          continue;
        endif
        label = sprintf ("%s %s %s %s", name, kinds{kind}, {"double", "single"}{1 + single_}, device);
        counts += one_matrix (as_kind (A, kinds{kind}), single_, label, device);
      endfor
    endfor
  endfor
  passed = counts(1);
  failed = counts(2);
endfunction

% {name, matrix}: lengths of rows around the cutoffs between a thread, a warp and a block.
function list = hard_sparse ()
  list = {{"1x1", sparse(3)}, {"empty rows", sparse(50, 70)}, {"0x5", sparse(0, 5)}, {"5x0", sparse(5, 0)}, ...
          {"diagonal", spdiags((1:1000).', 0, 1000, 1000)}, {"wide", sprand(3, 5000, 0.3)}, ...
          {"tall", sprand(5000, 3, 0.3)}, {"random", sprand(2000, 1500, 0.01)}, {"full", sparse(rand(130) - 0.5)}};
  A = sprand (3000, 3000, 0.001);                       # every other row empty
  A(1:2:end,:) = 0;
  list{end+1} = {"empty and short rows", A};
  lengths = [0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 2048, 2500];
  A = sparse (numel (lengths), 2500);
  for i = 1:numel (lengths)
    A(i,randperm (2500, lengths(i))) = rand (1, lengths(i)) - 0.5;
  endfor
  list{end+1} = {"all lengths", A};
  A = sprand (20000, 40000, 2e-4);                      # one row of 35 000
  A(777,1:35000) = rand (1, 35000) - 0.5;
  list{end+1} = {"a long row", A};
  list{end+1} = {"a graph", ba_graph(3000, 3)};
  list{end+1} = {"a grid", grid_laplacian(40)};
endfunction

function A = grid_laplacian (m)
  T = spdiags (ones (m, 1) * [-1, 2, -1], -1:1, m, m);
  A = kron (T, speye (m)) + kron (speye (m), T);
endfunction

function A = as_kind (A, kind)
  switch (kind)
    case "complex"
      [i, j, x] = find (A);
      A = sparse (i, j, complex (x, 1 - x), rows (A), columns (A));
    case "pattern"
      A = -1.25 * (A != 0);
    case "logical"
      A = A != 0;
  endswitch
endfunction

function counts = one_matrix (A, single_, label, device)
  counts = [0, 0];
  function check (ok, varargin)
    counts += [ok, ! ok];
    if (! ok)
      printf ("FAILED %s: %s\n", label, sprintf (varargin{:}));
    endif
  endfunction
  function product (P, x, op, what)
    B = A;
    if (! isempty (op))
      B = feval (op{1}, double (A));
    endif
    y = spmv (P, x, op{:}, "device", device);
    wanted = B * double (x);
    bound = (2 * columns (B) + 4) * double (eps (class (x))) * (abs (B) * abs (double (x)));
    off = abs (double (y) - wanted);
    check (isequal (size (y), size (wanted)) && isa (y, class (x)) && all ((off <= bound)(:)), ...
           "%s, %d vectors, %s: off by %g", what, columns (x), strjoin ({"A", op{:}}, " "), worst (off));
    check (isequal (spmv (P, x, op{:}, "device", device), y), "%s, %d vectors: another run has other bits", ...
           what, columns (x));
  endfunction
  try
    how = {"device", device, "precision", {"double", "single"}{1 + single_}};
    class_ = how{4};
    P = spmv_plan (A, how{:});
    for b = [1, 0, 2:9]
      x = cast (rand (columns (A), b) - 0.5, class_);
      product (P, x, {}, "plan");
    endfor
    x = cast (complex (rand (columns (A), 3) - 0.5, rand (columns (A), 3)), class_);
    product (P, x, {}, "plan, complex x");
    x = cast (rand (rows (A), 2) - 0.5, class_);
    product (P, x, {"transpose"}, "plan");
    product (P, x, {"ctranspose"}, "plan");
    x = cast (rand (columns (A), 1) - 0.5, class_);
    product (A, x, {}, "matrix");
    for method = {"scalar", "vector", "group", "balanced"}(1:4*! strcmp (device, "cpu"))
      product (spmv_plan (A, how{:}, "method", method{1}), x, {}, method{1});
      product (spmv_plan (A, how{:}, "method", method{1}), [x, x, x, x], {}, method{1});
    endfor
  catch err
    check (false, "[%s] %s", err.identifier, err.message);
  end_try_catch
endfunction

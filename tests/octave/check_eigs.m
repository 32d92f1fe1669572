% tests/octave/check_eigs.m: eigs_lanczos on matrices whose eigenvalues are known
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [passed, failed] = check_eigs (device, quick). Errors of values must be at most 1e-12 times the norm (1e-4
% in single), residuals at most 1e-12 |A|, vectors orthonormal, multiple eigenvalues complete, the order
% that of eigs, and the bits the same in another run. `quick`: closed forms and types only.

function [passed, failed] = check_eigs (device, quick = false)
  counts = [0, 0];
  for c = closed_forms ()
    [name, A, w] = c{1}{:};
    for sigma = {"la", "sa", "lm", "be", "sm", 0.3}
      more = {"maxit", 3000};           # ends of dense spectra, without a factorization
      if (! any (strcmp (sigma{1}, {"la", "sa", "lm", "be"})))
        more = {};
      endif
      counts += one_case (A, w, 7, sigma{1}, [name, " " device], device, 1e-12, more{:});
    endfor
  endfor
  counts += types_and_scales (device);
  if (! quick)
    counts += methods (device);
    counts += references (device);
  endif
  passed = counts(1);
  failed = counts(2);
endfunction

% {name, A, all eigenvalues}
function list = closed_forms ()
  [P, p] = path_graph (60);
  [Q, q] = path_graph (20);
  G = kron (P, speye (20)) + kron (speye (60), Q);
  g = (p + q.')(:);
  [P, p] = path_graph (600);
  list = {{"path", P, p}, {"grid", G, g}};
  n = 700;
  star = sparse (n, n);
  star(1,2:n) = star(2:n,1) = 1;
  list{end+1} = {"star", star, [-sqrt(n - 1); zeros(n - 2, 1); sqrt(n - 1)]};
  list{end+1} = {"complete", sparse(ones (400) - eye (400)), [-ones(399, 1); 399]};
  B = sparse (ones (300, 150));
  list{end+1} = {"bipartite", [sparse(300, 300), B; B.', sparse(150, 150)], ...
                 [-sqrt(45000); zeros(448, 1); sqrt(45000)]};
  list{end+1} = {"identity", speye(500), ones(500, 1)};
  list{end+1} = {"zero", sparse(500, 500), zeros(500, 1)};
  list{end+1} = {"diagonal", spdiags((1:500).', 0, 500, 500), (1:500).'};
  x = (1:400).' / 100;
  list{end+1} = {"rank 1", sparse(x * x'), [zeros(399, 1); x' * x]};
  for copies = [2, 5, 8]
    [R, r] = path_graph (floor (900 / copies));
    list{end+1} = {sprintf("%d copies", copies), kron(speye (copies), R), repmat(r, copies, 1)};
  endfor
  isolated = blkdiag (P, sparse (30, 30));
  list{end+1} = {"isolated nodes", isolated, [p; zeros(30, 1)]};
  small = ba_graph (40, 2);
  list{end+1} = {"n = 40", small, eig(full (small))};
endfunction

function [A, lambda] = path_graph (n)
  A = spdiags (ones (n, 1) * [-1, 2, -1], -1:1, n, n);
  A(1,1) = A(n,n) = 1;
  lambda = 2 - 2 * cos (pi * (0:n-1).' / n);
endfunction

% The k of the eigenvalues w that sigma names, in the order of eigs.
function d = chosen (w, k, sigma)
  w = sort (w(:));
  switch (sigma)
    case "la"
      d = flipud (w)(1:k);
    case "sa"
      d = w(1:k);
    case "be"
      d = w([1:floor(k / 2), end-ceil(k / 2)+1:end]);
    case "lm"
      [~, order] = sort (-abs (w));
      d = w(order(1:k));
    otherwise
      if (ischar (sigma))
        sigma = 0;
      endif
      [~, order] = sort (abs (w - sigma));
      d = flipud (sort (w(order(1:k))));
  endswitch
endfunction

% Values are compared by their distance from sigma, because of two equally far ones either is right.
function off = difference (d, wanted, sigma)
  if (ischar (sigma) && any (strcmp (sigma, {"la", "sa", "be"})))
    off = abs (d - wanted);
  elseif (strcmp (sigma, "lm"))
    off = abs (abs (d) - abs (wanted));
  else
    if (ischar (sigma))
      sigma = 0;
    endif
    off = [abs(sort (abs (d - sigma)) - sort (abs (wanted - sigma))); max(0, diff (d))];
  endif
endfunction

function counts = one_case (A, w, k, sigma, label, device, tol = 1e-12, varargin)
  counts = [0, 0];
  label = sprintf ("%s, %s", label, num2str (sigma));
  function check (ok, varargin)
    counts += [ok, ! ok];
    if (! ok)
      printf ("FAILED %s: %s\n", label, sprintf (varargin{:}));
    endif
  endfunction
  try
    [V, D, flag, stats] = eigs_lanczos (A, k, sigma, "device", device, varargin{:});
    norm_ = max ([abs(w(:)); realmin() / tol]);
    d = double (diag (D));
    off = worst (difference (d, chosen (w, k, sigma), sigma)) / norm_;
    check (flag == 0 && off <= tol, "flag %d, values off by %g", flag, off);
    e = 2 ^ -round (log2 (norm_));
    R = (A * e) * double (V) - double (V) .* (d.' * e);
    check (norm (R, "fro") <= sqrt (k) * tol, "residual %g", norm (R, "fro"));
    check (norm (double (V)' * double (V) - eye (k), "fro") <= tol, "orthogonality %g", norm (double (V)' * double (V) - eye (k), "fro"));
    check (stats.complete, "not said to be complete");
    [V2, D2] = eigs_lanczos (A, k, sigma, "device", device, varargin{:});
    check (isequaln (V, V2) && isequaln (D, D2), "another run has other bits");
  catch err
    check (false, "[%s] %s", err.identifier, err.message);
  end_try_catch
endfunction

function counts = types_and_scales (device)
  counts = [0, 0];
  [P, p] = path_graph (800);
  G = ba_graph (800, 3, 5);
  H = G + 1i * triu (G) - 1i * tril (G);
  g = eig (full (G));
  h = eig (full (H));
  for sigma = {"la", "sa", "lm", "be", "sm", -1.2}
    counts += one_case (H, h, 6, sigma{1}, ["complex " device], device);
    counts += one_case (G, g, 6, sigma{1}, ["logical " device], device);
  endfor
  for sigma = {"la", "sa", "lm", "be"}
    counts += one_case (G, g, 5, sigma{1}, ["single " device], device, 1e-5, "precision", "single");
    counts += one_case (H, h, 5, sigma{1}, ["single complex " device], device, 1e-5, "precision", "single");
    for scale = [1e200, 1e-200]
      counts += one_case (P * scale, p * scale, 5, sigma{1}, sprintf ("path * %g %s", scale, device), device, ...
                          1e-12, "maxit", 3000);
    endfor
  endfor
  for scale = [1e200, 1e-200]
    counts += one_case (P * scale, p * scale, 5, "sm", sprintf ("path * %g %s", scale, device), device);
    counts += one_case (P * scale, p * scale, 5, 0.77 * scale, sprintf ("path * %g %s", scale, device), device);
  endfor
endfunction

% Blocks, seeds, start vectors and functions; "plain" finds each multiple value once.
function counts = methods (device)
  counts = [0, 0];
  G = ba_graph (3000, 3, 9);
  g = eigs (G, 40, "la", struct ("p", 120));
  for option = {"block", 1; "block", 2; "block", 4; "block", 8; "seed", 12345; "p", 24; "v0", ones(3000, 1)}.'
    counts += one_case (G, g, 8, "la", ["BA graph " option{1} " " device], device, 1e-12, option{:});
  endfor
  [P, p] = path_graph (500);
  for sigma = {"la", "sa", "lm", "be"}
    try
      [V, D, flag] = eigs_lanczos (P, 4, sigma{1}, "method", "plain", "device", device);
      ok = flag == 0 && worst (difference (diag (D), chosen (p, 4, sigma{1}), sigma{1})) < 1e-11 && ...
           norm (P * V - V * D) < 1e-10;
      d = eigs_lanczos (@(x) P * x, 500, 4, sigma{1}, "device", device);
      good = worst (difference (d, chosen (p, 4, sigma{1}), sigma{1})) < 1e-11;
    catch err
      printf ("[%s] %s\n", err.identifier, err.message);
      ok = good = false;
    end_try_catch
    counts += [ok + good, 2 - ok - good];
    if (! (ok && good))
      printf ("FAILED plain (%d), function (%d), %s %s\n", ok, good, sigma{1}, device);
    endif
  endfor
endfunction

function counts = references (device)
  counts = [0, 0];
  for c = reference_eigs ()
    for sigma = {"la", "sa", "be"}
      w = [c.sa, fliplr(c.la)];
      counts += one_case (c.A, w, 10, sigma{1}, [c.name, " " device], device);
    endfor
    if (strcmp (c.name, "bcsstk13"))
      ## relative to the eigenvalues, which are 1e-10 of the norm
      d = flipud (eigs_lanczos (c.A, 10, "sm", "device", device));
      s = eigs_lanczos (c.A, 10, "sa", "device", device);
      ok = worst (abs ([d; s] ./ [c.sa, c.sa].' - 1)) < 1e-8 && worst (abs (d ./ s - 1)) < 1e-9;
      counts += [ok, ! ok];
      if (! ok)
        printf ("FAILED bcsstk13 %s: the smallest are off by %g\n", device, worst (abs ([d; s] ./ [c.sa, c.sa].' - 1)));
      endif
    endif
  endfor
endfunction

% Matrices and their ten largest and ten smallest eigenvalues: a struct array of name, A, la (descending) and sa
% (ascending). The values are right to about 10 eps times the norm. The matrices from applications are those of
% tests/data; LAPACK computed the eigenvalues of the full matrices. The others are Cartesian products of two graphs
% with power laws, n above 20 000; their eigenvalues are all sums of an eigenvalue of each.
function cases = reference_eigs ()
  cases = reference_files ();
  for c = 1:numel (cases)
    cases(c).A = stored_matrix (cases(c).name);
    if (! isequal ([rows(cases(c).A), nnz(cases(c).A)], cases(c).sizes))
      error ("%s is not what the reference values are of", cases(c).name);
    endif
  endfor
  cases = [rmfield(cases, "sizes"), reference_products(cases(1).A)];
endfunction

function cases = reference_products (karate)
  pairs = {karate, ba_graph(600, 3, 11); ba_graph(150, 3, 2), ba_graph(140, 4, 3)};
  names = {"karate and a grown graph", "two grown graphs"};
  cases = struct ("name", names, "la", [], "sa", [], "A", []);
  for c = 1:2
    [F, G] = pairs{c,:};
    w = sort ((eig (full (F)) + eig (full (G)).')(:));
    cases(c).la = w(end:-1:end-9).';
    cases(c).sa = w(1:10).';
    cases(c).A = kron (F, speye (rows (G))) + kron (speye (rows (F)), G);
  endfor
endfunction

function cases = reference_files ()
  cases = struct ("name", {}, "sizes", {}, "la", {}, "sa", {}, "A", {});
  cases(end+1) = struct ("name", "karate", "sizes", [34, 156], ...
         "la", [6.725697727631732, 4.977074233288338, 2.916506704920645, 2.309087666433826, ...
                1.486159536878384, 1.453055662802254, 1.083286390335764, 1.031450424607745, ...
                0.8343041021610103, 0.6158405889899646], ...
         "sa", [-4.487229194162257, -3.447934857958801, -3.11069091665173, -2.43742442656863, ...
                -2.090822954776476, -2.000000000000002, -1.68768944754521, -1.444073735182364, ...
                -1.192424245837234, -1.042087854991448], "A", []);
  cases(end+1) = struct ("name", "jagmesh7", "sizes", [1138, 7450], ...
         "la", [6.844462001778321, 6.834873915106285, 6.823917396187382, 6.818557404420304, ...
                6.764149112587193, 6.728276158253321, 6.695596514023073, 6.690161799671444, ...
                6.685731516905441, 6.675558259260521], ...
         "sa", [-1.928078195778204, -1.920928686067478, -1.919144816536818, -1.91772275798992, ...
                -1.913435798534899, -1.91076490593973, -1.909360898835371, -1.894728205103053, ...
                -1.889733226265418, -1.880211152419283], "A", []);
  cases(end+1) = struct ("name", "bcsstk13", "sizes", [2003, 83883], ...
         "la", [3114811969167.265, 3088185879807.315, 2284906012917.94, 2151303495436.364, ...
                2042665952476.082, 1608550300869.615, 1448267202528.038, 1299825294901.3, ...
                1244024944850.382, 1095672588880.136], ...
         "sa", [284.3328127343106, 406.1008457552566, 419.4460519940398, 583.3365955504172, ...
                719.8636433942505, 837.4055472484615, 950.4181420879846, 961.4360793771832, ...
                1525.127686226484, 1551.985916436106], "A", []);
endfunction

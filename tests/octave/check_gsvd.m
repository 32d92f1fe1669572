% tests/octave/check_gsvd.m: gsvd_hz on every class of hard pair, in every form
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [passed, failed] = check_gsvd (device, shapes, types, choices). For each row [m, n, p] of shapes and
% each type all classes of hard_pairs are one batch. choices has rows of method, blocking and ordering; with
% each, residuals, orthogonality and c^2 + s^2 (gsvd_ratios) must be within 10 max (m, n, p) eps, and the
% relative errors of known values within 10 max (m, n, p) eps kappa. The values must have the same bits in
% all forms, in another run, and for a page alone. Sizes above 70 get fewer classes.
%
% [passed, failed] = check_gsvd (device). The calls of the progress function, and the device in stats.

function [passed, failed] = check_gsvd (device, shapes, types = "zdcs", choices = {"auto", "bo", "me"})
  if (nargin == 1)
    [passed, failed] = sweeps_of (device);
    return;
  endif
  counts = [0, 0];
  for shape = shapes.'
    for type = types
      rand ("twister", 1);
      label = sprintf ("%d,%dx%d %s %s", shape, type, device);
      pairs = cell (1, 5);
      [pairs{:}] = hard_pairs (shape(1), shape(2), shape(3), type);
      if (max (shape) > 70)
        pairs = some_of (pairs, {"random", "known", "huge A, tiny B", "a zero column in both", ...
                                 "values over 25 decades", "kappa (X) 1e8", "kappa (X) 1e3"});
      endif
      for row = 1:rows (choices)
        counts += one_case (pairs, label, device, choices(row,:), row == 1);
      endfor
      counts += not_finite (pairs{1:2}, label, device);
      counts += beyond_range (type, pairs{1:2}, label, device);
      counts += like_real (type, pairs, label, device);
    endfor
  endfor
  passed = counts(1);
  failed = counts(2);
endfunction

function pairs = some_of (pairs, names)
  keep = ismember (pairs{3}, names);
  pairs = {pairs{1}(:,:,keep), pairs{2}(:,:,keep), pairs{3}(keep), pairs{4}(:,keep), pairs{5}(keep)};
endfunction

function counts = one_case (pairs, label, device, choice, all_forms)
  counts = [0, 0];
  [A, B, names, sigma, kappa] = pairs{:};
  label = strjoin ([label, choice], " ");
  function check (ok, varargin)
    counts += [ok, ! ok];
    if (! ok)
      printf ("FAILED %s: %s\n", label, sprintf (varargin{:}));
    endif
  endfunction
  function check_ratios (form, varargin)
    worst = gsvd_ratios (A, B, varargin{:});
    [~, at] = max (max (worst, [], 2));
    check (all (worst(:) <= 10), "%s: ratios %s on %s", form, mat2str (worst(at,:), 3), names{at});
  endfunction
  try
    [m, p, P] = size (A);
    n = rows (B);
    q = min (m + n, p);
    options = {"device", device, "method", choice{1}, "blocking", choice{2}, "ordering", choice{3}};
    [U, V, X, C, S, stats] = gsvd_hz (A, B, options{:});
    check_ratios ("full", U, V, X, C, S);
    values = gsvd_hz (A, B, options{:});
    [worst, at] = worst_value (values, sigma, kappa, 10 * max ([m, n, p]) * double (eps (class (A))));
    check (worst <= 1, "values are %g times as wrong as they may be on %s", worst, names{at});
    if (! all_forms)
      return;
    endif

    [U2, V2, X2, C2, S2] = gsvd_hz (A, B, options{:});
    check (isequaln ({U, V, X, C, S}, {U2, V2, X2, C2, S2}), "another run has other bits");
    check (isequaln (values, quotients (C, S, m)), "values alone have other bits");
    [U2, V2, X2, C2, S2] = gsvd_hz (A, B, 0, options{:});
    check (isequal (size (U2)(1:2), [m, min(m, q)]) && isequal (size (V2)(1:2), [n, min(n, q)]), ...
           "economy: U is %s and V is %s", mat2str (size (U2)), mat2str (size (V2)));
    check_ratios ("economy", U2, V2, X2, C2, S2);
    check (isequaln ({C2, S2}, {C(1:min (m, q),:,:), S(1:min (n, q),:,:)}), "economy: values have other bits");
    same = alone (A, B, U, V, X, C, S, stats, options);
    check (all (same), "alone these have other bits: %s", strjoin (names(! same), "; "));
  catch err
    check (false, "[%s] %s", err.identifier, err.message);
  end_try_catch
endfunction

% The largest relative error of the known values, as a multiple of tol*kappa.
function [worst, at] = worst_value (values, sigma, kappa, tol)
  values = reshape (double (values), size (sigma));
  off = abs (values - sigma) ./ (sigma * tol .* kappa);
  off(values == sigma | isnan (sigma)) = 0;
  off(isnan (off)) = Inf;
  [worst, at] = max (max ([off; zeros(1, columns (off))], [], 1));
endfunction

function values = quotients (C, S, m)
  [~, q, P] = size (C);
  values = zeros (q, 1, P, class (C));
  for k = 1:P
    [c, s] = deal (zeros (q, 1, class (C)));
    for j = 1:q
      i = j - max (0, q - m);
      if (i >= 1)
        c(j) = C(i,j,k);
      endif
      if (j <= rows (S))
        s(j) = S(j,j,k);
      endif
    endfor
    values(:,1,k) = c ./ s;
  endfor
endfunction

% Whether pages have the same bits and statistics when they are solved alone; only a few large pages.
function same = alone (A, B, U, V, X, C, S, stats, options)
  P = size (A, 3);
  same = true (1, P);
  for k = 1:(1 + (columns (A) > 40) * floor (P / 3)):P
    [a, b] = deal (A(:,:,k), B(:,:,k));
    if (iscomplex (A) || iscomplex (B))
      [a, b] = deal (complex (a), complex (b));     # Octave makes a page with no imaginary part real, as an empty A
    endif
    [u, v, x, c, s, t] = gsvd_hz (a, b, options{:});
    same(k) = isequaln ({u, v, x, c, s}, {U(:,:,k), V(:,:,k), X(:,:,k), C(:,:,k), S(:,:,k)}) && ...
              t.sweeps == stats.sweeps(k) && isequal (t.rotations, stats.rotations(1:t.sweeps,k)) && ...
              strcmp (t.method, stats.method{k});
  endfor
endfunction

% NaN or Inf in a page makes its results NaN, and the other pages keep their bits.
function counts = not_finite (A, B, label, device)
  counts = [0, 0];
  if (isempty (A) || isempty (B))
    return;
  endif
  A = A(:,:,[1, 2, 1]);
  B = B(:,:,[1, 2, 1]);
  [m, p, ~] = size (A);
  [U, V, X, C, S] = gsvd_hz (A, B, "device", device);
  for bad = [NaN, Inf, -Inf]
    Y = A;
    Y(ceil (m / 2),ceil (p / 2),2) = bad;
    [u, v, x, c, s, stats] = gsvd_hz (Y, B, "device", device);
    there = {u(:,:,[1, 3]), v(:,:,[1, 3]), x(:,:,[1, 3]), c(:,:,[1, 3]), s(:,:,[1, 3])};
    ok = isequal (there, {U(:,:,[1, 3]), V(:,:,[1, 3]), X(:,:,[1, 3]), C(:,:,[1, 3]), S(:,:,[1, 3])}) && ...
         isequal (stats.info, int32 ([0, p + 1, 0])) && all (isnan ([u(:,:,2)(:); v(:,:,2)(:); x(:,:,2)(:)]));
    counts += [ok, ! ok];
    if (! ok)
      printf ("FAILED %s: %g spreads otherwise than it should\n", label, bad);
    endif
  endfor
endfunction

% A page of which the quotients of the columns' lengths in A and B are too far apart is NaN, and the other pages keep
% their bits.
function counts = beyond_range (type, A, B, label, device)
  counts = [0, 0];
  p = columns (A);
  if (isempty (A) || isempty (B) || p < 2 || ! any (type == "zd"))
    return;
  endif
  A = rand (rows (A), p, 3);
  B = rand (rows (B), p, 3);
  [U, V, X, C, S] = gsvd_hz (A, B, "device", device);
  B(:,:,2) .*= 2 .^ linspace (-300, 300, p);
  [u, v, x, c, s, stats] = gsvd_hz (A, B, "device", device);
  there = {u(:,:,[1, 3]), v(:,:,[1, 3]), x(:,:,[1, 3]), c(:,:,[1, 3]), s(:,:,[1, 3])};
  ok = isequal (there, {U(:,:,[1, 3]), V(:,:,[1, 3]), X(:,:,[1, 3]), C(:,:,[1, 3]), S(:,:,[1, 3])}) && ...
       isequal (stats.info, int32 ([0, 1, 0])) && all (isnan ([u(:,:,2)(:); v(:,:,2)(:); x(:,:,2)(:)]));
  counts += [ok, ! ok];
  if (! ok)
    printf ("FAILED %s: a page beyond the range has info %d\n", label, stats.info(2));
  endif
endfunction

% Complex matrices without imaginary parts have the values of real ones.
function counts = like_real (type, pairs, label, device)
  counts = [0, 0];
  if (! any (type == "sd"))
    return;
  endif
  [A, B, names, sigma, kappa] = pairs{:};
  known = ! any (isnan (sigma), 1);
  A = A(:,:,known);
  B = B(:,:,known);
  tol = 20 * max ([rows(A), rows(B), columns(A)]) * double (eps (class (A)));
  values = gsvd_hz (complex (A), complex (B), "device", device);
  sigma = reshape (double (gsvd_hz (A, B, "device", device)), size (sigma(:,known)));
  [worst, at] = worst_value (values, sigma, kappa(known), tol);
  counts = [worst <= 1, ! (worst <= 1)];
  if (! counts(1))
    printf ("FAILED %s: complex values are %g times as far from real ones as they may be on %s\n", ...
            label, worst, names(known){at});
  endif
endfunction

% For a single pair the progress function must be called once for each sweep in stats, and at the end; a function of two
% arguments only at the end. For pages on a GPU it must be called as often as the page with the most sweeps had sweeps.
function [passed, failed] = sweeps_of (device)
  counts = [0, 0];
  function check (ok, varargin)
    counts += [ok, ! ok];
    if (! ok)
      printf ("FAILED sweeps, device %s: %s\n", num2str (device), sprintf (varargin{:}));
    endif
  endfunction
  for shape = [5, 40, 100, 300, 320; 7, 33, 120, 260, 330; 4, 33, 100, 250, 320]
    [m, n, p] = num2cell (shape){:};
    for type = {@double, @single, @complex}
      for method = {"hz", "tangent"}
        rand ("twister", m);
        A = type{1} (rand (m, p) - 0.5);
        B = type{1} (rand (n, p) - 0.5);
        label = sprintf ("%d,%dx%d %s %s", m, n, p, func2str (type{1}), method{1});
        options = {"device", device, "method", method{1}};
        note ();
        [~, ~, ~, ~, ~, stats] = gsvd_hz (A, B, options{:}, "progress", @note);
        seen = note ();
        s = stats.sweeps;
        check (s > 1 && isequal (seen, [zeros(s, 1), ones(s, 1), (1:s).'; 1, 1, 0]), ...
               "%s: told %s of %d", label, mat2str (seen), s);
      endfor
    endfor
    gsvd_hz (A, B, "device", device, "progress", @(done, total) note (done, total, -1));
    check (isequal (note (), [1, 1, -1]), "%d,%dx%d: two arguments", m, n, p);
  endfor
  A = rand (40, 30, 50) - 0.5;
  B = rand (35, 30, 50) - 0.5;
  [~, ~, ~, ~, ~, stats] = gsvd_hz (A, B, "device", device, "progress", @note);
  seen = note ();
  sweeps = seen(seen(:,3) > 0,3);
  if (strcmp (device, "cpu"))
    wanted = zeros (0, 1);
  else
    wanted = (1:max (stats.sweeps)).';
  endif
  check (isequal (sweeps, wanted) && isequal (seen(end,:), [50, 50, 0]), "pages: told %s", mat2str (seen));

  % pairs that only the CPU computes
  [~, ~, ~, ~, ~, stats] = gsvd_hz (A(1:20,:,:), B, "device", device);
  check (strcmp (stats.device, "cpu") && ! any (stats.info), "m < p");
  [~, ~, ~, ~, ~, stats] = gsvd_hz (A, B(1:20,:,:), "device", device);
  check (strcmp (stats.device, "cpu") && ! any (stats.info), "n < p");
  B(:,4,:) = B(:,3,:);
  [~, ~, ~, ~, ~, stats] = gsvd_hz (A, B, "device", device);
  check (strcmp (stats.device, "cpu") && ! any (stats.info), "B of lower rank");
  passed = counts(1);
  failed = counts(2);
endfunction

% Records its arguments; without arguments returns the records and clears them.
function calls = note (varargin)
  persistent seen = zeros (0, 3);
  calls = seen;
  if (nargin == 3)
    seen(end+1,:) = [varargin{:}];
  else
    seen = zeros (0, 3);
  endif
endfunction

% tests/octave/check_pencils.m: batcheig (A, B) on every class of hard pair
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [passed, failed] = check_pencils (device, sizes, types). For each size and type all classes of hard_pencils
% are one batch. Where B is definite, ratios must be at most 30 and known eigenvalues right to
% 10 n eps |inv (B)| (|A| + |B| |lambda|); where it is singular the page must say so; where rounding decides,
% one or the other. A page must have the same bits alone as in the batch, and one triangle must do.
% "drop" must solve the pair in the space that it keeps, and "swap" find all eigenvalues where A is definite.
% n is at least 2.

function [passed, failed] = check_pencils (device, sizes, types = "zdcs")
  rand ("twister", 1);  randn ("twister", 1);
  passed = failed = 0;
  warning ("off", "gpulinalg:pages-failed", "local");
  for n = sizes
    for type = types
      [A, B, names, lambda, state] = hard_pencils (n, type);
      label = sprintf ("n=%d %s %s", n, type, device);
      for part = {@check_chol, @check_bits, @check_drop, @check_swap}
        try
          texts = part{1} (A, B, names, lambda, state, device);
        catch err
          texts = {sprintf("[%s] %s", err.identifier, err.message)};
        end_try_catch
        bad = ! cellfun (@isempty, texts);
        passed += sum (! bad(:));
        failed += sum (bad(:));
        cellfun (@(text) printf ("FAILED %s: %s\n", label, text), texts(bad));
      endfor
    endfor
  endfor
endfunction

% "" where ok, else the text.
function text = told (ok, text)
  if (ok)
    text = "";
  endif
endfunction

function texts = check_chol (A, B, names, lambda, state, device)
  n = rows (A);
  ulp = double (eps (class (A)));
  [V, D, info, more] = batcheig (A, B, "vector", "device", device);
  [r, o] = pencil_ratios (A, B, V, D);
  texts = {};
  for k = 1:numel (names)
    good = info(k) == 0;
    refused = info(k) > n + 1 && all (isnan (D(:,1,k))) && all (isnan (V(:,:,k)(:))) && more.rank(k) == 0;
    fits = (good && ! isequal (state(k), 0)) || (refused && ! isequal (state(k), 1));
    texts{end+1} = told (fits, sprintf ("%s: info %d", names{k}, info(k)));
    if (! good)
      continue;
    endif
    texts{end+1} = told (r(k) <= 30 && o(k) <= 30, sprintf ("%s: ratios %g %g", names{k}, r(k), o(k)));
    if (! isnan (lambda(1,k)))
      b = double (B(:,:,k));
      bound = 10 * n * ulp * norm (inv (b)) * (norm (double (A(:,:,k))) + norm (b) * abs (lambda(:,k)));
      off = max (abs (double (D(:,1,k)) - lambda(:,k)) ./ (bound + realmin));
      texts{end+1} = told (off <= 1, sprintf ("%s: eigenvalues off by %g of the bound", names{k}, off));
    endif
  endfor
endfunction

function texts = check_bits (A, B, names, lambda, state, device)
  n = rows (A);
  [V, D, info] = batcheig (A, B, "vector", "device", device);
  texts = {};
  for k = [1, 5, 11, numel(names) - 4]
    [v, d, i] = batcheig (A(:,:,k), B(:,:,k), "vector", "device", device);
    same = i == info(k) && (i != 0 || (isequal (v, V(:,:,k)) && isequal (d, D(:,:,k))));
    texts{end+1} = told (same, sprintf ("%s: a page alone has other bits", names{k}));
  endfor
  above = repmat (triu (true (n), 1), [1, 1, size(A, 3)]);
  low = A;
  low(above) = NaN;
  below = B;
  below(above) = NaN;
  [v, d, i] = batcheig (low, below, "vector", "lower", "device", device);
  sure = find (! isnan (state) & info' == 0);
  [r, o] = pencil_ratios (A(:,:,sure), B(:,:,sure), v(:,:,sure), d(:,:,sure));
  texts{end+1} = told (max (r) <= 30 && max (o) <= 30, sprintf ("lower: ratios %g %g", max (r), max (o)));
  texts{end+1} = told (all (i(sure) == 0), "lower: info");
endfunction

% V'*B*V = I and, in the space of V, no residual: V'*A*V = D.
function texts = check_drop (A, B, names, lambda, state, device)
  n = rows (A);
  ulp = double (eps (class (A)));
  t = sqrt (ulp);
  [V, D, info, more] = batcheig (A, B, "vector", "drop", t, "device", device);
  texts = {};
  for k = 1:numel (names)
    r = more.rank(k);
    a = double (A(:,:,k));
    b = double (B(:,:,k));
    mu = eig (b) / norm (b);
    fits = r >= sum (mu > 1.01 * t) && r <= sum (mu > 0.99 * t) && more.count(k) == r;
    texts{end+1} = told (info(k) == 0 && fits, sprintf ("drop, %s: info %d, rank %d", names{k}, info(k), r));
    v = double (V(:,1:r,k));
    d = double (D(1:r,1,k));
    apart = norm (v' * b * v - eye (r)) / (n * ulp * norm (b) * norm (v) ^ 2);
    bound = n * ulp * (norm (a) + max (abs (d)) * norm (b)) * norm (v) ^ 2;
    ritz = norm (v' * a * v - diag (d)) / (bound + realmin);
    texts{end+1} = told (ritz <= 30 && apart <= 30, sprintf ("drop, %s: ratios %g %g", names{k}, ritz, apart));
    texts{end+1} = told (all (isnan (V(:,r+1:end,k)(:))), sprintf ("drop, %s: no NaN behind", names{k}));
  endfor
endfunction

% The pairs whose A is definite: mu is right to 10 n eps |inv (A)| (|B| + |A| mu).
function texts = check_swap (A, B, names, lambda, state, device)
  n = rows (A);
  ulp = double (eps (class (A)));
  positive = all (lambda > 0, 1) | state == 0;
  [V, D, info, more] = batcheig (A(:,:,positive), B(:,:,positive), "vector", "swap", "device", device);
  texts = {};
  for k = 1:sum (positive)
    a = double (A(:,:,positive)(:,:,k));
    b = double (B(:,:,positive)(:,:,k));
    name = names(positive){k};
    if (cond (a) > 0.01 / (n * ulp))
      continue;
    endif
    texts{end+1} = told (info(k) == 0, sprintf ("swap, %s: info %d", name, info(k)));
    [r, o] = pencil_ratios (b, a, fliplr (double (V(:,:,k))), flipud (1 ./ double (D(:,1,k))));
    texts{end+1} = told (max (r, o) * 2.2e-16 <= 30 * ulp, sprintf ("swap, %s: ratios %g %g", name, r, o));
    known = sort (1 ./ lambda(:,positive)(:,k), "descend");
    if (any (isnan (known)))
      known = sort (eig (b, a), "descend");
    endif
    bound = 10 * n * ulp * norm (inv (a)) * (norm (b) + norm (a) * abs (known));
    off = max (abs (1 ./ double (D(:,1,k)) - known) ./ bound);
    texts{end+1} = told (off <= 1, sprintf ("swap, %s: off by %g of the bound", name, off));
    texts{end+1} = told (more.rank(k) == sum (known > n * ulp * max (known)), sprintf ("swap, %s: rank %d", name, more.rank(k)));
  endfor
endfunction

% tests/octave/check_structure.m: a structure's stiffness and mass matrix, from a public collection
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [passed, failed] = check_structure (device). K and M are bcsstk01 and bcsstm01, n = 48; M is diagonal, and 0 for the
% 24 rotations. As (M, K) and as (K, M) with "swap", in all types and pages of several scales, with all eigenvectors and
% with some, the eigenvalues are compared with those of `eig`, and ratios must be at most 30. "chol" must refuse
% (K, M).

function [passed, failed] = check_structure (device)
  warning ("off", "gpulinalg:pages-failed", "local");
  K = full (stored_matrix ("bcsstk01"));
  M = full (stored_matrix ("bcsstm01"));
  texts = {};
  for type = {"double", "single"}
    for unit = [1, 1i]
      texts = [texts, inverse(K, M, unit, type{1}, device), swapped(K, M, unit, type{1}, device)];
    endfor
  endfor
  bad = ! cellfun (@isempty, texts);
  passed = sum (! bad);
  failed = sum (bad);
  cellfun (@(text) printf ("FAILED structure %s: %s\n", device, text), texts(bad));
endfunction

% Pages of another basis, T'*X*T with a unitary diagonal matrix T, and of other scales.
function pages = pages_of (X, unit, type, scales)
  t = unit .^ (0:rows (X) - 1);
  pages = cast (t' .* X .* t .* permute (scales, [1, 3, 2]), type);
endfunction

function text = told (ok, varargin)
  text = "";
  if (! ok)
    text = sprintf (varargin{:});
  endif
endfunction

% M x = mu K x, K definite: all of them, and the 5 slowest vibrations.
function texts = inverse (K, M, unit, type, device)
  n = rows (K);
  A = pages_of (M, unit, type, [1, 8, 1]);
  B = pages_of (K, unit, type, [1, 1, 4]);
  mu = sort (eig (M, K));
  expected = [mu, 8 * mu, mu / 4];
  bound = 10 * n * double (eps (type)) * norm (inv (K)) * (norm (M) + norm (K) * mu);
  bound = [bound, 8 * bound, bound / 4];
  [V, D, info] = batcheig (A, B, "vector", "device", device);
  [v, d, i, more] = batcheig (A, B, "vector", "largest", 5, "device", device);
  [r, o] = pencil_ratios (A, B, V, D);
  off = max (abs (squeeze (double (D)) - expected) ./ bound);
  far = max (abs (squeeze (double (d)) - expected(n-4:n,:)) ./ bound(n-4:n,:));
  texts = {told(all (info == 0) && all (i == 0) && all (more.count == 5), "%s: info", type), ...
           told(max (r) <= 30 && max (o) <= 30, "%s: ratios %g %g", type, max (r), max (o)), ...
           told(max (off) <= 1 && max (far) <= 1, "%s: off by %g and %g of the bound", type, max (off), max (far))};
  for p = 1:3
    w = double (v(:,:,p));
    b = double (B(:,:,p));
    apart = norm (w' * b * w - eye (5)) / (n * double (eps (type)) * norm (b) * norm (w) ^ 2);
    texts{end+1} = told (apart <= 30, "%s: 5 vectors have a ratio of %g", type, apart);
  endfor
endfunction

% K x = lambda M x, M singular: 24 eigenvalues, and 24 that are infinite; or a refusal.
function texts = swapped (K, M, unit, type, device)
  n = rows (K);
  finite = sum (diag (M) > 0);
  mu = sort (eig (M, K), "descend")(1:finite);
  A = pages_of (K, unit, type, [1, 2]);
  B = pages_of (M, unit, type, [1, 1]);
  [V, D, info] = batcheig (A, B, "vector", "swap", "device", device);
  [~, refused, i] = batcheig (A, B, "vector", "device", device);
  d = squeeze (double (D));
  bound = 10 * n * double (eps (type)) * norm (inv (K)) * (norm (M) + norm (K) * mu);
  off = max (abs (1 ./ d(1:finite,:) - [mu, mu / 2]) ./ bound);
  texts = {told(all (info == 0), "swap, %s: info", type), ...
           told(all (i > n + 1) && all (isnan (refused(:))), "%s: a singular mass matrix was taken", type), ...
           told(max (off) <= 1, "swap, %s: off by %g of the bound", type, max (off)), ...
           told(all (isinf (d(finite+1:n,:))(:)), "swap, %s: not all others are infinite", type)};
  for p = 1:2
    a = double (A(:,:,p));
    b = double (B(:,:,p));
    v = double (V(:,1:finite,p));
    residual = norm (columns_of (a * v - b * v .* d(1:finite,p).', v), 1);
    size_ = norm (a) + max (d(1:finite,p)) * norm (b);
    ratio = residual / (n * double (eps (type)) * size_);
    texts{end+1} = told (ratio <= 30, "swap, %s: ratio %g", type, ratio);
  endfor
endfunction

% Columns of R over the norms of those of V.
function R = columns_of (R, V)
  R = R ./ norm (V, "columns");
endfunction

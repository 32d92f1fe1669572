% tests/octave/random_pencil.m: random calls of batcheig with pairs, see random_call
% SPDX-License-Identifier: GPL-3.0-or-later

function c = random_pencil (c)
  c.name = "batcheig";
  n = random_size (1);
  dims = random_size ("pages", 4 * n ^ 2);
  types = "dszc"(randi (4, 1, 1 + (rand () < 0.2)));
  ways = {"chol", "chol", "chol", "swap", "qz", "drop"};
  way = ways{randi (6)};
  [A, B, bad, names] = draw_pair (n, dims, types, way);
  part = {};
  if (rand () < 0.25 && ! strcmp (way, "qz"))
    part = {{"smallest", randi([0, n])}, {"largest", randi([0, n])}, {"interval", sort(randn (1, 2))}, {"interval", [-Inf, Inf]}}{randi (4)};
  endif
  options = random_options ({"phase", {"max", "none"}; "progress", {@(d, t) d <= t}}, 0.15);
  itype = 1;
  method = {{}, {"method", "jacobi"}, {"method", "qr"}}{randi (3)};
  switch (way)
    case "chol"
      itype = 1 + (rand () < 0.2) * randi ([0, 2]);
      how = {{}, {"chol"}, {"itype", itype}}{1 + 2*(itype > 1) + (itype == 1) * (rand () < 0.3)};
      options = [options, method];
    case "drop"
      digits = randi ([3, merge(any (ismember ("sc", types)), 5, 12)]);
      how = {"drop", 10 ^ -digits};
    otherwise
      how = {way};
  endswitch
  form = {{"vector"}, {"matrix"}, {}}{randi (3)};
  c.args = [{A, B}, how, part, form, options];
  c.nout = randi (4);
  c.pages = max (size (A(:,:,:), 3), size (B(:,:,:), 3));
  if (any (size (A(:,:,:), 3) == 0 || size (B(:,:,:), 3) == 0))
    c.pages = 0;
  endif
  c.paged = [1, 2]([size(A(:,:,:), 3), size(B(:,:,:), 3)] == c.pages);
  if (any (strcmp ("interval", part(cellfun (@ischar, part)))) || strcmp (way, "drop"))
    if (! isvector_form (c.args, c.nout))
      c.paged = [];
    endif
  endif
  if (strcmp (way, "qz"))
    c.paged = [];                       # whether V is complex depends on all pages
  endif
  c.kinds = merge (c.nout == 1, "p", "ppcs");
  c.wrong = {{"itype", 4}, {"itype", 2, "swap"}, {"drop", -1}, {"drop", 2}, {"qz", "lower"}, {"qz", "smallest", 1}, {"drop", 0.1, "swap"}, ...
             {"largest", n + 1}, {"range", [0, 1]}, {"interval", [2, 1]}};
  c.note = sprintf ("%dx%dx%d %s, %s, %s", n, n, c.pages, types, way, names);
  c.check = @(c, out) check_pencil (c, out, bad, way, itype, part);
endfunction

% A is any Hermitian page and B definite; with "swap" the other way round, with "drop" B is semidefinite and with "qz"
% both are general. One of them may have one page for all.
function [A, B, bad, names] = draw_pair (n, dims, types, way)
  one = [prod(dims), prod(dims)];
  r = rand ();
  at = {dims, dims};
  if (r < 0.15)
    at{1} = 1;
  elseif (r < 0.3)
    at{2} = 1;
  endif
  what = {"hermitian", "definite"};
  switch (way)
    case "swap"
      what = {"definite", "hermitian"};
    case "qz"
      what = {"any", {"any", "hermitian", "regular"}{randi(3)}};
  endswitch
  [A, n1, bad1] = random_pages (n, n, at{1}, types(1), what{1}, false);
  [B, n2, bad2] = random_pages (n, n, at{2}, types(end), what{2}, false);
  names = strjoin (unique ([n1, n2]), "; ");
  if (n > 1 && n < 34 && rand () < 0.15 && strcmp (way, "chol") && types(1) == types(end))
    later = randi (2 ^ 31 - 1, 1, 2);
    [HA, HB, its] = hard_pencils (n, types(1));
    rand ("twister", later(1));
    randn ("twister", later(2));
    some = randi (numel (its), 1, max (1, min (prod (dims), 8)));
    [A, B] = deal (HA(:,:,some), HB(:,:,some));
    names = ["hard: ", strjoin(unique (its(some)), "; ")];
    bad1 = bad2 = false (numel (some), 1);
  endif
  if (strcmp (way, "drop"))
    for p = 1:size (B, 3)
      if (n > 0 && all (isfinite (B(:,:,p)(:))))
        X = B(:,1:max (1, ceil (rand () * n)):n,p);
        B(:,:,p) = X * X' + tril (X * X', -1) * 0;
        B(:,:,p) = tril (B(:,:,p)) + tril (B(:,:,p), -1)';
      endif
    endfor
  endif
  bad = bad1 | bad2;
endfunction

function is = isvector_form (args, nout)
  words = args(cellfun (@ischar, args));
  at = find (ismember (tolower (words), {"vector", "matrix"}), 1, "last");
  is = nout == 1;
  if (! isempty (at))
    is = strcmpi (words{at}, "vector");
  endif
endfunction

function texts = check_pencil (c, out, bad, way, itype, part)
  [A, B] = c.args{1:2};
  n = rows (A);
  P = c.pages;
  cls = class (A(1:0) + B(1:0));
  [V, D] = deal ([], out{1});
  if (c.nout > 1)
    [V, D] = out{1:2};
  endif
  texts = told (isa (D, cls), "the values have another class");
  if (! isempty (texts) || P == 0 || n == 0)
    return;
  endif
  [A, bad1] = random_cast (A, cls);
  [B, bad2] = random_cast (B, cls);
  bad = bad1 | bad2;
  if (isvector_form (c.args, c.nout))
    D = reshape (D, rows (D), 1, P);
  else
    k = columns (D);
    D = reshape (reshape (D, k * k, P)(1:k+1:end,:), k, 1, P);
  endif
  info = zeros (P, 1);
  if (c.nout > 2)
    info = double (out{3});
    texts = [texts, told(isequal (size (info), [P, 1]) && (strcmp (way, "qz") || all (info(bad) > 0)), "info")];
  endif
  for p = 1:P
    a = double (A(:,:,min (p, end)));
    b = double (B(:,:,min (p, end)));
    d = double (D(:,1,p));
    failed = info(p) != 0 || (c.nout < 3 && (isempty (d) || all (isnan (d))));
    if (bad(min (p, end)))
      texts = [texts, told(all (isnan (d)), sprintf ("page %d: not NaN", p))];
    elseif (! failed)
      v = [];
      if (! isempty (V))
        v = double (V(:,:,p));
      endif
      texts = [texts, of_page(a, b, v, d, way, itype, part, double (eps (cls)), p)];
    elseif (any (strcmp (way, {"chol", "swap"})) && isempty (strfind (c.note, "hard")) && ! isempty (d) && (c.nout > 2 || isempty (part)))
      texts = [texts, told(false, sprintf ("page %d: definite, but it failed with info %d", p, info(p)))];
    endif
  endfor
endfunction

function texts = of_page (a, b, v, d, way, itype, part, ulp, p)
  n = rows (a);
  kept = ! isnan (d);
  d = d(kept);
  if (! isempty (v))
    v = v(:,kept);
  endif
  texts = {};
  if (! strcmp (way, "qz"))
    texts = told (all (diff (d(isfinite (d))) >= 0), sprintf ("page %d: values do not ascend", p));
  endif
  unit = 30 * n * ulp;
  least = double (realmin (merge (ulp > 1e-10, "single", "double"))) * (1 + norm (a) + norm (b));
  if (isempty (v))
    texts = [texts, only_values(a, b, d, way, itype, part, unit, p)];
    return;
  endif
  [l, r, m] = deal (a, b, b);           # l*v = r*v*d, v'*m*v = I
  switch (way)
    case "swap"
      [l, r, m, d] = deal (b, a, a, 1 ./ d);
    case "qz"
      m = [];
    case "drop"
      l = v' * a;
      r = v' * b;
    otherwise
      if (itype == 2)
        [l, r] = deal (a * b, eye (n));
      elseif (itype == 3)
        [l, r, m] = deal (b * a, eye (n), inv (b));
      endif
  endswitch
  finite = isfinite (d);
  most = max ([abs(d(finite)); 0]);
  if (! isempty (part) && any (strcmp (way, {"chol", "swap"})))
    most = max (most, norm (l) * norm (inv (r)));   # errors are small beside all values, of which these are a part
  endif
  off = norm (l(:,:) * v(:,finite) - r * v(:,finite) .* d(finite).', "fro");
  size_ = (norm (a) * merge (itype > 1, norm (b), 1) + most * norm (r)) * norm (v, "fro") * merge (strcmp (way, "drop"), norm (v), 1);
  if (strcmp (way, "swap"))
    size_ = (norm (b) + most * norm (a)) * norm (v, "fro");
  endif
  if (itype > 1)
    size_ *= cond (b);
  endif
  texts = [texts, told(off <= unit * size_ + least, sprintf ("page %d: residual ratio %g", p, off / (unit * size_ / 30)))];
  if (! isempty (m))
    off = norm (v' * m * v - eye (columns (v)), "fro");
    size_ = norm (v) ^ 2 * norm (m) * merge (itype == 3, cond (m), 1);
    texts = [texts, told(off <= unit * size_, sprintf ("page %d: orthogonality ratio %g", p, off / (unit * size_ / 30)))];
  endif
endfunction

% Beside Octave's eig, where all values are returned.
function texts = only_values (a, b, d, way, itype, part, unit, p)
  texts = {};
  if (! isempty (part) || any (strcmp (way, {"qz", "drop"})) || cond (b) > 1e6 || cond (merge (strcmp (way, "swap"), a, 1)) > 1e6)
    return;
  endif
  a = (a + a') / 2;
  if (itype > 1)
    d0 = sort (real (eig (a * b)));
    size_ = norm (a) * norm (b) * cond (b);
  elseif (strcmp (way, "swap"))
    d0 = sort (eig ((b + b') / 2, a));
    d = sort (1 ./ d);
    size_ = norm (inv (a)) * (norm (b) + norm (a) * abs (d0));
  else
    d0 = eig (a, (b + b') / 2);
    size_ = norm (inv (b)) * (norm (a) + norm (b) * abs (d0));
  endif
  texts = told (numel (d) == numel (d0) && all (abs (d - d0) <= unit * size_ + realmin), sprintf ("page %d: values differ from those of eig", p));
endfunction

function texts = told (ok, text)
  texts = {text}(! ok);
endfunction

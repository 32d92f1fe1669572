% tests/octave/random_eig.m: random calls of batcheig, pageeig and pagefunm, see random_call
% SPDX-License-Identifier: GPL-3.0-or-later

function c = random_eig (c, topic)
  switch (topic)
    case "batcheig"
      c = draw_batcheig (c);
    case "batcheig pairs"
      c = random_pencil (c);
    case "pageeig"
      c = draw_pageeig (c);
    case "pagefunm"
      c = random_pagefunm (c);
  endswitch
endfunction

%-------------------------------------------------------------------------------
% batcheig
%-------------------------------------------------------------------------------

function c = draw_batcheig (c)
  n = random_size (1);
  dims = random_size ("pages", n ^ 2);
  type = "dszc"(randi (4));
  [A, names, bad] = random_pages (n, n, dims, type, "hermitian");
  triangle = {};
  if (rand () < 0.2)
    triangle = {{"lower", "upper"}{randi(2)}};
    A = other_triangle (A, triangle{1});
  elseif (rand () < 0.04 && n > 1 && prod (dims) > 0)
    A(1,n,randi (prod (dims))) += 1 + 1e4 * max (abs (A(:)));
    c.refused = merge (all (isfinite (A(:))), "must", "may");
    bad = ! reshape (all (all (isfinite (A(:,:,:)), 1), 2), [], 1);
  endif
  form = {{"vector"}, {"matrix"}, {}}{randi (3)};
  part = {};
  if (rand () < 0.3)
    part = draw_part (A, n);
  endif
  options = random_options ({"method", {"qr", "jacobi", "auto"}; "phase", {"max", "none"}; "progress", {@(d, t) d <= t}});
  rough = rand () < 0.05;
  if (rough)
    options = [options, {"tol", 10 ^ randi([-9, -2]), "maxit", randi(3)}];
  endif
  c.args = [{A}, [triangle, part, options, form](:).'];
  c.nout = randi (4);
  if (c.nout == 4 && isempty (part))
    c.nout = 3;
  endif
  if (strcmp (c.refused, "no") && ! (strcmp ([part, {""}]{1}, "interval") && ! strcmp ([form, {"matrix"}]{1}, "vector")))
    c.paged = 1;
  endif
  c.pages = prod (dims);
  c.kinds = merge (c.nout == 1, "p", "ppcs");
  c.wrong = {{"tol", -1}, {"tol", 2}, {"maxit", 0}, {"maxit", NaN}, {"method", "lu"}, {"phase", 1}, {"itype", 2}, {"drop", 0.1}, ...
             {"swap"}, {"range", [2, 1]}, {"range", [0, 1]}, {"smallest", -1}, {"largest", n + 1}, {"interval", [1, 0]}, ...
             {"interval", 3}, {"range", 1:3}, {"smallest", 0, "largest", 0}, {"progress", "x"}, {"qz"}};
  c.note = sprintf ("%dx%dx%d %s, %s", n, n, c.pages, type, strjoin (unique (names), "; "));
  c.check = @(c, out) check_batcheig (c, out, bad, triangle, part, rough);
endfunction

% The triangle that is not read may hold anything.
function A = other_triangle (A, which)
  n = rows (A);
  mask = (1:n)' < (1:n);
  if (strcmp (which, "upper"))
    mask = mask';
  endif
  A(repmat (mask, [1, 1, size(A)(3:end)])) = [NaN, Inf, 1e30, 0](randi (4));
endfunction

function part = draw_part (A, n)
  k = randi ([0, n]);
  switch (randi (4))
    case 1
      part = {"smallest", k};
    case 2
      part = {"largest", k};
    case 3
      if (n == 0)
        part = {};
        return;
      endif
      part = {"range", sort(randi (n, 1, 2))};
    case 4
      size_ = double (max ([abs(A(isfinite (A)))(:); 1]));
      part = {"interval", sort(randn (1, 2) * size_ * 10 ^ -randi ([0, 3]))};
      if (rand () < 0.3)
        part{2} = {[-Inf, Inf], [0, Inf], [-Inf, 0], [0, realmin]}{randi (4)};
      endif
  endswitch
endfunction

function texts = check_batcheig (c, out, bad, triangle, part, rough)
  A = c.args{1};
  [n, ~, P] = size (A);
  cls = class (A);
  B = read_part (A, triangle);
  [lambda, V, info, texts] = parts_of (out, c, n, P, cls);
  k = rows (lambda);
  if (! isempty (texts))
    return;
  endif
  if (c.nout > 2)
    expected = int32 (bad * (n + 1));
    texts = [texts, told(isequal (info, expected) || rough && all (info(bad) == n + 1), sprintf ("info %s", mat2str (info.')))];
    bad = info != 0;
  endif
  nans = all (isnan (lambda), 1)(:);
  texts = [texts, told(k == 0 || all (nans(bad)), "a page that failed is not NaN")];
  if (rough || n == 0 || P == 0)
    return;
  endif
  good = find (! (bad(:) | squeeze (any (any (abs (B) > 1e-3 * realmax (cls), 1), 2))(:))).';
  ulp = double (eps (cls));
  all_ = double (batcheig (A, triangle{:}, options_of (c.args){:}));
  for p = good
    whole = all_(:,1,p);
    [d, wanted, ok] = of_part (double (lambda(:,1,p)), whole, part, n * ulp * max (abs (whole)));
    texts = [texts, told(ok, sprintf ("page %d: wrong eigenvalues are returned", p))];
    gap = worst (abs (d - wanted)) / (n * ulp * max (abs (whole)) + double (realmin (cls)) * ulp);
    texts = [texts, told(gap <= 20, sprintf ("page %d: values differ by %g from those of all", p, gap))];
    if (! isempty (V) && ! isempty (d))
      [r, o] = eig_ratios (B(:,:,p), V(:,1:numel (d),p), cast (d, cls));
      texts = [texts, told(r <= 30 && o <= 30, sprintf ("page %d: ratios %g %g", p, r, o))];
    endif
  endfor
  if (n <= 64)
    texts = [texts, like_eig(B, all_, good, ulp)];
  endif
endfunction

% All eigenvalues beside those of Octave's eig, in double.
function texts = like_eig (B, all_, good, ulp)
  n = rows (B);
  texts = {};
  for p = good
    b = double (B(:,:,p));
    size_ = max (abs (b(:)));
    power = 0;
    if (size_ > 0)
      power = floor (log2 (size_));
    endif
    b = b * 2 ^ -fix (power / 2) * 2 ^ -(power - fix (power / 2));
    w = eig (b) * 2 ^ fix (power / 2) * 2 ^ (power - fix (power / 2));
    # of denormal numbers the values are rounded to the smallest one
    gap = worst (abs (w - all_(:,1,p))) / (n * ulp * max (abs (w)) + n * double (realmin (merge (ulp > 1e-10, "single", "double"))) * ulp);
    texts = [texts, told(gap <= 30, sprintf ("page %d: values differ by %g from those of eig", p, gap))];
  endfor
endfunction

% The Hermitian pages that are solved.
function B = read_part (A, triangle)
  n = rows (A);
  A = A(:,:,:);
  for p = 1:(n > 0) * size (A, 3)
    a = A(:,:,p);
    if (isempty (triangle))
      a = a / 2 + a' / 2;
    elseif (strcmp (triangle{1}, "lower"))
      a = tril (a, -1) + tril (a, -1)' + diag (real (diag (a)));
    else
      a = triu (a, 1) + triu (a, 1)' + diag (real (diag (a)));
    endif
    A(:,:,p) = a;
  endfor
  B = A;
endfunction

% Eigenvalues as columns, vectors ([] where there are none) and info, and what is wrong with their shapes.
function [lambda, V, info, texts] = parts_of (out, c, n, P, cls)
  V = info = [];
  lambda = out{1};
  if (c.nout > 1)
    [V, lambda] = out{1:2};
  endif
  dims = size (c.args{1})(3:end);
  texts = told (isequal (size (lambda)(3:end), size (zeros ([1, 1, dims]))(3:end)), ...
                sprintf ("the values have the size %s", mat2str (size (lambda))));
  texts = [texts, told(strcmp (class (lambda), cls) && isreal (lambda), "the values have another class")];
  vector = isvector_form (c.args, c.nout);
  if (! vector)
    k = columns (lambda);
    off = lambda;
    off(repmat (logical (eye (k)), [1, 1, size(lambda)(3:end)])) = 0;
    texts = [texts, told(rows (lambda) == k && ! any (off(! isnan (off))), "the matrix of values is not diagonal")];
    lambda = reshape (reshape (out{2 - (c.nout == 1)}, [], P)(1:k+1:end,:), k, 1, P);
  endif
  lambda = reshape (lambda, rows (lambda), 1, P);
  if (c.nout > 1)
    texts = [texts, told(strcmp (class (V), cls) && iscomplex (V) <= iscomplex (c.args{1}), "the vectors have another class")];
    texts = [texts, told(rows (V) == n && columns (V) == rows (lambda), sprintf ("the vectors have the size %s", mat2str (size (V))))];
    V = reshape (V, n, columns (V), P);
  endif
  if (c.nout > 2)
    info = out{3};
    texts = [texts, told(isa (info, "int32") && isequal (size (info), [P, 1]), "info is no int32 column")];
  endif
endfunction

function is = isvector_form (args, nout)
  words = args(cellfun (@ischar, args));
  at = find (ismember (tolower (words), {"vector", "matrix"}), 1, "last");
  is = nout == 1;
  if (! isempty (at))
    is = strcmpi (words{at}, "vector");
  endif
endfunction

% The options about the method, for the values of the whole spectrum.
function options = options_of (args)
  options = {};
  for k = 2:numel (args) - 1
    if (ischar (args{k}) && any (strcmpi (args{k}, {"method", "device"})))
      options = [options, args(k:k+1)];
    endif
  endfor
endfunction

% The returned values without the NaN behind them, and those of the whole spectrum that are meant. An end of an interval
% may lie within rounding of a value.
function [d, wanted, ok] = of_part (d, whole, part, rounding)
  d = d(! isnan (d));
  n = numel (whole);
  first = 1;
  last = n;
  ok = true;
  if (! isempty (part))
    switch (part{1})
      case "smallest"
        last = part{2};
      case "largest"
        first = n - part{2} + 1;
      case "range"
        first = part{2}(1);
        last = part{2}(2);
      case "interval"
        v = part{2};
        slack = 30 * rounding;
        first = sum (whole <= v(1)) + 1;
        ok = numel (d) >= sum (whole > v(1) + slack & whole <= v(2) - slack) && ...
             numel (d) <= sum (whole > v(1) - slack & whole <= v(2) + slack) && all (d > v(1) & d <= v(2));
        if (! isempty (d))
          [~, first] = min (abs (whole - d(1)));
          first = min (max (1, sum (whole < d(1) - slack) + 1), n - numel (d) + 1);
        endif
        last = first + numel (d) - 1;
    endswitch
  endif
  wanted = whole(first:last);
  ok = ok && numel (d) == numel (wanted);
  if (! ok)
    wanted = d;
  endif
endfunction

function texts = told (ok, text)
  texts = {text}(! ok);
endfunction

%-------------------------------------------------------------------------------
% pageeig
%-------------------------------------------------------------------------------

function c = draw_pageeig (c)
  n = random_size (1);
  dims = random_size ("pages", 8 * n ^ 2);
  type = "dszc"(randi (4));
  what = {"any", "any", "hermitian"}{randi (3)};
  [A, names, bad] = random_pages (n, n, dims, type, what, false);
  if (rand () < 0.3 && prod (dims) > 1 && n > 0)
    p = randi (prod (dims));            # a Hermitian page among others
    A(:,:,p) = A(:,:,p) + A(:,:,p)';
  endif
  c.nout = randi (3);
  flags = {{}, {"vector"}, {"matrix"}, {"nobalance"}, {"balance"}, {"nobalance", "vector"}}{randi (6)};
  c.args = [{A}, flags, random_options(cell (0, 2))];
  c.paged = 1;
  c.pages = prod (dims);
  c.kinds = "ppp"(1:c.nout);
  c.wrong = {{"vectors"}, {"balance", 1}, {1}};
  c.note = sprintf ("%dx%dx%d %s, %s", n, n, c.pages, type, strjoin (unique (names), "; "));
  c.check = @(c, out) check_pageeig (c, out, bad);
endfunction

function texts = check_pageeig (c, out, bad)
  A = c.args{1};
  [n, ~, P] = size (A);
  ulp = double (eps (class (A)));
  D = out{min (2, c.nout)};
  if (isvector_form (c.args, c.nout))
    D = reshape (D, rows (D), 1, P);
  else
    D = reshape (reshape (D, [], P)(1:n+1:end,:), n, 1, P);
  endif
  texts = told (rows (D) == n && isa (D, class (A)), "the values have another size or class");
  for p = find (! bad).'
    a = double (A(:,:,p));
    d = double (D(:,1,p));
    if (random_extreme (a, class (A)))
      continue;
    endif
    size_ = n * ulp * norm (a, "fro") + realmin;
    r = abs (sum (d) - trace (a)) / size_;
    texts = [texts, told(r <= 30, sprintf ("page %d: the sum of values differs by %g from the trace", p, r))];
    if (c.nout == 1)
      continue;
    endif
    V = double (out{1}(:,:,p));
    texts = [texts, told(n == 0 || worst (abs (norm (V, "columns") - 1)) <= 10 * n * ulp, sprintf ("page %d: lengths of vectors", p))];
    r = residual (a, V, d, n * ulp);
    texts = [texts, told(r <= 30, sprintf ("page %d: residual ratio %g", p, r))];
    if (c.nout == 3)
      r = residual (a', double (out{3}(:,:,p)), conj (d), n * ulp);
      texts = [texts, told(r <= 30, sprintf ("page %d: residual ratio %g of left vectors", p, r))];
    endif
  endfor
  for p = find (bad).'
    texts = [texts, told(all (isnan (D(:,1,p))), sprintf ("page %d: not NaN", p))];
  endfor
endfunction

% The residual of right vectors, of the page or else of the balanced page, beside which errors are small with "balance".
function r = residual (a, V, d, unit)
  r = norm (a * V - V .* d.', "fro") / (unit * norm (a, "fro") + realmin);
  if (! (r <= 30))
    [D, b] = balance (a);
    V = D \ V;
    V = V ./ norm (V, "columns");
    r = min (r, norm (b * V - V .* d.', "fro") / (unit * norm (b, "fro") + realmin));
  endif
endfunction

% tests/octave/random_svd.m: random calls of batchsvd and of what is computed by it, see random_call
% SPDX-License-Identifier: GPL-3.0-or-later

function c = random_svd (c, topic)
  size_ = random_size (2);
  dims = random_size ("pages", 3 * prod (size_));
  type = "dszc"(randi (4));
  simple = strncmp (topic, "pagep", 5) || strncmp (topic, "pagel", 5);
  [A, names, bad] = random_pages (size_(1), size_(2), dims, type, "any", ! simple);
  c.args = {A};
  c.paged = 1;
  c.pages = prod (dims);
  c.note = sprintf ("%dx%dx%d %s, %s", size_, c.pages, type, strjoin (unique (names), "; "));
  switch (topic)
    case "batchsvd"
      c = draw_batchsvd (c, size_, bad);
    case "pagesvd"
      c.nout = [1, 3](randi (2));
      c.args = [c.args, {{}, {"econ"}, {"vector"}, {"matrix"}, {"econ", "vector"}}{randi(5)}, random_options(cell (0, 2))];
      c.kinds = "ppp";
      c.wrong = {{0, 0}, {"largest", 1}, {"economy"}, {1}};
      n = columns_of (size_, c.args);
      c.check = @(c, out) check_svd_page (c, out, bad, n);
      if (! isempty (gpulinalg_info ().devices) && max (n(1:2)) > n(3))
        c.refused = "may";              # a GPU has no square U of tall pages of the host
      endif
    case "pagecond"
      c.args = [c.args, random_options(cell (0, 2))];
      c.kinds = "p";
      c.wrong = {{1}, {"econ"}};
      c.check = @check_cond;
    case "pagerank"
      c.args = [c.args, draw_tolerance(c.pages), random_options(cell (0, 2))];
      c.kinds = "p";
      c.wrong = {{-1, 2}, {NaN}, {"econ"}};
      c.check = @check_rank;
      c = with_tolerance (c, 2);
    case "pagepinv"
      c.args = [c.args, draw_tolerance(c.pages), random_options(cell (0, 2))];
      c.kinds = "p";
      c.wrong = {{1, 2}, {"econ"}};
      c.check = @(c, out) check_pinv (c, out, bad);
      c = with_tolerance (c, 2);
    case "pagelsqminnorm"
      c = draw_lsqminnorm (c, size_, dims, type, bad);
  endswitch
endfunction

function tolerance = draw_tolerance (pages)
  tolerance = {};
  if (rand () < 0.3)
    tolerance = {10 ^ -randi([0, 10])};
    if (rand () < 0.3)
      tolerance = {10 .^ -randi([0, 10], 1, pages)};
    endif
  endif
endfunction

% Where the tolerance has a number for each page it goes with the pages.
function c = with_tolerance (c, at)
  if (numel (c.args) >= at && isnumeric (c.args{at}) && numel (c.args{at}) == c.pages && c.pages > 1)
    c.each = at;
  endif
endfunction

%-------------------------------------------------------------------------------
% batchsvd and pagesvd
%-------------------------------------------------------------------------------

function c = draw_batchsvd (c, size_, bad)
  flags = {{}, {0}, {"econ"}, {"vector"}, {"matrix"}, {"econ", "vector"}, {0, "matrix"}, {"vector", "matrix"}}{randi (8)};
  largest = {};
  if (min (size_) > 0 && rand () < 0.2)
    largest = {"largest", randi(min (size_))};
  endif
  options = random_options ({"method", {"qr", "jacobi", "auto"}; "progress", {@(d, t) d <= t}});
  rough = rand () < 0.04;
  if (rough)
    options = [options, {"tol", 10 ^ randi([-9, -2]), "maxit", randi(3)}];
  endif
  c.args = [c.args, flags, largest, options];
  c.nout = [1, 3, 4](randi (3));
  c.kinds = "pppc";
  c.wrong = {{"largest", 0}, {"largest", min(size_) + 1}, {"tol", -1}, {"tol", 1.5}, {"maxit", 0}, {"method", "chol"}, {"range", [1, 2]}, ...
             {1}, {0, 0, 0}, {"progress", {}}};
  if (c.nout == 1)
    largest = {};                       # "largest" still cuts the values, which is looked at below
  endif
  c.check = @(c, out) check_svd_page (c, out, bad, columns_of (size_, c.args), rough);
  if (! isempty (gpulinalg_info ().devices))
    c.refused = "may";                  # a GPU has no "jacobi" of large pages, nor a square U of tall ones
  endif
endfunction

% The columns of U and of V, and the number of values.
function n = columns_of (size_, args)
  k = min (size_);
  n = [size_, k];
  words = args(cellfun (@ischar, args));
  zero = numel (args) > 1 && isequal (args{2}, 0);
  if (any (strcmpi (words, "econ")) || (zero && size_(1) > size_(2)))
    n(1:2) = k;
  endif
  at = find (cellfun (@(a) ischar (a) && strcmpi (a, "largest"), args));
  if (! isempty (at))
    n(:) = args{at+1};
  endif
endfunction

function texts = check_svd_page (c, out, bad, n, rough = false)
  A = c.args{1};
  [m, columns_, P] = size (A);
  s = out{min (2, c.nout)};
  vector = c.nout == 1;
  words = tolower (c.args(cellfun (@ischar, c.args)));
  at = find (ismember (words, {"vector", "matrix"}), 1, "last");
  if (! isempty (at))
    vector = strcmp (words{at}, "vector");
  endif
  k = n(3);
  wanted = merge (vector, [k, 1], n(1:2));
  texts = told (isequal (size (s)(1:2), wanted) && isa (s, class (A)) && isreal (s), ...
                sprintf ("the values have the size %s", mat2str (size (s))));
  if (! isempty (texts) || P == 0)
    return;
  endif
  if (! vector)
    s = reshape (s, [], P);
    at = (0:k-1) * wanted(1) + (1:k);
    texts = told (! any ((s(setdiff (1:rows (s), at),:) != 0)(:) & ! isnan (s(setdiff (1:rows (s), at),:))(:)), "S is not diagonal");
    s = s(at,:);
  endif
  s = reshape (s, k, 1, P);
  if (c.nout > 3)
    info = double (out{4});
    texts = [texts, told(isequal (size (info), [P, 1]) && all (info(bad) == min (m, columns_) + 1) && (rough || ! any (info(! bad))), ...
                         sprintf ("info %s", mat2str (info.')))];
    bad |= info != 0;
  endif
  for p = find (! bad).'
    d = double (s(:,1,p));
    texts = [texts, told(all (d >= 0) && ! any (diff (d) > 0), sprintf ("page %d: values not descending", p))];
  endfor
  texts = [texts, told(all (isnan (s(:,:,bad)(:))), "a page that failed is not NaN")];
  if (rough || isempty (A))
    return;
  endif
  good = find (! bad & ! (max (s, [], 1) == Inf)(:));    # the largest value may overflow
  if (c.nout > 1)
    [U, ~, V] = out{1:3};
    texts = [texts, told(rows (U) == m && columns (U) == n(1) && rows (V) == columns_ && columns (V) == n(2), "sizes of U and V")];
    whole = k == min (m, columns_);
    r = svd_ratios (A(:,:,good), U(:,:,good), s(:,:,good), V(:,:,good));
    if (! whole)
      r(:,1) = 0;
    endif
    for at = find (any (r > 30, 2)).'
      texts = [texts, told(false, sprintf ("page %d: ratios %s", good(at), mat2str (r(at,:), 3)))];
    endfor
  endif
  texts = [texts, like_svd(A, s, good)];
endfunction

% The values beside those of Octave's svd.
function texts = like_svd (A, s, good)
  texts = {};
  e = double (eps (class (A)));
  for p = good(:).'
    a = double (A(:,:,p));
    if (max (size (a)) > 100)
      return;                           # OpenBLAS 0.3.21 may crash in svd of 200 complex rows
    endif
    size_ = max (abs (a(:)));
    power = 0;
    if (size_ > 0)
      power = floor (log2 (size_));
    endif
    up = @(x, b) x * 2 ^ fix (b / 2) * 2 ^ (b - fix (b / 2));
    w = up (svd (up (a, -power)), power)(1:rows (s));
    if (w(1) > 0.99 * realmax (class (A)))
      continue;
    endif
    off = worst (abs (w - double (s(:,1,p)))) / (max (size (a)) * (e * w(1) + double (realmin (class (A))) * e));
    texts = [texts, told(off <= 30, sprintf ("page %d: values differ by %g from those of svd", p, off))];
  endfor
endfunction

%-------------------------------------------------------------------------------
% what comes of singular values
%-------------------------------------------------------------------------------

function texts = check_cond (c, out)
  A = c.args{1};
  k = min (size (A)(1:2));
  texts = told (isequal (size (out{1}), [1, 1, size(A)(3:end)]) && isa (out{1}, class (A)), "size or class");
  if (k == 0)
    texts = [texts, told(! any (out{1}(:)), "a page without elements is not 0")];
    return;
  endif
  s = double (batchsvd (A));
  for p = 1:c.pages
    wanted = s(1,1,p) / s(k,1,p);
    if (s(1,1,p) == Inf)
      continue;
    elseif (s(k,1,p) == 0)
      wanted = Inf;
    endif
    got = double (out{1}(p));
    near_ = isequaln (got, wanted) || abs (1 / got - 1 / wanted) <= 30 * k * eps (class (A));
    texts = [texts, told(near_, sprintf ("page %d: %g, not %g", p, got, wanted))];
  endfor
endfunction

% The default tolerance, or that of the arguments, of each page.
function t = tolerances (c, at, s)
  A = c.args{1};
  t = max (size (A)(1:2)) * double (eps (class (A))) * s;
  if (numel (c.args) >= at && isnumeric (c.args{at}))
    t(:) = c.args{at};
  endif
endfunction

function texts = check_rank (c, out)
  A = c.args{1};
  k = min (size (A)(1:2));
  texts = told (isequal (size (out{1}), [1, 1, size(A)(3:end)]), "size");
  if (k == 0 || c.pages == 0)
    texts = [texts, told(! any (out{1}(:)), "a page without elements is not 0")];
    return;
  endif
  s = reshape (double (batchsvd (A)), k, c.pages);
  t = tolerances (c, 2, s(1,:));
  slack = 30 * k * double (eps (class (A))) * s(1,:);
  for p = find (s(1,:) < Inf | isnan (s(1,:)))
    r = double (out{1}(p));
    ok = r >= sum (s(:,p) > t(p) + slack(p)) && r <= sum (s(:,p) > t(p) - slack(p)) || (isnan (r) && any (isnan (s(:,p))));
    texts = [texts, told(ok, sprintf ("page %d: rank %d", p, r))];
  endfor
endfunction

% The four equations of Penrose, for the page without the values that count as 0.
function texts = check_pinv (c, out, bad)
  A = c.args{1};
  X = out{1};
  [m, n, P] = size (A);
  texts = told (isequal (size (X), [n, m, size(A)(3:end)]) && isa (X, class (A)) && iscomplex (X) <= iscomplex (A), "size or class");
  if (isempty (A))
    return;
  endif
  s = reshape (double (batchsvd (A)), [], P);
  t = tolerances (c, 2, s(1,:));
  e = double (eps (class (A)));
  for p = 1:P
    a = double (A(:,:,p));
    x = double (X(:,:,p));
    if (bad(p))
      texts = [texts, told(all (isnan (x(:))), sprintf ("page %d: not NaN", p))];
      continue;
    endif
    kept = s(:,p) > t(p);
    if (random_extreme (a, class (A)) || any (s(kept,p) < 10 / double (realmax (class (A)))))
      continue;                         # the inverse overflows
    endif
    dropped = max ([s(s(:,p) <= t(p) * (1 + 1e-10) + 30 * n * e * s(1,p),p); 0]);
    unit = 30 * max (m, n) * e * norm (a) * norm (x) + e;
    r = [norm(a * x * a - a, "fro") / (unit * norm (a) + dropped * sqrt (n) + realmin), ...
         norm(x * a * x - x, "fro") / (unit * norm (x) + realmin), norm(a * x - (a * x)', "fro") / unit, norm(x * a - (x * a)', "fro") / unit];
    texts = [texts, told(all (r <= 1), sprintf ("page %d: Penrose's equations %s", p, mat2str (r, 3)))];
  endfor
endfunction

function c = draw_lsqminnorm (c, size_, dims, type, bad)
  type2 = "dszc"(randi (4));
  if (rand () < 0.7)
    type2 = type;
  endif
  pages = {dims, 1}{1 + (rand () < 0.3)};
  [B, ~, bad2] = random_pages (size_(1), random_size (1, 10), pages, type2, "any", false);
  alpha = {};
  if (rand () < 0.3)
    alpha = {"RegularizationFactor", 10 ^ (2 * randn ())};
  endif
  c.args = [c.args, {B}, draw_tolerance(c.pages), {{}, {"nowarn"}, {"warn"}}{randi(3)}, alpha, random_options(cell (0, 2), 0.1)];
  c.kinds = "p";
  if (prod (pages) == c.pages && ! isequal (pages, 1))
    c.paged = [1, 2];
  endif
  c = with_tolerance (c, 3);
  c.wrong = {{"RegularizationFactor", -1}, {"RegularizationFactor", NaN}, {"RegularizationFactor", "x"}, {"warns"}};
  c.check = @(c, out) check_lsqminnorm (c, out, bad, bad2, [alpha, {0, 0}]{2});
endfunction

% The equations (A'*A + alpha^2) X = A'*B but for what the tolerance drops.
function texts = check_lsqminnorm (c, out, bad, bad2, alpha)
  [A, B] = c.args{1:2};
  [m, n, P] = size (A);
  X = out{1};
  texts = told (isequal (size (X)(1:2), [n, columns(B)]) && isa (X, class (A(1:0) + B(1:0))), "size or class");
  if (isempty (A) || isempty (X))
    return;
  endif
  s = reshape (double (batchsvd (A)), [], P);
  t = tolerances (c, 3, s(1,:));
  cls = class (X);
  e = double (eps (cls));
  [A, bad] = random_cast (A, cls);
  [B, bad2] = random_cast (B, cls);
  for p = 1:P
    a = double (A(:,:,p));
    b = double (B(:,:,min (p, end)));
    x = double (X(:,:,p));
    if (bad(p) || bad2(min (p, end)) || s(1,p) == Inf || random_extreme (double (c.args{1}(:,:,p)), cls, b))
      continue;
    endif
    dropped = max ([s(s(:,p) <= t(p) * (1 + 1e-10) + 30 * max (m, n) * e * s(1,p),p); 0]);
    unit = 30 * max (m, n) * e * norm (a) * (norm (a) * norm (x, "fro") + norm (b, "fro")) + dropped * norm (b, "fro");
    r = norm (a' * (a * x - b) + alpha ^ 2 * x, "fro") / (unit + 30 * e * alpha ^ 2 * norm (x, "fro") + (1 + norm (a)) * double (realmin (cls)));
    texts = [texts, told(r <= 1, sprintf ("page %d: residual of the normal equations %g", p, r))];
  endfor
endfunction

function texts = told (ok, text)
  texts = {text}(! ok);
endfunction

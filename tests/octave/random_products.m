% tests/octave/random_products.m: random calls of pagemtimes, pagenorm, pagediag, pagetrace and transposes, see random_call
% SPDX-License-Identifier: GPL-3.0-or-later

function c = random_products (c, topic)
  switch (topic)
    case "pagemtimes"
      c = draw_product (c);
    case "pagenorm"
      c = draw_norm (c);
    case {"pagediag", "pagetrace"}
      c = draw_diagonal (c, topic);
    otherwise
      c = draw_transpose (c, topic);
  endswitch
endfunction

function c = draw_product (c)
  size_ = random_size (3);
  words = {"none", "transpose", "ctranspose"};
  w = {words{randi([1, 3], 1, 2)}};
  if (rand () < 0.4)
    w = {"none", "none"};
  endif
  [x, y] = deal (size_(1:2), size_(2:3));
  if (! strcmp (w{1}, "none"))
    x = fliplr (x);
  endif
  if (! strcmp (w{2}, "none"))
    y = fliplr (y);
  endif
  dims = random_size ("pages", 2 * prod (size_));
  [dx, dy] = deal (dims);
  expands = false;
  switch (randi (6))
    case 1
      dx = 1;
    case 2
      dy = 1;
    case 3
      dx = [dims(1), 1];
      dy = [1, randi(3)];
      expands = true;
  endswitch
  types = "dszc"(randi (4, 1, 2));
  if (rand () < 0.7)
    types(2) = types(1);
  endif
  [X, n1] = random_pages (x(1), x(2), dx, types(1), "any", rand () < 0.2);
  [Y, n2] = random_pages (y(1), y(2), dy, types(2), "any", rand () < 0.2);
  if (rand () < 0.1)
    Y = X;                              # X*X' or X'*X
    w = {words{[1, 3; 3, 1](randi(2),:)}};
    dy = dx;
    expands = true;
  endif
  if (isequal (w, {"none", "none"}) && rand () < 0.7)
    c.args = {X, Y};
  else
    c.args = {X, w{1}, Y, w{2}};
  endif
  at = [1, numel(c.args) / 2 + 1];
  counts = [size(X(:,:,:), 3), size(Y(:,:,:), 3)];
  c.args = [c.args, random_options({"progress", {@(d, t) d <= t}}, 0.15)];
  c.pages = max (counts) * all (counts > 0);
  if (! expands)
    c.paged = at(counts == c.pages);
  endif
  c.kinds = "p";
  c.wrong = {{1, 2}, {"none"}, {"progress", "yes"}};
  c.note = sprintf ("%d, %d, %d, %s and %s pages %s, %s", size_, mat2str (dx), mat2str (dy), types, strjoin (unique ([n1, n2]), "; "));
  c.check = @(c, out) check_product (c, out, X, Y, w);
endfunction

% Each element with the bound of any order of the sums.
function texts = check_product (c, out, X, Y, w)
  Z = out{1};
  k = size (X)(1 + strcmp (w{1}, "none"));
  texts = told (isa (Z, class (X(1:0) + Y(1:0))) && iscomplex (Z) <= (iscomplex (X) || iscomplex (Y)), "class");
  e = double (eps (class (Z)));
  [dx, dy] = deal (size (X), size (Y));
  [dx(end+1:ndims (Z)), dy(end+1:ndims (Z))] = deal (1);
  for p = 1:size (Z(:,:,:), 3)
    at = cell (1, max (ndims (Z) - 2, 1));
    [at{:}] = ind2sub ([size(Z)(3:end), 1, 1], p);
    x = page_of (X, at, w{1});
    y = page_of (Y, at, w{2});
    z = double (Z(:,:,p));
    size_ = abs (x) * abs (y);
    off = abs (z - x * y);
    sure = size_ < 0.1 * double (realmax (class (Z)));
    if (! all (isfinite ([x(:); y(:)])) || (! strcmp (class (X), class (Y)) && any ([x(:); y(:)] > 1e30)))
      sure(:) = false;                  # what single precision does not hold
    endif
    bound = (2 * (k + 2) * e * size_ + (k + 1) * double (realmin (class (Z))) * e * 4);
    texts = [texts, told(isequal (size (z), size (size_)) && all ((off <= bound)(sure)), sprintf ("page %d: wrong by %g of the bound", p, worst ((off ./ bound)(sure))))];
  endfor
  if (isequal (X, Y) && any (strcmp (w, "ctranspose")) && any (strcmp (w, "none")) && all (isfinite (Z(:))))
    for p = 1:size (Z(:,:,:), 3)
      texts = [texts, told(isequal (Z(:,:,p), Z(:,:,p)'), sprintf ("page %d is not Hermitian", p))];
    endfor
  endif
endfunction

function x = page_of (X, at, word)
  for k = 1:numel (at)
    if (size (X, k + 2) == 1)
      at{k} = 1;
    endif
  endfor
  x = double (X(:,:,at{:}));
  switch (word)
    case "transpose"
      x = x.';
    case "ctranspose"
      x = x';
  endswitch
endfunction

function c = draw_norm (c)
  size_ = random_size (2);
  if (rand () < 0.25)
    size_(randi (2)) = 1;
  endif
  dims = random_size ("pages", prod (size_));
  type = "dszc"(randi (4));
  [A, names] = random_pages (size_(1), size_(2), dims, type);
  kinds = {{}, {1}, {2}, {Inf}, {"fro"}, {"inf"}};
  if (any (size_ == 1))
    kinds = [kinds, {{0.5}, {3}, {-Inf}, {7.5}}];
  endif
  p = kinds{randi (numel (kinds))};
  c.args = [{A}, p, random_options({"progress", {@(d, t) d <= t}}, 0.15)];
  c.paged = 1;
  c.pages = prod (dims);
  c.kinds = "p";
  c.wrong = {{3, 4}, {"nuc"}, {0}, {-1}, {NaN}, {"fro", "fro"}};
  if (any (size_ == 1) || isempty (p))
    c.wrong = {{"nuc"}, {{}}};
  endif
  if (isempty (A))
    c.wrong = {{"nuc"}};
  endif
  c.note = sprintf ("%dx%dx%d %s, %s", size_, c.pages, type, strjoin (unique (names), "; "));
  c.check = @(c, out) check_norm (c, out, [p, {2}]{1});
endfunction

function texts = check_norm (c, out, p)
  A = c.args{1};
  [m, n, P] = size (A);
  N = out{1};
  texts = told (isequal (size (N)(1:2), [1, 1]) && isa (N, class (A)) && isreal (N), "size or class");
  for q = 1:P
    a = double (A(:,:,q));
    if (! all (isfinite (a(:))))
      texts = [texts, told(! isfinite (N(q)) || isequal (p, -Inf) || (isnumeric (p) && p < 0), sprintf ("page %d: %g", q, N(q)))];
      continue;
    endif
    size_ = max ([abs(a(:)); 0]);
    power = floor (log2 (size_ + (size_ == 0)));
    up = @(x, b) x * 2 ^ fix (b / 2) * 2 ^ (b - fix (b / 2));
    expected = 0;
    if (! isempty (a))
      expected = up (norm (up (a, -power), p), power);
    endif
    if (expected < 0.99 * realmax (class (A)))
      r = abs (double (N(q)) - expected) / ((max (m, n) * double (eps (class (A))) * expected) + double (realmin (class (A))) * double (eps (class (A))) * (1 + m * n));
      texts = [texts, told(r <= 10, sprintf ("page %d: wrong by %g", q, r))];
    endif
  endfor
endfunction

function c = draw_diagonal (c, topic)
  size_ = random_size (2);
  if (rand () < 0.3)
    size_(randi (2)) = 1;
  endif
  dims = random_size ("pages", prod (size_));
  type = "dszc"(randi (4));
  [A, names] = random_pages (size_(1), size_(2), dims, type);
  of_page = @trace;
  c.args = {A};
  if (strcmp (topic, "pagediag"))
    k = randi ([-5, 5]);
    of_page = @(a) full (diag (a, k));
    c.args{2} = k;
  endif
  c.args = [c.args, random_options({"progress", {@(d, t) d <= t}}, 0.15)];
  c.paged = 1;
  c.pages = prod (dims);
  c.kinds = "p";
  c.wrong = {{"nuc"}, {{}}};
  c.note = sprintf ("%dx%dx%d %s, %s", size_, c.pages, type, strjoin (unique (names), "; "));
  c.check = @(c, out) check_diagonal (c, out, of_page);
endfunction

% Copies, and sums in the order of Octave's: the same bits but for which NaN it is.
function texts = check_diagonal (c, out, of_page)
  A = c.args{1};
  D = out{1};
  texts = told (isa (D, class (A)) && isequal (size (D)(3:end), size (A)(3:end)), "class or pages");
  for p = 1:size (A(:,:,:), 3)
    texts = [texts, told(isequaln (D(:,:,p), cast (of_page (full (A(:,:,p))), class (A))), sprintf ("page %d is wrong", p))];
  endfor
endfunction

% Arrays of any class.
function c = draw_transpose (c, topic)
  size_ = random_size (2);
  dims = random_size ("pages", prod (size_));
  A = round (10 * random_pages (size_(1), size_(2), dims, "dz"(randi (2)), "any", false));
  A(isnan (A)) = 0;
  r = randi (9);
  # from version 8 on Octave has these functions, and its pagectranspose is for numbers
  if (r >= 6 && r <= 8 && strcmp (topic, "pagectranspose") && compare_versions (version (), "8", ">="))
    r = 1;
  endif
  if (r < 8)
    class_ = {"double", "single", "int8", "uint32", "int64", "logical", "char"}{r};
    if (r > 2)
      A = abs (real (A));
    endif
    A = cast (min (A, 100), class_);
  elseif (r == 8)
    A = num2cell (real (A));
  elseif (ndims (A) == 2)
    A = sparse (A);
  endif
  c.args = {A};
  c.note = sprintf ("%s %s", class (A), mat2str (size (A)));
  c.check = @(c, out) check_transpose (c, out, topic);
endfunction

function texts = check_transpose (c, out, topic)
  A = c.args{1};
  wanted = permute (A, [2, 1, 3:ndims(A)]);
  if (isnumeric (A) && strcmp (topic, "pagectranspose"))
    wanted = conj (wanted);
  endif
  texts = told (isequal (out{1}, wanted) && strcmp (class (out{1}), class (A)), "wrong");
endfunction

function texts = told (ok, text)
  texts = {text}(! ok);
endfunction

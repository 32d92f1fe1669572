% tests/octave/random_systems.m: random calls of pagemldivide, pagemrdivide and pageinv, see random_call
% SPDX-License-Identifier: GPL-3.0-or-later

function c = random_systems (c, topic)
  n = random_size (1);
  dims = random_size ("pages", 3 * n ^ 2);
  type = "dszc"(randi (4));
  what = {"any", "regular", "definite", "regular"}{randi (4)};
  m = n;
  if (! strcmp (topic, "pageinv") && rand () < 0.25)
    m = random_size (1);                # least squares
    what = "any";
  endif
  [A, names, bad] = random_pages (m, n, dims, type, what, false);
  c.pages = prod (dims);
  c.kinds = "ppc";
  c.nout = randi (3);
  c.note = sprintf ("%dx%dx%d %s, %s", m, n, c.pages, type, strjoin (unique (names), "; "));
  if (strcmp (topic, "pageinv"))
    c.args = [{A}, random_options({"progress", {@(d, t) d <= t}}, 0.15)];
    c.paged = 1;
    c.wrong = {{1}, {"transpose"}, {"none"}};
    c.check = @(c, out) check_inverse (c, out, bad, what);
    return;
  endif
  right = strcmp (topic, "pagemrdivide");
  word = {{}, {"none"}, {"transpose"}, {"ctranspose"}}{randi (4)};
  turned = ! isempty (word) && ! strcmp (word{1}, "none");
  k = random_size (1, 8);
  size_ = [merge(xor (turned, right), n, m), k];
  if (right)
    size_ = fliplr (size_);
  endif
  pages = dims;
  if (rand () < 0.2)
    pages = 1;
  endif
  type2 = {type, "dszc"(randi (4))}{randi (2)};
  [B, ~, bad2] = random_pages (size_(1), size_(2), pages, type2, "any", false);
  single_a = rand () < 0.15 && c.pages > 1 && ! isequal (pages, 1);
  if (single_a)                         # one matrix for all pages
    A = A(:,:,1);
    bad = bad(1);
  endif
  if (right)
    c.args = [{B, A}, word];
  else
    c.args = [{A}, word, {B}];
  endif
  at = [1 + right, numel(c.args)];
  if (right)
    at = [2, 1];
  endif
  c.args = [c.args, random_options({"progress", {@(d, t) d <= t}}, 0.15)];
  counts = [size(A(:,:,:), 3), size(B(:,:,:), 3)];
  c.pages = max (counts) * all (counts > 0);
  c.paged = at(counts == c.pages);
  if (counts(1) != c.pages)
    c.kinds = "p-c";
  endif
  c.wrong = {{"none", 1}, {"progress", {}}, {"econ"}};
  c.note = sprintf ("%s, B %dx%dx%d %s, %s", c.note, size_, prod (pages), type2, [word, {""}]{1});
  c.check = @(c, out) check_system (c, out, A, B, bad, bad2, [word, {"none"}]{1}, right, what);
endfunction

function A = turned_page (A, word)
  switch (word)
    case "transpose"
      A = A.';
    case "ctranspose"
      A = A';
  endswitch
endfunction

% Square regular pages: LAPACK's backward error. Others: the normal equations, where the page says what rank it found.
function texts = check_system (c, out, A, B, bad, bad2, word, right, what)
  X = out{1};
  cls = class (A(1:0) + B(1:0));
  texts = told (isa (X, cls) && iscomplex (X) <= (iscomplex (A) || iscomplex (B)) && size (X(:,:,:), 3) == max (c.pages, 0), "class or pages");
  e = double (eps (cls));
  if (isempty (A) || isempty (B))
    return;
  endif
  [m, n, ~] = size (A);
  if (xor (right, ! strcmp (word, "none") && ! strcmp (word, "")))
    [m, n] = deal (n, m);
  endif
  regular = isa (A, cls);
  [A, bad] = random_cast (A, cls);
  [B, bad2] = random_cast (B, cls);
  for p = 1:c.pages
    a = turned_page (double (A(:,:,min (p, end))), word);
    b = double (B(:,:,min (p, end)));
    x = double (X(:,:,p));
    if (right)
      [a, b, x] = deal (a.', b.', x.');
    endif
    nan_ = bad(min (p, end));
    if (c.nout > 2)
      info = double (out{3}(p));
      if (m == n)
        texts = [texts, told((info == n + 1) == nan_, sprintf ("page %d: info %d", p, info))];
        if (strcmp (what, "regular") && ! nan_ && regular)
          texts = [texts, told(info == 0, sprintf ("page %d: info %d of a regular page", p, info))];
        endif
      endif
    endif
    if (nan_ || bad2(min (p, end)) || random_extreme (a, cls, b))
      continue;
    endif
    if (m == n && any (strcmp (what, {"regular", "definite"})))
      r = worst (norm (b - a * x, 1, "columns") ./ (n * e * norm (a, 1) * norm (x, 1, "columns") + (1 + norm (a, 1)) * double (realmin (cls))));
      texts = [texts, told(r <= 10, sprintf ("page %d: backward error %g", p, r))];
    elseif (m != n)
      r = random_residual (a, x, b, cls);
      texts = [texts, told(r <= 60, sprintf ("page %d: residual of the normal equations %g", p, r))];
    endif
  endfor
endfunction

function texts = check_inverse (c, out, bad, what)
  A = c.args{1};
  Y = out{1};
  n = rows (A);
  texts = told (isequal (size (Y), size (A)) && isa (Y, class (A)) && iscomplex (Y) <= iscomplex (A), "size or class");
  e = double (eps (class (A)));
  for p = 1:c.pages
    x = double (A(:,:,p));
    y = double (Y(:,:,p));
    if (bad(p))
      texts = [texts, told(all (isnan (y(:))), sprintf ("page %d: not NaN", p))];
      continue;
    endif
    if (c.nout > 1)
      rc = double (out{2}(p));
      texts = [texts, told(n == 0 || (rc >= 0 && rc <= 1 + 10 * n * e), sprintf ("page %d: rcond %g", p, rc))];
    endif
    if (c.nout > 2)
      info = double (out{3}(p));
      texts = [texts, told(info <= n && (info == 0 || all (y(:) == Inf)), sprintf ("page %d: info %d", p, info))];
    endif
    if (any (strcmp (what, {"regular", "definite"})) && n > 0)
      unit = n * e * norm (x, 1) * norm (y, 1);
      r = min (one_norm (eye (n) - x * y), one_norm (eye (n) - y * x)) / unit;
      texts = [texts, told(r <= 10, sprintf ("page %d: residual %g", p, r))];
      if (strcmp (what, "definite") && ishermitian (A(:,:,p)))
        texts = [texts, told(ishermitian (Y(:,:,p)), sprintf ("page %d: not Hermitian", p))];
      endif
    endif
  endfor
endfunction

function texts = told (ok, text)
  texts = {text}(! ok);
endfunction

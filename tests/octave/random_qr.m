% tests/octave/random_qr.m: random calls of qr_block in all its forms, see random_call
% SPDX-License-Identifier: GPL-3.0-or-later

function c = random_qr (c, topic)
  c.name = "qr_block";
  size_ = random_size (2);
  if (rand () < 0.1)
    size_(1) = randi (400);             # tall
  endif
  dims = random_size ("pages", 3 * prod (size_));
  type = "dszc"(randi (4));
  solve = strcmp (topic, "qr_block solve");
  [A, names, bad] = random_pages (size_(1), size_(2), dims, type, "any", ! solve);
  form = {{}, {0}, {"econ"}, {"0"}}{randi (4)};
  options = random_options ({"block", {1, 4, 8, 32, 1000}; "progress", {@(d, t) d <= t}}, 0.15);
  c.paged = 1;
  c.pages = prod (dims);
  B = {};
  if (solve || rand () < 0.25)
    B = {random_pages(size_(1), random_size (1, 8), dims, {type, "dszc"(randi(4))}{randi(2)}, "any", ! solve)};
    c.paged = [1, 2];
  endif
  if (solve)
    c.args = [{A}, B, {"solve"}, options];
    c.nout = randi (2);
    c.kinds = "pc";
    c.check = @(c, out) check_solve (c, out, bad);
    c.wrong = {{"wy"}, {"vector"}, {"block", 0}, {"block", 1.5}};
  elseif (isempty (B) && rand () < 0.2)
    c.args = [{A}, form, {"wy"}, options];
    c.nout = 3;
    c.kinds = "ppp";
    c.check = @(c, out) check_wy (c, out, bad);
    c.wrong = {{"solve"}, {"vector"}, {"block", -1}};
  else
    c.nout = randi ([1 + ! isempty(B), 3]);
    c.args = [{A}, B, form, {{}, {"vector"}, {"matrix"}}{merge(c.nout == 3, randi (3), 1)}, options];
    c.kinds = "ppp";
    c.check = @(c, out) check_factors (c, out, bad, B);
    c.wrong = {{"block", 0}, {"block", NaN}, {"solve", "wy"}, {"mpi", "cols"}};
  endif
  if (c.nout == 1)
    c.kinds = "p";
  endif
  c.note = sprintf ("%dx%dx%d %s, %s", size_, c.pages, type, strjoin (unique (names), "; "));
endfunction

function is = economy (args)
  words = args(cellfun (@ischar, args));
  is = any (ismember (tolower (words), {"econ", "0"})) || any (cellfun (@(a) isnumeric (a) && isequal (a, 0), args(2:min (3, end))));
endfunction

% Factors: |A - QR|, orthogonality, the order of pivots, and products with B. Where Q is not asked for it is computed by
% another call with it.
function texts = check_factors (c, out, bad, B)
  A = c.args{1};
  [m, n, P] = size (A);
  k = min (m, n);
  econ = economy (c.args);
  if (! isempty (B))
    econ = economy (c.args(cellfun (@(a) ischar (a) || isequal (a, 0), c.args))) || (numel (c.args) > 2 && isequal (c.args{3}, 0));
  endif
  R = out{min (2, c.nout)};
  wanted = [merge(econ, k, m), n];
  texts = told (isequal (size (R)(1:2), wanted) && isa (R, class (A(1:0) + [B, {A}]{1}(1:0))), ...
                sprintf ("R has the size %s and the class %s", mat2str (size (R)), class (R)));
  if (! isempty (texts) || P == 0 || isempty (A) || isa (R, class (A)) == 0)
    return;
  endif
  R = R(:,:,:);
  form = {{0}, {}}{2 - econ};
  % With another block size the last columns of Q are other rounding errors where columns depend on each other. CPU and GPU may
  % choose other signs where an element on the diagonal is 0 before its reflection.
  for at = find (cellfun (@(a) ischar (a) && any (strcmpi (a, {"block", "device"})), c.args))
    form = [form, c.args([at, at + 1])];
  endfor
  if (! isempty (B) && iscomplex (B{1}))
    A = complex (A);                    # the factors are complex then
  endif
  if (c.nout == 3)
    order = out{3}(:,:,:);
    [Q, R0, ~] = qr_block (A, form{:});
  elseif (c.nout == 2 && isempty (B))
    Q = out{1};
    R0 = R;
  else
    [Q, R0] = qr_block (A, form{:});
  endif
  if (c.nout == 3 && isempty (B))
    Q = out{1};
    R0 = R;
  endif
  Q = Q(:,:,:);
  for p = find (! bad).'
    a = A(:,:,p);
    if (c.nout == 3)
      [a, text] = pivoted (a, order(:,:,p), R(:,:,p), p);
      texts = [texts, text];
    endif
    if (worst (norm (double (a) / realmax (class (A)), "columns")) >= 0.999)
      continue;                         # a column that R cannot hold
    endif
    if (isempty (B))
      [lapack, strict] = qr_ratios (a, Q(:,:,p), R(:,:,p));
      texts = [texts, told(all (lapack < 30) && all (strict <= 10), ...
                           sprintf ("page %d: ratios %s %s", p, mat2str (lapack, 3), mat2str (strict, 3)))];
    else
      texts = [texts, check_c(out{1}(:,:,p), Q(:,:,p), B{1}(:,:,p), p)];
    endif
  endfor
endfunction

% The columns in the order of P, and whether it is one, and whether |diag (R)| does not grow.
function [a, texts] = pivoted (a, order, R, p)
  n = columns (a);
  if (rows (order) == n && n != 1)
    texts = told (isequal (order' * order, eye (n)) && all (any (order == [0; 1](:,ones (1, 1))(2), 1)), sprintf ("page %d: P is no permutation", p));
    a = a * order;
  else
    texts = told (isequal (sort (order), 1:n), sprintf ("page %d: P is no permutation", p));
    a = a(:,order);
  endif
  k = min (size (R));
  d = abs (double (diag (R(1:k,1:k))));
  most = max ([d; 0]);
  least = merge (isa (R, "single"), 2 ^ -149, 2 ^ -1074);
  texts = [texts, told(worst ([0; diff(d)]) <= 10 * k * (double (eps (class (R))) * most + least), sprintf ("page %d: |diag (R)| grows", p))];
endfunction

function texts = check_c (C, Q, B, p)
  texts = {};
  c = double (C);
  b = random_cast (B, class (C));
  if (! all (isfinite (b(:))) || any (abs (b(:)) > 0.001 * double (realmax (class (C)))))
    return;
  endif
  e = double (eps (class (C)));
  off = norm (c - double (Q)' * b, "columns") ./ (rows (b) * (e * norm (b, "columns") + double (realmin (class (C)))) + (norm (b, "columns") == 0));
  texts = told (worst (off) <= 60, sprintf ("page %d: Q'*B is off by %g", p, worst (off)));
endfunction

function texts = check_wy (c, out, bad)
  A = c.args{1};
  [m, n, P] = size (A);
  k = min (m, n);
  [W, Y, R] = out{:};
  texts = told (isequal (size (W)(1:2), [m, k]) && isequal (size (Y)(1:2), [m, k]), "sizes of W and Y");
  for p = find (! bad).'
    y = Y(:,:,p);
    texts = [texts, told(isempty (y) || isequal (tril (y, -1) + eye (m, k), y), sprintf ("page %d: Y is not unit lower trapezoidal", p))];
    q = eye (m) + double (W(:,:,p)) * double (y)';
    r = R(:,:,p);
    q = q(:,1:rows (r));
    if (! isempty (A) && worst (norm (double (A(:,:,p)) / realmax (class (A)), "columns")) < 0.999)
      [lapack, strict] = qr_ratios (A(:,:,p), q, r);
      texts = [texts, told(all (lapack < 30) && all (strict <= 10), ...
                           sprintf ("page %d: ratios %s %s", p, mat2str (lapack, 3), mat2str (strict, 3)))];
    endif
  endfor
endfunction

% Least squares: the residual of the normal equations, with the columns of A scaled to one length.
function texts = check_solve (c, out, bad)
  [A, B] = c.args{1:2};
  [m, n, P] = size (A);
  X = out{1};
  texts = told (isequal (size (X)(1:2), [n, columns(B)]) && isa (X, class (A(1:0) + B(1:0))), "size or class");
  if (isempty (A) || isempty (B))
    return;
  endif
  cls = class (X);
  [A, bad] = random_cast (A, cls);
  B = random_cast (B, cls);
  for p = 1:P
    a = double (A(:,:,p));
    b = double (B(:,:,p));
    x = double (X(:,:,p));
    if (c.nout > 1)
      info = double (out{2}(p));
      nan_ = bad(p) || ! all (isfinite (b(:)));
      texts = [texts, told((info == n + 1) == nan_ && info >= 0 && info <= n + 1, sprintf ("page %d: info %d", p, info))];
    endif
    if (bad(p) || ! all (isfinite (b(:))) || random_extreme (a, cls, b))
      continue;
    endif
    r = random_residual (a, x, b, cls);
    texts = [texts, told(r <= 60, sprintf ("page %d: residual of the normal equations %g", p, r))];
  endfor
endfunction

function texts = told (ok, text)
  texts = {text}(! ok);
endfunction

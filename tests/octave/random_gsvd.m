% tests/octave/random_gsvd.m: random calls of gsvd_hz and gevd_hz, see random_call
% SPDX-License-Identifier: GPL-3.0-or-later

function c = random_gsvd (c, topic)
  size_ = random_size (3, 30);
  if (rand () < 0.5)
    size_ = [max(size_), max(size_), min(size_)];
  endif
  dims = random_size ("pages", 12 * sum (size_) ^ 2);
  type = "dszc"(randi (4));
  [A, B, names, bad, pages] = draw_pair (size_, dims, type);
  c.pages = pages;
  c.paged = [1, 2]([size(A(:,:,:), 3), size(B(:,:,:), 3)] == pages);
  options = random_options ({"method", {"hz", "tangent", "auto"}; "blocking", {"bo", "fb"}; "ordering", {"me", "mm"}; ...
                             "block", {4, 8, 32}; "progress", {@(d, t) true}}, 0.15);
  c.wrong = {{"method", "qr"}, {"blocking", "xx"}, {"ordering", 1}, {"block", 0}, {"block", 2.5}, {"tol", 1e-3}, {"mpi", "all"}};
  if (strcmp (topic, "gsvd_hz"))
    form = {{}, {0}, {"econ"}, {"0"}}{randi (4)};
    c.args = [{A, B}, form, options];
    c.nout = [1, 5, 6](randi (3));
    c.kinds = merge (c.nout == 1, "p", "ppppps");
    c.check = @(c, out) check_gsvd (c, out, bad, ! isempty (form));
  else
    c.args = [{A, B}, options];
    c.nout = [1, 2, 4](randi (3));
    c.kinds = "pppp";
    c.check = @(c, out) check_gevd (c, out, bad);
  endif
  c.note = sprintf ("%d, %d x %d x %d %s, %s", size_, pages, type, names);
endfunction

function [A, B, names, bad, pages] = draw_pair (size_, dims, type)
  pages = prod (dims);
  at = {dims, dims};
  if (rand () < 0.2)
    at{randi(2)} = 1;
  endif
  if (rand () < 0.2 && all (size_ > 1) && pages > 0)
    [A, B, its] = hard_pairs (size_(1), size_(2), size_(3), type);
    later = randi (2 ^ 31 - 1);
    some = randi (numel (its), 1, min (pages, 6));
    names = ["hard: ", strjoin(unique (its(some)), "; ")];
    [A, B] = deal (A(:,:,some), B(:,:,some));
    if (any (type == "zc"))
      [A, B] = deal (complex (A), complex (B));
    endif
    pages = numel (some);
    bad = false (pages, 1);
    return;
  endif
  [A, n1, bad1] = random_pages (size_(1), size_(3), at{1}, type, "any", rand () < 0.2);
  [B, n2, bad2] = random_pages (size_(2), size_(3), at{2}, type, "any", rand () < 0.2);
  names = strjoin (unique ([n1, n2]), "; ");
  bad = bad1 | bad2;
  if (isempty (bad))
    bad = false (pages, 1);
  elseif (isscalar (bad))
    bad = repmat (bad, pages, 1);
  endif
endfunction

function [A, B] = whole_pair (c)
  [A, B] = c.args{1:2};
  A = A(:,:,:);
  B = B(:,:,:);
  if (size (A, 3) == 1)
    A = repmat (A, [1, 1, c.pages]);
  endif
  if (size (B, 3) == 1)
    B = repmat (B, [1, 1, c.pages]);
  endif
endfunction

function texts = check_gsvd (c, out, bad, econ)
  [A, B] = whole_pair (c);
  [m, p, ~] = size (A);
  n = rows (B);
  q = min (m + n, p);
  cls = class (A);
  if (c.nout == 1)
    s = out{1};
    texts = told (isequal (size (s)(1:2), [q, 1]) && isa (s, cls) && isreal (s), "size or class of sigma");
    if (any (strcmp (c.args, "auto")) || q == 0)
      return;
    endif
    for k = find (! bad).'
      d = double (s(:,1,k));
      texts = [texts, told(all (isnan (d)) || (all (d >= 0) && issorted (d)), sprintf ("page %d: values do not ascend", k))];
    endfor
    return;
  endif
  [U, V, X, C, S] = out{1:5};
  wanted = {[m, m], [n, n], [p, q], [m, q], [n, q]};
  if (econ)
    wanted = {[m, min(m, q)], [n, min(n, q)], [p, q], [min(m, q), q], [min(n, q), q]};
  endif
  for k = 1:5
    texts{k} = told (isequal (size (out{k})(1:2), wanted{k}) && isa (out{k}, cls), sprintf ("output %d is %s", k, mat2str (size (out{k}))));
  endfor
  texts = [texts{:}];
  beyond = squeeze (all (all (isnan (X), 1), 2))(:);
  if (c.nout == 6)
    info = double (out{6}.info(:));
    texts = [texts, told(isempty (A) || isempty (B) || all (info(bad) == p + 1), sprintf ("info %s", mat2str (info.')))];
    texts = [texts, told(all (info(! bad) <= 1), sprintf ("info %s", mat2str (info.')))];
    beyond = info != 0;
  endif
  if (isempty (A) || isempty (B))
    return;
  endif
  tiny = @(X) reshape (max (max (abs (X), [], 1), [], 2), [], 1) < 100 * realmin (cls) & reshape (any (any (X, 1), 2), [], 1);
  good = find (! bad & ! beyond & ! tiny (A) & ! tiny (B));     # of denormal numbers there are no relative errors
  if (isempty (good))
    return;
  endif
  r = gsvd_ratios (A(:,:,good), B(:,:,good), U(:,:,good), V(:,:,good), X(:,:,good), C(:,:,good), S(:,:,good));
  # of a complex pair of order 1 the modulus of U is off by up to 7 eps
  for k = find (any (r > 10 * (1 + (max ([m, n, p]) == 1)), 2)).'
    texts = [texts, told(false, sprintf ("page %d: ratios %s", good(k), mat2str (r(k,:), 3)))];
  endfor
endfunction

% The values are the squares of those of gsvd_hz, Z'*A'*A*Z = C'*C where X is well conditioned.
function texts = check_gevd (c, out, bad)
  [A, B] = whole_pair (c);
  [m, p, ~] = size (A);
  q = min (m + rows (B), p);
  lambda = out{1 + (c.nout > 1)};
  texts = told (isequal (size (lambda)(1:2), [q, 1]) && isa (lambda, class (A)), "size or class of lambda");
  options = c.args(3:end);
  sigma = gsvd_hz (c.args{1:2}, options{:});
  sigma = reshape (sigma, q, c.pages) .^ 2;
  lambda = reshape (lambda, q, c.pages);
  differs = ! (isnan (lambda) | lambda == sigma);
  texts = [texts, told(! any (differs(:)), "lambda is not the square of sigma")];
  if (c.nout == 1 || isempty (A) || isempty (B))
    return;
  endif
  Z = out{1};
  texts = [texts, told(isequal (size (Z)(1:2), [p, q]), "size of Z")];
  if (c.nout < 4)
    return;
  endif
  [~, ~, C, S] = out{:};
  e = 30 * max ([m, rows(B), p]) * double (eps (class (A)));
  for k = find (! bad).'
    z = double (Z(:,:,k));
    [a, b] = deal (double (A(:,:,k)), double (B(:,:,k)));
    if (any (isnan (z(:))) || ! (cond (z ./ norm (z, "columns")) < 1e3) || max (norm (z, "columns")) > 1e100)
      continue;
    endif
    r = [norm((a * z)' * (a * z) - double (C(:,:,k)' * C(:,:,k)), "fro"), norm((b * z)' * (b * z) - double (S(:,:,k)' * S(:,:,k)), "fro")] ...
        ./ (e * 1e3 * [(norm (a) * norm (z)) ^ 2 + 1, (norm (b) * norm (z)) ^ 2 + 1]);
    texts = [texts, told(all (r <= 1), sprintf ("page %d: Z'A'AZ, Z'B'BZ are off by %s", k, mat2str (r, 3)))];
  endfor
endfunction

function texts = told (ok, text)
  texts = {text}(! ok);
endfunction

% tests/octave/random_sparse.m: random calls of eigs_lanczos, spmv and spmv_plan, see random_call
% SPDX-License-Identifier: GPL-3.0-or-later

function c = random_sparse (c, topic)
  switch (topic)
    case "eigs_lanczos"
      c = draw_eigs (c);
    case "spmv"
      c = draw_product (c);
    case "spmv_plan"
      c = draw_plan (c);
  endswitch
endfunction

% A sparse matrix of some kind: random, with empty rows, one long row, a graph, a band, equal values, logical, complex.
function A = matrix (m, n)
  kind = randi (8);
  A = sprandn (m, n, 10 ^ (-2 * rand ()));
  switch (kind)
    case 1
      A(rand (m, 1) < 0.5,:) = 0;
    case 2
      if (m > 0)
        A(randi (m),:) = randn (1, n);
      endif
    case 3
      A = A != 0;
    case 4
      A = 2.5 * (A != 0);
    case {5, 6}
      [i, j, x] = find (A);
      A = sparse (i, j, complex (x, randn (size (x))), m, n);
    case 7
      A = spdiags (randn (max (m, n), 3), [-1, 0, 2], m, n);
  endswitch
endfunction

function n = some_size ()
  n = randi (60);
  r = rand ();
  if (r < 0.05)
    n = 0;
  elseif (r < 0.3)
    n = randi (2000);
  endif
endfunction

%-------------------------------------------------------------------------------
% products
%-------------------------------------------------------------------------------

function x = vectors (n, single_)
  x = randn (n, [1, 1, randi([0, 9])](randi (3)));
  if (rand () < 0.2)
    x = complex (x, randn (size (x)));
  endif
  if (rand () < single_)
    x = single (x);
  endif
endfunction

function c = draw_product (c)
  A = matrix (some_size (), some_size ());
  op = {{}, {}, {"transpose"}, {"ctranspose"}}{randi (4)};
  x = vectors (size (A)(1 + isempty (op)), 0.3);
  if (! isempty (x) && rand () < 0.05)
    x(randi (numel (x))) = [NaN, Inf](randi (2));
  endif
  given = A;
  if (rand () < 0.3)
    given = spmv_plan (A);
  endif
  c.args = [{given, x}, op, random_options(cell (0, 2), 0.3)];
  c.wrong = {{"method", "fast"}, {"trans"}, {"mpi", "cols"}, {1}};
  c.note = sprintf ("%dx%d %s, %d nonzeros, %d vectors %s, %s", size (A), class (A), nnz (A), columns (x), class (x), class (given));
  c.check = @(c, out) check_product (out{1}, A, x, op, false);
endfunction

function texts = check_product (y, A, x, op, single_)
  B = double (A);
  if (! isempty (op))
    B = feval (op{1}, B);
  endif
  texts = told (isequal (size (y), [rows(B), columns(x)]) && isa (y, "single") == (isa (x, "single") || single_), "size or class");
  if (! all (isfinite (x(:))) || ! isempty (texts))
    return;
  endif
  e = double (eps (class (y)));
  bound = (2 * columns (B) + 4) * e * (abs (B) * abs (double (x)));
  off = abs (double (y) - B * double (x));
  texts = told (all ((off <= bound)(:)), sprintf ("off by %g", worst (off)));
endfunction

% The plan is made and used: P*x, x'*P, P.'*x.
function c = draw_plan (c)
  A = matrix (some_size (), some_size ());
  precision = {"double", "single"}{randi (2)};
  options = random_options ({"method", {"auto", "scalar", "vector", "group", "balanced"}}, 0.3);
  c.args = [{A, "precision", precision}, options];
  c.wrong = {{"method", "fast"}, {"precision", "half"}, {"precision", 1}, {"transpose"}};
  c.note = sprintf ("%dx%d %s, %d nonzeros, %s", size (A), class (A), nnz (A), precision);
  x = vectors (columns (A), 0.3);
  y = vectors (rows (A), 0.3);
  c.check = @(c, out) check_plan (out{1}, A, x, y, strcmp (precision, "single"));
endfunction

function texts = check_plan (P, A, x, y, single_)
  texts = told (isequal (size (P), size (A)) && isequal (P.matrix, A), "the matrix of the plan");
  if (single_)
    A = sparse (double (single (full (double (A)))));
  endif
  texts = [texts, check_product(P * x, A, x, {}, single_), check_product(P.' * y, A, y, {"transpose"}, single_), ...
           check_product(P' * y, A, y, {"ctranspose"}, single_), check_product(spmv (P, y, "transpose"), A, y, {"transpose"}, single_)];
  texts = [texts, told(isequal (P * x, P * x), "another product has other bits")];
endfunction

%-------------------------------------------------------------------------------
% eigs_lanczos
%-------------------------------------------------------------------------------

function c = draw_eigs (c)
  n = randi (120);
  if (rand () < 0.3)
    n = randi ([200, 500]);
  endif
  A = matrix (n, n);
  A = double (A);
  A = A + A';
  switch (randi (6))
    case 1
      A = A * 10 ^ randi ([-100, 100]);
    case 2
      if (n > 4)
        A = ba_graph (n, 2, randi (1e6));
      endif
    case 3
      A = spdiags ([-1, 2, -1] .* ones (n, 1), -1:1, n, n);
    case 4
      A = full (A);
      if (rand () < 0.5)
        A = single (A);
      endif
  endswitch
  k = randi (min (n, 8));
  e = double (eps (merge (isa (A, "single"), "single", "double")));
  sigma = {"lm", "la", "sa", "be", "sm", "la", "sa", 0.3}{randi (8)};
  options = random_options ({"seed", {0, 7, 12345}; "certify", {true}; "tol", {1e-13, eps}; "FailureTreatment", {"replacenan"}; ...
                             "block", {1, 2, 4}; "v0", {ones(n, 1)}; "progress", {@(d, t) true}}, 0.12);
  given = {A};
  r = rand ();
  if (r < 0.1 && issparse (A))
    given = {spmv_plan(A)};
  elseif (r < 0.2 && ischar (sigma) && ! strcmp (sigma, "sm") && issparse (A))
    given = {@(x) A * x, n};
    if (iscomplex (A))
      options = [options, {"isreal", false}];
    endif
  elseif (r < 0.3 && issparse (A) && full (max (abs (A(:)))) < 1e20 && full (max (abs (A(:)))) > 1e-20)
    options = [options, {"precision", "single"}];
    e = double (eps ("single"));
  endif
  c.args = [given, {k, sigma}, options];
  c.nout = randi (4);
  c.kinds = "----";
  c.wrong = {{"sigma", 1}, {"tol", -1}, {"maxit", 0}, {"p", 0}, {"v0", [1; 2]}, {"seed", -1}, {"method", "qr"}, {"block", 9}, {"block", 0}, ...
             {"steps", 3}, {"precision", "half"}, {"issym", false}, {"vectors", "cpu"}};
  if (n == 2)
    c.wrong = {};
  endif
  c.note = sprintf ("%dx%d %s, %d nonzeros, %d %s", n, n, class (A), nnz (A), k, num2str (sigma));
  c.check = @(c, out) check_eigs (c, out, A, k, sigma, e);
endfunction

function texts = check_eigs (c, out, A, k, sigma, e)
  a = double (full (A));
  w = eig ((a + a') / 2);
  size_ = max (abs (w)) + realmin;
  d = double (out{1});
  V = [];
  if (c.nout > 1)
    V = double (out{1});
    d = double (diag (out{2}));
  endif
  texts = told (numel (d) == k, sprintf ("%d values", numel (d)));
  if (! isempty (texts) || any (isnan (d)))
    texts = [texts, told(c.nout < 3 || out{3} != 0 || ! any (isnan (d)), "NaN, but flag is 0")];
    return;
  endif
  wanted = chosen (w, k, sigma);
  same = abs (sort (d) - sort (wanted(:))) <= 1e4 * e * size_;
  near_ = all (same) || (any (strcmp (sigma, {"lm", "sm"})) || isnumeric (sigma)) && all (abs (sort (distance (d, sigma)) - sort (distance (wanted(:), sigma))) <= 1e4 * e * size_);
  texts = told (near_, sprintf ("values are off by %g", worst (abs (sort (d) - sort (wanted(:)))) / size_));
  if (! isempty (V))
    r = norm (a * V - V .* d.', "fro") / (size_ * e);
    o = norm (V' * V - eye (k), "fro") / e;
    texts = [texts, told(r <= 1e4 && o <= 1e4, sprintf ("residual %g, orthogonality %g eps", r, o))];
  endif
endfunction

function x = distance (d, sigma)
  if (isnumeric (sigma))
    x = abs (d - sigma);
  else
    x = abs (d);
  endif
endfunction

function d = chosen (w, k, sigma)
  n = numel (w);
  if (isnumeric (sigma))
    [~, at] = sort (abs (w - sigma));
    d = w(at(1:k));
    return;
  endif
  switch (sigma)
    case "la"
      d = w(n-k+1:n);
    case "sa"
      d = w(1:k);
    case "be"
      d = w([1:floor(k / 2), n-ceil(k / 2)+1:n]);
    case "lm"
      [~, at] = sort (abs (w), "descend");
      d = w(at(1:k));
    otherwise
      [~, at] = sort (abs (w));
      d = w(at(1:k));
  endswitch
endfunction

function texts = told (ok, text)
  texts = {text}(! ok);
endfunction

% tests/octave/random_pagefunm.m: random calls of pagefunm, see random_call
% SPDX-License-Identifier: GPL-3.0-or-later

function c = random_pagefunm (c)
  n = random_size (1);
  dims = random_size ("pages", 2 * n ^ 2);
  P = prod (dims);
  type = "dszc"(randi (4));
  names = {"exp", "sqrt", "isqrt", "log", "inv", "power", "occupied", "handle"};
  fun = names{randi (8)};
  what = {"hermitian", "definite"}{1 + any(strcmp (fun, {"isqrt", "log", "inv", "power"})) * (rand () < 0.8)};
  [A, families, bad] = random_pages (n, n, dims, type, what, false);
  args = {fun};
  p = [-1, 0.5, 2, 3, -2, 0, 1, 1/3](randi (8));
  k = randi ([0, n]);
  s = 1;
  f = @exp;
  switch (fun)
    case "power"
      args = {fun, p};
      f = @(x) complex (x) .^ p;
    case "occupied"
      if (rand () < 0.3 && P > 0)
        k = randi ([0, n], P, 1);
      endif
      args = {fun, k};
    case "handle"
      args = {@(x) x ./ (1 + x .^ 2)};
      f = args{1};
    otherwise
      f = {@exp, @sqrt, @(x) 1 ./ sqrt(x), @log, @(x) 1 ./ x}{strcmp (fun, names(1:5))};
  endswitch
  if (rand () < 0.3 && ! strcmp (fun, "occupied"))
    s = {2, -0.5, 1i, -0.7i, 1 + 1i}{randi (merge (strcmp (fun, "exp"), 5, 1))};
    args = [args, {"scale", s}];
  endif
  triangle = {{}, {"lower"}, {"upper"}}{min(3, randi (8))};
  c.args = [{A}, args, triangle, random_options({"progress", {@(d, t) d <= t}})];
  c.nout = randi (2);
  c.paged = 1;
  if (! isscalar (k))
    c.each = 3;
  endif
  if (! isempty (strfind (c.name, "pagefunm")) && any (strcmp (fun, {"sqrt", "isqrt", "log", "power"})) && strcmp (what, "hermitian"))
    c.paged = c.each = [];              # one page with a negative eigenvalue makes all of them complex
  endif
  c.pages = P;
  c.kinds = "pc"(1:c.nout);
  c.wrong = {{"tol", -1}, {"floor", 1}, {"floor", -1}, {"scale", "x"}, {"scale", {}}, {"indefinite", "no"}};
  c.note = sprintf ("%dx%dx%d %s, %s, %s", n, n, P, type, fun, strjoin (unique (families), "; "));
  c.check = @(c, out) check_pagefunm (c, out, bad, fun, f, s, k, what);
  if (rand () < 0.15)                   # then the values are others, and only what holds of each call is checked
    c.args = [c.args, {{"floor", 0}, {"floor", 1e-3}, {"tol", 0}, {"tol", 1e-3}, {"indefinite", "nan"}}{randi(5)}];
    c.check = @(c, out) told (isequal (size (out{1}), size (c.args{1})), "F has another size");
  endif
endfunction

function texts = check_pagefunm (c, out, bad, fun, f, s, k, what)
  A = c.args{1};
  F = out{1};
  [n, ~, P] = size (A);
  texts = told (isequal (size (F), size (A)) && isa (F, class (A)), "F has another size or class");
  if (c.nout > 1)
    info = out{2};
    texts = [texts, told(all (info(bad) == n + 1), "info of pages with NaN")];
    bad = info != 0;
  else
    for p = 1:P
      bad(p) |= ! all (isfinite (F(:,:,p)(:)));
    endfor
  endif
  for p = find (! bad).'
    a = double (A(:,:,p) + A(:,:,p)') / 2;
    g = double (F(:,:,p));
    texts = [texts, told(all (isfinite (g(:))), sprintf ("page %d: not finite, info 0", p))];
    if (n == 0)
      continue;
    elseif (strcmp (fun, "occupied"))
      r = [norm(g * g - g), norm(g - g'), abs(trace (g) - k(min (p, end))), norm(a * g - g * a) / max(norm (a), realmin)];
      r /= n * double (eps (class (A)));
      texts = [texts, told(all (r <= 30), sprintf ("page %d: no projector, ratios %s", p, mat2str (r, 3)))];
    else
      texts = [texts, near_function(g, a, f, s, double (eps (class (A))), p)];
    endif
  endfor
endfunction

% F beside V * f (s * D) * V'. The bound is that of values that are off by n eps of the largest one, by which f
% changes as between values as near as that.
function texts = near_function (g, a, f, s, ulp, p)
  n = rows (a);
  [V, d] = eig (a, "vector");
  most = max ([abs(d); 0]);
  if (random_extreme (a, merge (ulp > 1e-10, "single", "double")))
    texts = {};
    return;
  endif
  step = 10 * n * ulp * most;
  clear_ = most == 0 || min (abs (d)) > 100 * step;
  if (! clear_)
    signed = f (s * 0.5);
    if (! isfinite (f (0)) || ! isreal (f (-s)) != 0 || abs (f (s * step)) > 1e-4)
      texts = {};                        # eigenvalues that are 0 to within rounding
      return;
    endif
  endif
  y = f (s * complex (d));
  change = max ([abs(f (s * complex (d + step)) - y); abs(f (s * complex (d - step)) - y); 0]);
  r = norm (g - (V .* y.') * V', "fro") / (change * n + 30 * n * ulp * (max ([abs(y); 0]) + realmin) + realmin);
  texts = told (r <= 3, sprintf ("page %d: F is wrong by %g of the bound", p, r));
endfunction

function texts = told (ok, text)
  texts = {text}(! ok);
endfunction

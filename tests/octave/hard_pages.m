% tests/octave/hard_pages.m: one Hermitian page of every class that is hard for an eigensolver
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [A, names] = hard_pages (n, type) returns an n-by-n-by-P array of class and complexity
% type ("s", "d", "c" or "z") and the names of its pages, after LAPACK's xDRVST and the
% tridiagonal test matrices of Marques, Voemel, Demmel and Parlett (ACM Algorithm 880).

function [A, names] = hard_pages (n, type)
  cplx = any (type == "cz");
  ulp = ifelse_ (any (type == "sc"), eps ("single"), eps);
  huge_ = ifelse_ (any (type == "sc"), 1e36, 1e300);
  pages = {};  names = {};
  function add (name, M)
    names{end+1} = name;
    pages{end+1} = M;
  endfunction
  k = (1:n)';
  U = orthonormal (n, cplx);
  spread = @(d) U * diag (d) * U';
  R = random_hermitian (n, cplx);

  add ("zero", zeros (n));
  add ("identity", eye (n));
  add ("diagonal, unsorted", diag (randperm (n) - n/2));
  add ("random", R);
  add ("random * 1e300", R * huge_);
  add ("random / 1e300", R / huge_);
  add ("denormal", R * realmin_ (type) * ulp * 64);
  add ("arithmetic", spread (1 - (k - 1) / max (n - 1, 1) * (1 - ulp)));
  add ("geometric", spread (ulp .^ ((k - 1) / max (n - 1, 1)) .* (-1) .^ k));
  add ("one large", spread ([1; ulp * ones(n - 1, 1)](1:n)));
  add ("one small", spread ([ones(n - 1, 1); ulp](end-n+1:end)));
  add ("clustered at sqrt(eps)", spread (1 + sqrt (ulp) * randn (n, 1)));
  add ("identity + eps * random", eye (n) + ulp * R);
  add ("three values + eps * random", diag (1 + mod (k - 1, 3)) + 450 * ulp * R);  # roots close to poles
  add ("log-uniform", spread (ulp .^ rand (n, 1)));
  x = R(:, 1);
  add ("rank 1", x * x');
  B = R(:, 1:max (1, floor (n/2)));
  add ("rank n/2", B * B');
  g = 10 .^ linspace (-4, 4, n)';
  add ("graded", (g * g') .* R);
  add ("graded, turned round", flipud (fliplr ((g * g') .* R)));
  add ("Wilkinson", diag (abs ((n - 1)/2 - (k - 1))) + diag (ones (n - 1, 1), 1) + diag (ones (n - 1, 1), -1));
  add ("1-2-1", 2 * eye (n) + diag (ones (n - 1, 1), 1) + diag (ones (n - 1, 1), -1));
  add ("glued Wilkinson", glued (n));
  c = sqrt (k(1:n-1) .* (n - k(1:n-1)));
  add ("Clement", diag (c, 1) + diag (c, -1));
  h = floor (n/2);
  Z = R;  Z(1:h, 1:h) = 0;  Z(h+1:n, h+1:n) = 0;
  add ("zero diagonal, bipartite", Z);
  S = R;  S(1:h, h+1:n) = 0;  S(h+1:n, 1:h) = 0;
  add ("block diagonal", S);
  add ("banded", R .* (abs (k - k') <= 2));
  if (cplx)
    K = triu (rand (n), 1);
    add ("imaginary off the diagonal", 1i * (K - K'));
  endif
  A = zeros (n, n, numel (pages));
  for p = 1:numel (pages)
    A(:,:,p) = (pages{p} + pages{p}') / 2;
  endfor
  if (any (type == "sc"))
    A = single (A);
    for p = 1:numel (pages)          # make pages exactly Hermitian again after rounding
      A(:,:,p) = tril (A(:,:,p)) + tril (A(:,:,p), -1)';
    endfor
  endif
  if (cplx)
    A = complex (A);
  endif
endfunction

function r = ifelse_ (condition, a, b)
  if (condition)
    r = a;
  else
    r = b;
  endif
endfunction

function r = realmin_ (type)
  r = ifelse_ (any (type == "sc"), double (realmin ("single")), realmin);
endfunction

function R = random_hermitian (n, cplx)
  R = 2 * rand (n) - 1;
  if (cplx)
    R += 1i * (2 * rand (n) - 1);
  endif
  R = (R + R') / 2;
endfunction

function U = orthonormal (n, cplx)
  G = randn (n);
  if (cplx)
    G += 1i * randn (n);
  endif
  [U, ~] = qr (G);
endfunction

function G = glued (n)
  G = zeros (n);
  for first = 1:21:n
    k = first:min (first + 20, n);
    m = numel (k);
    G(k,k) = diag (abs (10 - (0:m-1))) + diag (ones (m - 1, 1), 1) + diag (ones (m - 1, 1), -1);
    if (first > 1)
      G(first,first-1) = G(first-1,first) = 1e-9;
    endif
  endfor
endfunction

% tests/octave/sanitizer_set.m: a few pages through every kernel, for compute-sanitizer
% SPDX-License-Identifier: GPL-3.0-or-later
%
% Variables of the environment, lists with commas: batcheig runs for SIZES with METHODS; MAXIT ends Jacobi after
% so many sweeps, after which QR computes the pages again. Then qr_block runs for square, tall and wide pages of
% QR_SIZES; with QR_LARGE also by trees, blocks and matrix products; then for two pages each of QR_DIRECT (rows,
% columns, ...) and of QR_FAILING, where one page has two equal columns. Then gsvd_hz runs for pairs of GSVD_SIZES
% by both methods, batchsvd for square, tall and wide pages of SVD_SIZES, one of them singular and one denormal, and without vectors for a page of each of SVD_ALONE, spmv and eigs_lanczos for graphs of SPARSE nodes, and products, systems, inverses and functions of
% pages of PAGE_SIZES; and operations of gpuArrays with ARRAYS rows. The results are checked, too.

maxit = {};
if (! isempty (getenv ("MAXIT")))
  maxit = {"maxit", str2double(getenv ("MAXIT"))};
endif
for n = str2num (getenv ("SIZES"))
  for type = "zs"
    A = rand (n, n, 2) - 0.5;
    if (type == "z")
      A += 1i * (rand (n, n, 2) - 0.5);
    else
      A = single (A);
    endif
    A = (A + conj (permute (A, [2 1 3]))) / 2;
    for method = strsplit (getenv ("METHODS"), ",")
      [V, D] = batcheig (A, "vector", "method", method{1}, "device", "gpu", maxit{:});
      L = batcheig (A, "lower", "method", method{1}, "device", "gpu", maxit{:});
      if (! (norm (A(:,:,2) * V(:,:,2) - V(:,:,2) * diag (D(:,:,2))) < 1e-3) || any (isnan (L(:))))
        error ("n = %d %s %s is wrong", n, type, method{1});
      endif
    endfor
  endfor
endfor
for n = str2num (getenv ("QR_SIZES"))
  for shape = [n, 2 * n + 1, ceil(n / 2); n, n, n]
    for type = "zs"
      A = rand (shape(1), shape(2), 2) - 0.5;
      if (type == "z")
        A += 1i * (rand (size (A)) - 0.5);
      else
        A = single (A);
      endif
      [Q, R] = qr_block (A, "device", "gpu");
      [C, Re] = qr_block (A, A(:,1,:), 0, "device", "gpu");
      [W, Y] = qr_block (A, "wy", "device", "gpu");
      [Qp, Rp, P] = qr_block (A, 0, "device", "gpu");
      if (! (norm (A(:,:,2) - Q(:,:,2) * R(:,:,2)) < 1e-3 && norm (A(:,P(:,:,2),2) - Qp(:,:,2) * Rp(:,:,2)) < 1e-3 && ...
             norm (Q(:,:,2) - eye (shape(1)) - W(:,:,2) * Y(:,:,2)') < 1e-3 && norm (C(1,1,2) - R(1,1,2)) < 1e-3))
        error ("%d x %d %s is wrong", shape, type);
      endif
    endfor
  endfor
endfor
if (! isempty (getenv ("QR_LARGE")))
  for shape = [9000, 5000, 700, 300; 40, 33, 600, 700]
    A = rand (shape(1), shape(2)) + 1i * rand (shape(1), shape(2));
    [Q, R] = qr_block (A, 0, "device", "gpu");
    if (! (norm (A - Q * R) < 1e-9))
      error ("%d x %d is wrong", shape);
    endif
  endfor
endif
for name = {"QR_DIRECT", "QR_FAILING"}
  for shape = reshape (str2num (getenv (name{1})), 2, [])
    for type = "zs"
      A = rand ([shape.', 2]) - 0.5;
      if (type == "z")
        A += 1i * (rand (size (A)) - 0.5);
      else
        A = single (A);
      endif
      if (strcmp (name{1}, "QR_FAILING"))
        A(:,1,2) = A(:,2,2);
      endif
      [Q, R] = qr_block (A, 0, "device", "gpu");
      if (! (norm (A(:,:,1) - Q(:,:,1) * R(:,:,1)) < 1e-2 && norm (A(:,:,2) - Q(:,:,2) * R(:,:,2)) < 1e-2))
        error ("%d x %d %s is wrong", shape, type);
      endif
    endfor
  endfor
endfor
for p = str2num (getenv ("GSVD_SIZES"))
  for type = "zs"
    A = rand (p + 3, p, 2) - 0.5;
    B = rand (p + 1, p, 2) - 0.5;
    if (type == "z")
      A += 1i * (rand (size (A)) - 0.5);
    else
      A = single (A);
    endif
    for method = {"hz", "tangent"}
      [U, V, X, C, S] = gsvd_hz (A, B, "method", method{1}, "device", "gpu");
      sigma = gsvd_hz (A, B, "method", method{1}, "device", "gpu");
      if (! (norm (A(:,:,2) - U(:,:,2) * C(:,:,2) * X(:,:,2)') < 1e-3 && ...
             norm (B(:,:,2) - V(:,:,2) * S(:,:,2) * X(:,:,2)') < 1e-3 && ...
             norm (sigma(:,1,2) .* diag (S(1:p,1:p,2)) - diag (C(1:p,1:p,2))) < 1e-3))
        error ("p = %d %s %s is wrong", p, type, method{1});
      endif
    endfor
  endfor
endfor
for n = str2num (getenv ("SVD_SIZES"))
  tall = min (2 * n + 1, max (96, n + 20)); # for racecheck, see tests/gpu.sh
  for shape = [n, tall, n; n, n, n + 3]
    for type = "zs"
      A = rand (shape(1), shape(2), 3) - 0.5;
      A(:,end,3) = A(:,1,3);
      if (type == "z")
        A += 1i * A(end:-1:1,:,:);
      else
        A = single (A);
      endif
      tiny = merge (type == "z", 2 ^ -1060, single (2 ^ -135));
      A(:,:,2) *= tiny;
      [U, S, V] = batchsvd (A, "econ", "device", "gpu");
      s = batchsvd (A, "device", "gpu");
      if (! (norm (A(:,:,3) - U(:,:,3) * S(:,:,3) * V(:,:,3)') < 1e-3 && norm (s(:,3) - diag (S(:,:,3))) < 1e-3 && ...
             norm ((s(:,2) - diag (S(:,:,2))) / tiny) < 1e-3 * sqrt (n)))
        error ("svd %dx%d %s is wrong", shape, type);
      endif
    endfor
  endfor
endfor
for n = str2num (getenv ("SVD_ALONE"))
  for type = "zd"
    A = randn (n) + (type == "z") * 1i * randn (n);
    s = svd (A);
    if (! (norm (batchsvd (A, "device", "gpu") - s) < 1e-12 * s(1)))
      error ("values of svd %dx%d %s are wrong", n, n, type);
    endif
  endfor
endfor
for n = str2num (getenv ("SPARSE"))
  A = ba_graph (n, 2);
  A(:,3) = A(3,:) = 1;                 # a long row
  for B = {A, 0.5 * A + speye(n), A + 1i * triu(A, 1) - 1i * tril(A, -1)}
    for precision = {"single", "double"}
      x = rand (n, 5) - 0.5;
      for method = {"auto", "scalar", "vector", "group", "balanced"}
        P = spmv_plan (B{1}, "method", method{1}, "precision", precision{1}, "device", "gpu");
        for b = [1, 2, 4, 5]
          if (! (norm (double (spmv (P, x(:,1:b))) - B{1} * x(:,1:b)) < 1e-3))
            error ("spmv %s %s n = %d is wrong", method{1}, precision{1}, n);
          endif
        endfor
      endfor
      for how = {{"restarted"}, {"restarted", "block", 1}, {"plain"}}
        [V, D] = eigs_lanczos (P, 3, "la", "device", "gpu", "tol", 1e-4, "method", how{1}{:});
        if (! (norm (B{1} * double (V) - double (V * D)) < 1e-2 * norm (B{1}, 1)))
          error ("eigs_lanczos %s %s n = %d is wrong", how{1}{1}, precision{1}, n);
        endif
      endfor
    endfor
  endfor
endfor
for n = str2num (getenv ("PAGE_SIZES"))
  for type = "zs"
    A = rand (n, n, 3) - 0.5;
    B = rand (n, n + 1, 3) - 0.5;
    if (type == "z")
      A += 1i * (rand (size (A)) - 0.5);
      B += 1i * (rand (size (B)) - 0.5);
    else
      [A, B] = deal (single (A), single (B));
    endif
    H = A + conj (permute (A, [2 1 3]));
    U = pagefunm (H, "exp", "scale", 0.5i, "device", "gpu");
    S = pagefunm (H, "power", 3, "device", "gpu");
    if (! (norm (U(:,:,2)' * U(:,:,2) - eye (n)) < 1e-3 && norm (S(:,:,2) - H(:,:,2)^3) < 1e-3 * norm (S(:,:,2))))
      error ("functions of order %d %s are wrong", n, type);
    endif
    A(:,:,2) = A(:,:,2) * A(:,:,2)' + n * eye (n);          # definite
    A(:,:,3) = triu (A(:,:,3)) + n * eye (n);
    A(:,:,1) += n * eye (n);
    place = {"gpu", "cpu"}{1 + (n == 1)};                    # division by elements is not done on a GPU
    for words = {"none", "transpose", "ctranspose"; "none", "ctranspose", "transpose"}
      C = pagemtimes (A, words{1}, A, words{2}, "device", "gpu");
      D = pagemtimes (A, words{1}, B, "none", "device", "gpu");
      X = pagemldivide (A, words{1}, B, "device", place);
      Y = pagemrdivide (permute (B, [2 1 3]), A, words{1}, "device", place);
      M = A;
      if (! strcmp (words{1}, "none"))
        M = permute (A, [2 1 3]);
      endif
      if (strcmp (words{1}, "ctranspose"))
        M = conj (M);
      endif
      for p = 1:3
        if (! (norm (D(:,:,p) - M(:,:,p) * B(:,:,p)) < 1e-3 * (n + 5)^2 && norm (M(:,:,p) * X(:,:,p) - B(:,:,p)) < 1e-3 && ...
               norm (Y(:,:,p) * M(:,:,p) - B(:,:,p).') < 1e-3))
          error ("pages of order %d %s %s are wrong", n, type, words{1});
        endif
      endfor
    endfor
    for columns = [1, min(4, n + 1)]                         # few right-hand sides of general pages
      X = pagemldivide (A + tril (ones (n), -1), B(:,1:columns,:), "device", place);
      for p = 1:3
        if (! (norm ((A(:,:,p) + tril (ones (n), -1)) * X(:,:,p) - B(:,1:columns,p)) < 1e-2))
          error ("systems of order %d %s with %d right-hand sides are wrong", n, type, columns);
        endif
      endfor
    endfor
    [Y, rc, info] = pageinv (A, "device", "gpu");
    G = pagemtimes (A, "none", A, "ctranspose", "device", "gpu");
    F = pagenorm (A, "fro", "device", "gpu");
    D = pagediag (A, 1, "device", "gpu");
    if (! isequal (D(:,:,3), diag (A(:,:,3), 1)) || ! isequal (pagetrace (A, "device", "gpu")(2), trace (A(:,:,2))) || ...
        ! isequal (pagediag (D, "device", "gpu")(:,:,2), full (diag (D(:,:,2)))))
      error ("diagonals of order %d %s are wrong", n, type);
    endif
    if (any (info) || ! (norm (Y(:,:,2) * A(:,:,2) - eye (n)) < 1e-3) || ! isequal (G(:,:,3), G(:,:,3)') || ...
        ! (abs (F(2) - norm (A(:,:,2), "fro")) < 1e-3 * F(2)))
      error ("inverses, products or norms of order %d %s are wrong", n, type);
    endif
  endfor
endfor
addpath (fileparts (mfilename ("fullpath")));
for n = str2num (getenv ("ARRAYS"))
  for type = "dszcb"
    x = gpu_test_array (type, [n, 3, 2]);
    G = gpuArray (x);
    calls = {@(x) sort(x), @(x) sort(x, 2, "descend"), @(x) cumsum(x), @(x) cumsum(x, 2), @(x) cumsum(x, 3), @(x) sum(x), @(x) sum(x, 2), @(x) sum(x, 3), ...
             @(x) sum(x(:)), @(x) max(x, [], 2), @(x) max(x), @(x) any(x), @(x) x(end:-1:1,[3 1],:), @(x) x([1 n 1],:), @(x) x(x == x(1)), @(x) find(x), ...
             @(x) permute(x, [3 1 2]), @(x) permute(x, [2 1 3]), @(x) [x; x], @(x) x + x(1,:,:), @(x) x(:,:,1) .* x, @(x) x(2:end,:) == 1, @(x) setfield(x, {2:n,3,1}, x(1)), ...
             @(x) setfield(x, {x == x(1)}, x(n)), @(x) reshape(x, 6, [])(:,end:-1:1).', @(x) repmat(x, 2, 2), @(x) double(x), @(x) single(x), @(x) circshift(x, 1)};
    if (type != "b")
      calls = [calls, {@(x) fft(x), @(x) ifft(x, [], 2), @(x) fft(x, n + 3, 3), @(x) fft(x, 16, 2), @(x) ifft(x, 32, 2), @(x) fft(x, 8, 3), @(x) fft(x, 4), ...
               @(x) -x, @(x) abs(x), @(x) sqrt(x), @(x) x .* 2 - 1, @(x) exp(x / 10), @(x) real(x) > 0}];
    endif
    for f = calls
      a = f{1} (x);
      b = gather (f{1} (G));
      if (! (isequal (size (a), size (b)) && all (abs (double (a(:)) - double (b(:))) <= 1e-4 * max (1, abs (double (a(:)))))))
        error ("%s of %d rows, type %s, is wrong", func2str (f{1}), n, type);
      endif
    endfor
    if (type != "b")
      f = @(x, y) merge (real (x) > 0, x .* y + 1, exp (-abs (x))) - y;
      a = arrayfun (f, x, repmat (x(1,:,:), n, 1));
      b = gather (arrayfun (f, G, G(1,:,:)));
      if (! (max (abs (a(:) - b(:))) < 1e-4))
        error ("arrayfun of %d rows, type %s, is wrong", n, type);
      endif
    endif
  endfor
endfor
disp ("sanitizer set done");

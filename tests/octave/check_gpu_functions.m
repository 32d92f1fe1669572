% tests/octave/check_gpu_functions.m: functions of gpuArrays that are made of others, and those of the package
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [passed, failed] = check_gpu_functions (part). part: "composed", "package", "pairs" or "sparse". Every result must be
% that of the host's arrays.

function [passed, failed] = check_gpu_functions (part)
  global counts_of_gpu_arrays;
  counts_of_gpu_arrays = [0, 0];
  rand ("twister", 43);
  randn ("twister", 43);
  warning ("off", "all", "local");
  switch (part)
    case "composed"
      composed_functions ();
    case "package"
      package_functions ();
      statistics ();
    case "pairs"
      pairs_of_matrices ();
      refused_pairs ();
    case "sparse"
      sparse_products ();
      resident_vectors ();
  endswitch
  passed = counts_of_gpu_arrays(1);
  failed = counts_of_gpu_arrays(2);
endfunction

% Files in inst/@gpuArray that leave arrays of the host to Octave's own function are made to do without it.
function composed_functions ()
  if (gpuDeviceCount () == 0)
    eval ("function tf = existsOnGPU (x), tf = isgpuarray (x); endfunction");
  endif
  unwind_protect
    sorted ();
    for type = "dszcb"
      for shape = {[3 4], [1 5], [5 1], [1 1], [2 3 4], [3 0]}
        x = gpu_test_array (type, shape{1});
        y = gpu_test_array ("d", shape{1});
        if (isempty (x))
          x = real (x); # what is complex and empty loses that in places
        endif
        for dim = 1:2
          compare_gpu_arrays ("diff", @(x) diff (x, 1, dim), {x}, 4);
          compare_gpu_arrays ("diff", @(x) diff (x, 2, dim), {x}, 4);
        endfor
        compare_gpu_arrays ("merge", @(x, y) merge (real (y) > 0, x, y), {x, y}, 0, 1, logical ([1 1; 1 0; 0 1]));
        compare_gpu_arrays ("merge", @(x) merge (abs (double (x)) > 1, x, 2), {x}, 0);
        compare_gpu_arrays ("merge", @(x) merge (true, x, 2), {x}, 0);
        if (type != "b")        # Octave merges no logical arrays
          compare_gpu_arrays ("merge", @(x, y) merge (abs (x) > 1, x, y), {x, flip(x)}, 0, 1, logical ([1 1; 1 0; 0 1]));
        endif
        if (ndims (x) == 2)
          compare_gpu_arrays ("kron", @(x, y) kron (x, y), {x, y}, 4, 1, logical ([1 1; 1 0; 0 1]));
        endif
      endfor
    endfor
    compare_gpu_arrays ("diff", @(x) diff (x), {(1:5).^2}, 0);
    compare_gpu_arrays ("kron", @(x) kron (x, [1 2], [3; 4]), {magic(3)}, 4);
    compare_gpu_arrays ("linspace", @(x) linspace (x, 5, 7), {2}, 8);
    compare_gpu_arrays ("linspace", @(x) linspace (x, 5 * x, 4), {single([1; 2])}, 8);
    compare_gpu_arrays ("linspace", @(x) linspace (x, 5, 1), {2}, 0);
    compare_gpu_arrays ("linspace", @(x) linspace (x, Inf, 3), {0}, 0);
    compare_gpu_arrays ("linspace", @(x) linspace (-Inf, x, 2), {0}, 0);
    compare_gpu_arrays ("linspace", @(x) linspace (x, 2, 3), {2}, 0);
    compare_gpu_arrays ("dot", @(x) dot (x, x), {zeros(0, 0)}, 0);
    for dim = 1:3
      compare_gpu_arrays ("dot", @(x) dot (x, x, dim), {zeros(0, 0)}, 0);
      compare_gpu_arrays ("dot", @(x) dot (x, x, dim), {zeros(0, 2)}, 0);
    endfor
    compare_gpu_arrays ("dot", @(x) dot (x, x), {zeros(0, 3)}, 0);
    compare_gpu_arrays ("dot", @(x) dot (x, x), {zeros(0, 1)}, 0);
    compare_gpu_arrays ("find", @(x) find (x, 0), {[1 0 2]}, 0);
    compare_gpu_arrays ("find", @(x) find (x, 0), {[1; 0; 2]}, 0);
  unwind_protect_cleanup
    if (gpuDeviceCount () == 0)
      clear -f existsOnGPU
    endif
  end_unwind_protect
endfunction

% NaN, infinities and equal elements, in both directions, along all dimensions.
function sorted ()
  for type = "dszcb"
    for shape = {[1 1], [1 2], [7 1], [1 9], [16 2], [17 3], [3 5 2], [300 2], [1025 3], [4096 2], [4097 3], [20000 1], [3 5000], [0 3]}
      x = gpu_test_array (type, shape{1});
      if (type != "b" && ! isempty (x))
        x = round (2 * x);
        x(rand (size (x)) < 0.2) = NaN;
        x(rand (size (x)) < 0.1) = -Inf;
        x(rand (size (x)) < 0.1) = Inf;
      endif
      for mode = {"ascend", "descend"}
        compare_gpu_arrays (["sort " mode{1}], @(x) sort (x, mode{1}), {x}, 0, 2);
        compare_gpu_arrays (["sort " mode{1}], @(x) sort (x, mode{1}), {x}, 0);
        for dim = 1:3
          compare_gpu_arrays (["sort " mode{1}], @(x) sort (x, dim, mode{1}), {x}, 0, 2);
        endfor
      endfor
      compare_gpu_arrays ("sort", @(x) sort (x), {x}, 0);
      if (any (type == "ds") && ! isempty (x))
        compare_gpu_arrays ("unique", @(x) unique (x), {x}, 0);
        for dim = 1:3
          compare_gpu_arrays ("median", @(x) median (x, dim), {x}, 4);
          compare_gpu_arrays ("cummax", @(x) cummax (x, dim), {x}, 0);
          compare_gpu_arrays ("cummin", @(x) cummin (x, dim), {x}, 0);
        endfor
        compare_gpu_arrays ("median", @(x) median (x), {x}, 4);
        compare_gpu_arrays ("cummax", @(x) cummax (x), {x}, 0);
      endif
    endfor
  endfor
endfunction

% The functions of the package, and those for one matrix that are made of them; results of a GPU differ by rounding.
function package_functions ()
  for type = "dszc"
    A = gpu_test_array (type, [4 4 3]) + full (5 * eye (4));
    H = A + conj (permute (A, [2 1 3]));
    tall = gpu_test_array (type, [6 3 2]);
    names = {"pagerank", "pagecond", "pagepinv", "batchsvd", "pagesvd", "pageinv"};
    for name = names
      f = str2func (name{1});
      compare_gpu_arrays (name{1}, f, {A}, 1e4);
      compare_gpu_arrays (name{1}, @(x) f (x), {A(:,:,1)}, 1e4);
    endfor
    compare_gpu_arrays ("pagenorm", @(x) pagenorm (x, "fro"), {A}, 1e2);
    compare_gpu_arrays ("pagerank", @(x) pagerank (x, 1), {tall}, 0);
    compare_gpu_arrays ("pagepinv", @(x) pagepinv (x, 0.1), {tall}, 1e5);
    compare_gpu_arrays ("pagelsqminnorm", @(x, y) pagelsqminnorm (x, y), {tall, gpu_test_array(type, [6 1 2])}, 1e6, 1, logical ([1 1; 1 0; 0 1]));
    compare_gpu_arrays ("pagelsqminnorm", @(x, y) pagelsqminnorm (x, y, "RegularizationFactor", 0.1), {tall, tall}, 1e5);
    large = cast (cat (3, [1, 1; -1, 1; 1, -1] * 0.9 * double (realmax (class (A))), [1, 2; 3, 4; 5, 6]), class (A)); # a value of it overflows
    compare_gpu_arrays ("pagerank", @pagerank, {large}, 0);
    compare_gpu_arrays ("pagecond", @pagecond, {large}, 1e4);
    compare_gpu_arrays ("pagelsqminnorm", @(x) pagelsqminnorm (x, x(:,1,:) + 0.1 * x(:,2,:)), {large}, 1e4); # [1; 0.1]
    compare_gpu_arrays ("pageeig", @(x) pageeig (x), {H}, 1e4);
    compare_gpu_arrays ("pageeig", @(x) pageeig (x, "matrix"), {H}, 1e4);
    compare_gpu_arrays ("batcheig", @(x) batcheig (x), {H}, 1e4);
    compare_gpu_arrays ("pagefunm", @(x) pagefunm (x / 20, "exp"), {H}, 1e5);
    for x = {tall, tall(:,:,1), A}
      for f = {@(x) circshift(x, 1), @(x) circshift(x, -5, 2), @(x) circshift(x, [1 2])}
        compare_gpu_arrays (func2str (f{1}), f{1}, x, 0);
      endfor
    endfor
    compare_gpu_arrays ("cross", @(x, y) cross (x, y, 2), {tall, 2 - tall(:,[2 3 1],:)}, 100, 1, logical ([1 1; 1 0; 0 1]));
    a = A(:,:,1);
    compare_gpu_arrays ("inv", @inv, {a}, 1e4);
    compare_gpu_arrays ("inv", @(x) is_reciprocal (nthargout (2, @inv, x), x), {a}, 0);
    compare_gpu_arrays ("pinv", @pinv, {tall(:,:,1)}, 1e5);
    compare_gpu_arrays ("rank", @(x) rank (x), {[a; a]}, 0);
    compare_gpu_arrays ("cond", @cond, {a}, 1e4);
    compare_gpu_arrays ("cond", @(x) cond (x, 1), {a}, 1e4);
    compare_gpu_arrays ("norm", @norm, {tall(:,:,1)}, 1e3);
    compare_gpu_arrays ("norm", @(x) norm (x, 2), {a}, 1e3);
    compare_gpu_arrays ("svd", @svd, {tall(:,:,1)}, 1e4);
    compare_gpu_arrays ("svd", @(x) abs (nthargout (1, 3, @svd, x, "econ"){1}), {tall(:,:,1)}, 1e6);
    compare_gpu_arrays ("eig", @eig, {H(:,:,1)}, 1e4);
    compare_gpu_arrays ("eig", @(x) abs (nthargout (1, 2, @eig, x){1}), {H(:,:,1)}, 1e6);
  endfor
  count_gpu_check ("pageeig", @() pageeig (gpuArray ([1 2; 3 4])));
  count_gpu_check ("eig", @() eig (gpuArray ([1 2; 3 4])));
  for f = {@(x) filter (1, 1, x), @(x) eig (x, x), @(x) unique (x, "rows")}
    count_gpu_check (func2str (f{1}), @() f{1} (gpuArray (magic (3))));
  endfor
endfunction

% var and std, with all forms that this release of Octave has; the others are errors of both.
function statistics ()
  forms = {@(x) var(x), @(x) std(x), @(x) var(x, 1, 2), @(x) std(x, 0, 2), @(x) var(x, [], 1), @(x) std(x, 1), @(x) var(x, 0, 3), @(x) std(x, 0, 4), ...
           @(x) var(x, 0, "all"), @(x) std(x, 1, "all"), @(x) var(x, 0, [1 2]), @(x) std(x, 1, [2 3]), @(x) var(x, 1:rows (x)), @(x) std(x, 1:columns (x), 2), ...
           @(x) var(x, 1 + abs (x)), @(x) nthargout(1, 2, @var, x), @(x) nthargout(2, @std, x, 0, 2), @(x) var(x, "omitnan"), @(x) std(x, 0, 2, "omitnan")};
  sizes = {[5 4], [5 1], [1 5], [4 3 2], [5 1 2], [1 1], [0 0], [0 3]};
  for type = "dszcb"
    for dims = sizes
      x = gpu_test_array (type, dims{1});
      y = x;
      if (any (type == "dszc") && ! isempty (y))
        y(min (2, end)) = NaN;
      endif
      for f = forms
        for z = {x, y}
          compare_gpu_arrays (func2str (f{1}), f{1}, z, 100);
        endfor
      endfor
    endfor
  endfor
endfunction

%--------------------------------------------------------------------------------
% pairs of matrices
%--------------------------------------------------------------------------------

function pairs_of_matrices ()
  for type = "dszc"
    for n = [1, 3, 8, 20, 33, 70, 150]
      pages = 5 - 3 * (n > 100);
      [A, B] = definite_pair (type, n, pages);
      pairs_of_eigenvalues (A, B);
      pairs_of_eigenvalues (A, B(:,:,1));
      pairs_of_eigenvalues (A(:,:,1), B);
      generalized_values (type, n, pages);
    endfor
    [A, B] = definite_pair (type, 6, 4);
    parts_of_spectrum (A, B);
    [other_A, other_B] = definite_pair ("dszc"(randi (4)), 6, 4);
    pairs_of_eigenvalues (A, other_B);
    failing_pages (A, B);
    failing_generalized (type);
  endfor
  for f = {@(x) batcheig (x, zeros (0, 0, 3)), @(x) batcheig (x, x), @(x) gsvd_hz (x, x), @(x) gsvd_hz (x, zeros (2, 0, 3))}
    compare_gpu_arrays (func2str (f{1}), f{1}, {zeros(0, 0, 3)}, 0);
  endfor
  compare_gpu_arrays ("no pages", @(x) batcheig (x, x), {zeros(3, 3, 0)}, 0, 2);
  compare_gpu_arrays ("no pages", @(x) gsvd_hz (x, x), {zeros(3, 3, 0)}, 0, 5);
endfunction

function [A, B] = definite_pair (type, n, pages)
  adjoint = @(x) conj (permute (x, [2 1 3]));
  A = gpu_test_array (type, [n n pages]);
  B = gpu_test_array (type, [n n pages]);
  A = (A + adjoint (A)) / 2;
  B = (B + adjoint (B)) / (16 * n) + full (eye (n));
  if (any (type == "zc"))
    A = complex (A); # n = 1
    B = complex (B);
  endif
endfunction

% Residuals, B-orthogonality, and eigenvalues beside those of the host; gpuArrays in either place.
function pairs_of_eigenvalues (A, B)
  pages = max (size (A, 3), size (B, 3));
  n = rows (A);
  [~, ~, info, wanted] = batcheig (A, B);
  for itype = 1:3
    d = batcheig (A, B, "itype", itype);
    for which = [1 1 0; 1 0 1]
      args = {A, B};
      args(which == 1) = cellfun (@gpuArray, args(which == 1), "uniformoutput", false);
      [gV, gD, gpu_info, more] = batcheig (args{:}, "itype", itype);
      lambda = batcheig (args{:}, "itype", itype);
      count_gpu_check (sprintf ("batcheig of a pair, %s %d %s %d, %s: classes", class (A), n, class (B), itype, mat2str (which)), isgpuarray (gV) && isgpuarray (gD) && isgpuarray (lambda) ...
                && isequal (gpu_info, info) && isequal (more.rank, wanted.rank) && isa (more.rcond, class (d)) ...
                && iscomplex (gV) == (iscomplex (A) || iscomplex (B)) && ! iscomplex (gD));
      V = double (gather (gV));
      D = double (gather (gD));
      u = n * eps (class (d));
      worst = 0;
      for p = 1:pages
        a = double (A(:,:,min (p, end)));
        b = double (B(:,:,min (p, end)));
        v = V(:,:,p);
        products = {a * v - b * v * D(:,:,p), a * b * v - v * D(:,:,p), b * a * v - v * D(:,:,p)};
        gram = {b, b, inv(b)}{itype};
        worst = max ([worst, norm(products{itype}, 1) / (norm (a, 1) * norm (v, 1)), norm(v' * gram * v - eye (n), 1)]);
      endfor
      scale = max (abs (d(:)));
      count_gpu_check (sprintf ("batcheig of a pair, n = %d, itype %d: ratio %g", n, itype, worst / u), worst <= 100 * u);
      count_gpu_check (sprintf ("batcheig of a pair, n = %d: eigenvalues", n), ...
                all (abs (gather (lambda) - d)(:) <= 100 * u * scale) && all (abs (log2 (more.rcond ./ wanted.rcond)) < 2));
    endfor
  endfor
endfunction

% The parts have the values of the whole.
function parts_of_spectrum (A, B)
  n = rows (A);
  for part = {{"range", [2, 4]}, {"largest", 2}, {"smallest", 3}, {"smallest", 0}, {"interval", [-0.5, 0.5]}, {"interval", [1e5, 1e6]}}
    for form = {"vector", "matrix"}
      for matrices = {{A}, {A, B}}
        [v, d, ~, more] = batcheig (gpuArray (A), matrices{1}{2:end}, part{1}{:}, form{1});
        [w, e, ~, host] = batcheig (matrices{1}{:}, part{1}{:}, form{1});
        good = isgpuarray (v) && isgpuarray (d) && isequal (size (v), size (w)) && isequal (size (d), size (e)) ...
               && isequal (more.count, host.count) && isequal (isnan (gather (v)), isnan (w)) && isequal (isnan (gather (d)), isnan (e));
        count_gpu_check (sprintf ("batcheig of %d, %s", numel (matrices{1}), part{1}{1}), ...
                  good && all (abs (gather (d) - e)(! isnan (e)) <= 1e4 * eps (class (e))));
      endfor
    endfor
  endfor
  v = batcheig (gpuArray (A), B, "largest", n);
  count_gpu_check ("batcheig of a pair, all by \"largest\"", isequal (gather (v), gather (batcheig (gpuArray (A), B))));
endfunction

% NaN, a B that is not definite, a matrix that is not Hermitian.
function failing_pages (A, B)
  n = rows (A);
  B(:,:,2) = -B(:,:,2);
  A(1,1,3) = NaN;
  [V, D, info, more] = batcheig (gpuArray (A), gpuArray (B));
  [w, e, wanted, host] = batcheig (A, B);
  count_gpu_check ("batcheig of a pair: pages that fail", isequal (info, wanted) && isequal (more.rank, host.rank) ...
            && isequal (isnan (gather (V)), isnan (w)) && isequal (isnan (gather (D)), isnan (e)));
  A(:,:,3) = A(:,:,1);
  A(1,2,4) += 1;
  try
    batcheig (gpuArray (A), B);
    good = false;
  catch err
    good = strcmp (err.identifier, "gpulinalg:not-hermitian") && ! isempty (strfind (err.message, "page 4 of A"));
  end_try_catch
  count_gpu_check ("batcheig of a pair: not Hermitian", good);
endfunction

function generalized_values (type, p, pages)
  A = gpu_test_array (type, [p + 4, p, pages]);
  B = gpu_test_array (type, [p + 1, p, pages]) + full (eye (p + 1, p)) * 5;
  for form = {{}, {0}, {"method", "hz"}, {"method", "tangent"}}
    sigma = gsvd_hz (A, B, form{1}{:});
    for which = [1 1 0; 1 0 1]
      args = {A, B};
      args(which == 1) = cellfun (@gpuArray, args(which == 1), "uniformoutput", false);
      G = cell (1, 6);
      [G{:}] = gsvd_hz (args{:}, form{1}{:});
      s = gsvd_hz (args{:}, form{1}{:});
      count_gpu_check ("gsvd_hz: classes", all (cellfun (@isgpuarray, G(1:5))) && isgpuarray (s) && all (G{6}.info == 0));
      host = cellfun (@gather, G(1:5), "uniformoutput", false);
      ratio = max (gsvd_ratios (A, B, host{:})(:));
      count_gpu_check (sprintf ("gsvd_hz, p = %d: ratio %g", p, ratio), ratio <= 100);
      count_gpu_check ("gsvd_hz: values", isequal (size (s), size (sigma)) ...
                && all ((abs (gather (s) - sigma) <= 1e4 * p * eps (class (sigma)) * max (1, sigma))(:)));
    endfor
  endfor
endfunction

% A page with NaN is NaN in all results, and the others are right.
function failing_generalized (type)
  A = gpu_test_array (type, [6, 3, 3]);
  B = gpu_test_array (type, [4, 3, 3]) + full (eye (4, 3)) * 5;
  A(2,1,2) = NaN;
  G = cell (1, 6);
  [G{:}] = gsvd_hz (gpuArray (A), gpuArray (B));
  host = cellfun (@gather, G(1:5), "uniformoutput", false);
  bad = cellfun (@(x) any (isnan (x(:,:,2)(:))), host);
  pages = cellfun (@(x) x(:,:,[1, 3]), host, "uniformoutput", false);
  ratio = max (gsvd_ratios (A(:,:,[1, 3]), B(:,:,[1, 3]), pages{:})(:));
  count_gpu_check (sprintf ("gsvd_hz with NaN: ratio %g", ratio), all (bad) && ratio <= 100 && isequal (G{6}.info, int32 ([0, 4, 0])));
endfunction

function refused_pairs ()
  G = gpuArray (magic (3) + magic (3)');
  count_gpu_check ("qz", @() batcheig (G, eye (3), "qz"));
  count_gpu_check ("qz", @() batcheig (eye (3), G, "QZ"));
  if (gpuDeviceCount () > 0)
    count_gpu_check ("gsvd_hz", @() gsvd_hz (G(1:2,:), eye (3)));
    count_gpu_check ("gsvd_hz", @() gsvd_hz (eye (3), G(1:2,:)));
    count_gpu_check ("gsvd_hz", @() gsvd_hz (G, ones (4, 3)));
  endif
endfunction

%--------------------------------------------------------------------------------
% sparse matrices
%--------------------------------------------------------------------------------

% eigs_lanczos where the start vector, or the result, is a gpuArray.
function resident_vectors ()
  for n = [50, 300, 3000]
    A = ba_graph (n, 3, 5);
    H = A + 1i * triu (A, 1) - 1i * tril (A, -1);
    for B = {A, H, spmv_plan(H), spmv_plan(A, "precision", "single")}
      for sigma = {"la", "sa", "be", "lm", 2.5}
        for method = {"restarted", "plain"}
          [V, D] = eigs_lanczos (B{1}, 3, sigma{1}, "method", method{1}, "seed", 3);
          u = eps (class (V));
          v0 = ones (n, 1, class (V));
          for how = {{"vectors", "gpuArray"}, {"v0", gpuArray(v0)}, {"v0", v0, "vectors", "gpuArray", "block", 2}}
            [G, E, flag, stats] = eigs_lanczos (B{1}, 3, sigma{1}, "method", method{1}, how{1}{:});
            count_gpu_check ("eigs_lanczos: classes", isgpuarray (G) && ! isgpuarray (E) && flag == 0 && strcmp (underlyingType (G), class (V)) ...
                      && iscomplex (G) == iscomplex (B{1}));
            R = spmv (B{1}, G) - G * E;
            u = max (u, eps (underlyingType (R))); # with a number for sigma V is double, but not the product
            Q = double (gather (G));
            good = all (abs (diag (E) - diag (D)) <= 1e4 * u * max (1, stats.norm)) && norm (gather (R), "fro") <= 1e4 * u * max (1, stats.norm) ...
                   && norm (Q' * Q - eye (3)) < 1e3 * u;
            count_gpu_check (sprintf ("eigs_lanczos, n = %d, %s: vectors on a GPU", n, method{1}), good);
            if (gpuDeviceCount () > 0 && ! isnumeric (sigma{1}) && ! stats.dense)
              count_gpu_check ("eigs_lanczos: place", ! ischar (stats.device) || isfield (stats, "factorizations"));
            endif
          endfor
          d = eigs_lanczos (B{1}, 3, sigma{1}, "method", method{1}, "v0", gpuArray (v0));
          count_gpu_check ("eigs_lanczos: values alone", ! isgpuarray (d) && all (abs (d - diag (D)) <= 1e4 * u * max (1, stats.norm)));
        endfor
      endfor
    endfor
  endfor
  [V, D, flag] = eigs_lanczos (spdiags (ones (3000, 1) * [-1, 2, -1], -1:1, 3000, 3000), 8, "sa", "maxit", 2, "p", 20, "vectors", "gpuArray");
  count_gpu_check ("eigs_lanczos: what has not converged", isgpuarray (V) && flag == 1 && isequal (isnan (gather (V)(1,:)), isnan (diag (D).')));
  count_gpu_check ("eigs_lanczos", @() eigs_lanczos (gpuArray (eye (3)), 1));
endfunction

% All types of matrices and vectors, all transposes, with and without a plan.
function sparse_products ()
  for type = "dzb1"
    for shape = [1, 7, 40, 300, 5, 2000; 1, 5, 40, 20, 300, 2000]
      A = sprand (shape(1), shape(2), min (0.5, 0.02 + 2 / shape(1)));
      A(1,1) = 0.5;
      switch (type)
        case "z"
          A += 1i * A * 2;
        case "b"
          A = A != 0;
        case "1"
          A = 2.5 * (A != 0);
      endswitch
      for P = {A, spmv_plan(A), spmv_plan(A, "precision", "single"), spmv_plan(A, "method", "balanced")}
        for kind = "dszc"
          for b = [1, 3, 8, 0]
            products_with (P{1}, gpu_test_array (kind, [shape(2), b]), gpu_test_array (kind, [shape(1), b]));
          endfor
        endfor
      endfor
    endfor
  endfor
  P = spmv_plan (A);
  x = gpu_test_array ("b", [columns(A), 1]);
  compare_gpu_arrays ("plan times logical", @(x) P * x, {x}, 0);
  for f = {@(x) spmv(A, x), @(x) P * x, @(x) x * P, @(x) spmv(A, x, "transpose"), @(x) A * x}
    compare_gpu_arrays (["wrong size, " func2str(f{1})], f{1}, {ones(3, 2)}, 0);
  endfor
  compare_gpu_arrays ("no rows", @(x) spmv (sparse (0, 3), x), {ones(3, 2)}, 0);
  compare_gpu_arrays ("no columns", @(x) spmv (sparse (3, 0), x), {ones(0, 2)}, 0);
  if (gpuDeviceCount () > 0)
    count_gpu_check ("spmv", @() spmv (A, gpuArray (x * 1), "device", "cpu"));
    count_gpu_check ("spmv", @() spmv (P, gpuArray (x * 1), "device", "CPU"));
    count_gpu_check ("spmv", @() spmv_plan (A, "device", "cpu") * gpuArray (x * 1));
  endif
endfunction

% Sums of up to some hundred terms, in another order than the host's: judged by the largest one.
function products_with (P, x, u)
  products = {@(x, u) spmv(P, x), @(x, u) spmv(P, u, "transpose"), @(x, u) spmv(P, u, "ctranspose")};
  if (! issparse (P))
    products = [products, {@(x, u) P * x, @(x, u) P.' * u, @(x, u) P' * u, @(x, u) (P.')' * x, @(x, u) u.' * P, @(x, u) u' * P}];
  endif
  for f = products
    y = f{1} (x, u);
    used = merge (any (func2str (f{1})(9:end) == "u"), {u}, {x}){1}; # behind "@(x, u) "
    G = f{1} (gpuArray (x), gpuArray (u));
    good = isgpuarray (G) && strcmp (underlyingType (G), class (y)) && isequal (size (G), size (y)) ...
           && iscomplex (G) == (iscomplex (P) || iscomplex (used));
    size_of_sums = max ([1; abs(y(:))]) * 10;
    count_gpu_check (sprintf ("product %s, %s%d %s%d, %s %s", func2str (f{1}), class (P), iscomplex (P), class (x), iscomplex (x), mat2str (size (P)), mat2str (size (x))), good && all (abs (gather (G) - y)(:) <= 200 * eps (class (y)) * size_of_sums));
  endfor
endfunction

% LAPACK estimates reciprocal condition numbers, up to a small factor.
function good = is_reciprocal (r, x)
  exact = 1 / (norm (x, 1) * norm (inv (x), 1));
  good = r > 0.999 * exact & r < 5 * exact;
endfunction

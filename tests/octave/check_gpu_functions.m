% tests/octave/check_gpu_functions.m: functions of gpuArrays that are made of others, and those of the package
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [passed, failed] = check_gpu_functions (part). part: "composed" or "package". Every result must be that of
% the host's arrays.

function [passed, failed] = check_gpu_functions (part)
  global counts_of_gpu_arrays;
  counts_of_gpu_arrays = [0, 0];
  rand ("twister", 43);
  randn ("twister", 43);
  warning ("off", "all", "local");
  if (strcmp (part, "composed"))
    composed_functions ();
  else
    package_functions ();
  endif
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
  unwind_protect_cleanup
    if (gpuDeviceCount () == 0)
      clear -f existsOnGPU
    endif
  end_unwind_protect
endfunction

% NaN, infinities and equal elements, in both directions, along all dimensions.
function sorted ()
  for type = "dszcb"
    for shape = {[1 1], [1 2], [7 1], [1 9], [16 2], [17 3], [3 5 2], [300 2], [0 3]}
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
    compare_gpu_arrays ("pagelsqminnorm", @(x, y) pagelsqminnorm (x, y), {tall, tall(:,1,:)}, 1e5, 1, logical ([1 1; 1 0; 0 1]));
    compare_gpu_arrays ("pagelsqminnorm", @(x, y) pagelsqminnorm (x, y, "RegularizationFactor", 0.1), {tall, tall}, 1e5);
    compare_gpu_arrays ("pageeig", @(x) pageeig (x), {H}, 1e4);
    compare_gpu_arrays ("pageeig", @(x) pageeig (x, "matrix"), {H}, 1e4);
    compare_gpu_arrays ("batcheig", @(x) batcheig (x), {H}, 1e4);
    compare_gpu_arrays ("pagefunm", @(x) pagefunm (x / 20, "exp"), {H}, 1e5);
    a = A(:,:,1);
    compare_gpu_arrays ("inv", @inv, {a}, 1e4);
    compare_gpu_arrays ("inv", @(x) nthargout (2, @inv, x), {a}, 1e2);
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
  is_refused ("pageeig", @() pageeig (gpuArray ([1 2; 3 4])));
  is_refused ("eig", @() eig (gpuArray ([1 2; 3 4])));
  for f = {@null, @orth, @(x) filter (1, 1, x), @(x) eig (x, x), @(x) unique (x, "rows")}
    is_refused (func2str (f{1}), @() f{1} (gpuArray (magic (3))));
  endfor
endfunction

function is_refused (name, f)
  global counts_of_gpu_arrays;
  err = "";
  try
    f ();
  catch e
    err = [e.identifier, ": ", e.message];
  end_try_catch
  good = strncmp (err, "gpulinalg:gather-needed", 23) && ! isempty (strfind (err, "gather"));
  counts_of_gpu_arrays += [good, ! good];
  if (! good)
    printf ("FAILED %s of a gpuArray: %s\n", name, err);
  endif
endfunction

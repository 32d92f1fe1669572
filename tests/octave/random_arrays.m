% tests/octave/random_arrays.m: random calls with gpuArrays and of the functions about places, see random_call
% SPDX-License-Identifier: GPL-3.0-or-later

function c = random_arrays (c, topic)
  switch (topic)
    case "gpuArray pages"
      c = draw_pages (c);
    case "gpuArray elements"
      c = draw_elements (c);
    case "gpuArray functions"
      c = draw_elements (c);
      c.name = "gather";
      c.args = c.args(1);
      c.wrong = {};
      c.check = @(c, out) told (! isgpuarray (out{1}) && isequaln (out{1}, gather (c.args{1})), "gather");
    otherwise
      c = draw_place (c, topic);
  endswitch
endfunction

% A call of another topic with gpuArrays in place of arrays; the results must be gpuArrays and pass the same checks.
function c = draw_pages (c)
  topics = {"batcheig", "batcheig pairs", "pagefunm", "batchsvd", "pagesvd", "pagecond", "pagerank", "pagepinv", "pagelsqminnorm", ...
            "qr_block", "qr_block solve", "gsvd_hz", "gevd_hz", "pagemtimes", "pagenorm", "pagediag", "pagetrace", "pagemldivide", "pagemrdivide", "pageinv"};
  topic = topics{randi (numel (topics))};
  c = random_call (topic, randi (1e6), randi (1e6));
  c.each = c.paged = [];
  host = c.args;
  some = find (cellfun (@(a) isfloat (a) && numel (a) > 1 && ! issparse (a), c.args));
  some = some(1:min (2, end));
  if (numel (some) > 1 && (rand () < 0.3 || ! isequal (size (c.args{1})(3:end), size (c.args{some(2)})(3:end))))
    some = some(1);
  endif
  for a = some
    c.args{a} = gpuArray (full (c.args{a}));
  endfor
  check = c.check;
  c.check = @(d, out) checked_on_host (setfield (d, "args", host), out, check);
  if (! strcmp (c.refused, "must"))
    c.refused = "may";                  # a form that gpuArrays do not have
  endif
  c.note = ["gpuArrays, ", c.note];
endfunction

function texts = checked_on_host (c, out, check)
  for k = 1:numel (out)
    if (isgpuarray (out{k}))
      out{k} = gather (out{k});
    endif
  endfor
  texts = check (c, out);
endfunction

% A function of each element, an operator or a sum, beside the same of arrays of the host.
function c = draw_elements (c)
  dims = random_size (randi ([2, 3]), 20);
  x = gpu_test_array ("dszcb"(randi (5)), dims);
  y = gpu_test_array ("dszcb"(randi (5)), dims .^ (rand (size (dims)) < 0.8));
  one = {"abs", "real", "imag", "conj", "exp", "sum", "prod", "isnan", "size", "numel", "any", "all", "cumsum", "isreal", "floor", ...
         "sign", "mean", "squeeze", "isempty", "ndims", "columns", "transpose"};
  two = {"plus", "minus", "times", "rdivide", "eq", "ne", "lt", "and", "or"};
  if (rand () < 0.5)
    c.name = one{randi (numel (one) - (ndims (x) > 2))};
    host = {x};
  else
    c.name = two{randi (numel (two))};
    host = {x, y};
  endif
  c.args = host;
  c.args{1} = gpuArray (x);
  if (numel (host) > 1 && rand () < 0.5)
    c.args{2} = gpuArray (y);
  endif
  c.refused = "may";
  c.note = sprintf ("gpuArray %s %s", class (x), mat2str (dims));
  c.check = @(c, out) check_elements (c, out, host);
endfunction

function texts = check_elements (c, out, host)
  wanted = feval (c.name, host{:});
  got = out{1};
  if (isgpuarray (got))
    got = gather (got);
  endif
  texts = told (isequal (size (got), size (wanted)) && strcmp (class (got), class (wanted)), "another size or class than on the host");
  if (isempty (texts) && isfloat (wanted))
    off = abs (double (got(:)) - double (wanted(:)));
    same = isnan (got(:)) == isnan (wanted(:)) & (got(:) == wanted(:) | isnan (wanted(:)) | off <= 100 * double (eps (class (wanted))) * (abs (double (wanted(:))) + 20));
    texts = told (all (same | ! isfinite (wanted(:))), sprintf ("%s is off by %g", c.name, worst (off(! same))));
  elseif (isempty (texts))
    texts = told (isequal (got, wanted), "another result than on the host");
  endif
endfunction

%-------------------------------------------------------------------------------
% places
%-------------------------------------------------------------------------------

function c = draw_place (c, topic)
  c.wrong = {{1, 2, 3}};
  anything = {1, single(2), true, "text", {}, gpuArray(3), sparse(1), int8(1), @sin, struct(), [], rand(3), gpuArray(rand (2, 3) > 0.5)};
  x = anything{randi (numel (anything))};
  c.note = class (x);
  switch (topic)
    case "gather"
      c.args = {x};
      c.wrong = {};
      c.refused = "may";
      c.check = @(c, out) told (! isgpuarray (out{1}), "a gpuArray");
    case "isgpuarray"
      c.args = {x};
      c.wrong = {};
      c.check = @(c, out) told (isequal (out{1}, strcmp (class (c.args{1}), "gpuArray")), "wrong");
    case "existsOnGPU"
      c.args = {x};
      c.wrong = {};
      c.refused = "may";
      c.check = @(c, out) told (islogical (out{1}), "not logical");
    case "underlyingType"
      c.args = {x};
      c.wrong = {};
      c.refused = "may";
      c.check = @(c, out) told (ischar (out{1}) && ! strcmp (out{1}, "gpuArray"), "no class");
    case "gpuDevice"
      c.args = {{}, {1000}, {-1}, {"x"}, {1.5}, {[1, 2]}}{randi (6)};
      c.refused = merge (isempty (c.args), "may", "must");
      c.wrong = {};
    case "gpuDeviceCount"
      c.check = @(c, out) told (isscalar (out{1}) && out{1} == numel (gpulinalg_info ().devices), "wrong");
    case "gputimeit"
      c.args = {@() 1 + 1};
      c.steady = false;
      c.refused = "may";
      if (rand () < 0.5)
        c.args = {x};
      endif
    case "gpulinalg"
      c.nout = 0;
      c.args = {1};
      c.refused = "must";
      c.wrong = {};
    case "gpulinalg_info"
      c.name = "isfield";               # what it returns is looked at, for free memory differs from call to call
      c.args = {gpulinalg_info(), {"version", "cuda", "backend", "threads", "devices"}};
      c.wrong = {};
      c.check = @(c, out) told (all (out{1}), "a field is missing");
    case "gpulinalg_mpi"
      c.nout = 2;
      c.refused = "may";                # the plugin is built where there is MPI
      c.check = @(c, out) told (isequal (out, {0, 1}), "not rank 0 of 1");
    case "gpulinalg_device"
      c.args = {{}, {"cpus"}, {-1}, {1.5}, {[]}, {{}}, {NaN}, {1000}}{randi (8)};
      c.refused = merge (isempty (c.args), "no", "must");
      c.wrong = {};
    case "gpulinalg_release"
      c.nout = 0;
      c.args = {{}, {-1}, {"x"}, {0.5}, {1000}}{randi (5)};
      c.refused = merge (isempty (c.args), "no", "must");
      c.wrong = {};
  endswitch
endfunction

function texts = told (ok, text)
  texts = {text}(! ok);
endfunction

% tests/octave/check_stand_in.m: gpuArrays on two stand-ins for GPUs (tests/c/fake/fake_cuda.h), whose kernels do nothing
% SPDX-License-Identifier: GPL-3.0-or-later
%
% Run with the functions of tests/c/build/octave, and with GPULINALG_FAKE_TRACE naming a file. What is tested does not
% depend on values: on which GPU results are, that arrays of two GPUs are not mixed, and how many kernels a function
% launches. Prints one closing line of counts.

1;

function count (good, varargin)
  global counts;
  counts += [good, ! good];
  if (! good)
    printf (["FAILED " varargin{1} "\n"], varargin{2:end});
  endif
endfunction

% f () must end with the error that says how to bring arrays together.
function is_refused (f)
  text = "no error";
  try
    f ();
  catch err
    text = [err.identifier, ": ", err.message];
  end_try_catch
  count (strncmp (text, "gpulinalg:device-mismatch", 25) && ! isempty (strfind (text, "gather")), "%s of arrays on two GPUs: %s", func2str (f), text);
endfunction

% Launches of kernels in f (), by the trace of the stand-in.
function n = launches (f)
  n = -lines_with_launch ();
  f ();
  n += lines_with_launch ();
endfunction

% Octave has operators for these products, but not within anonymous functions.
function n = launches_of_products (x, y)
  n = lines_with_launch ();
  x * x';
  n(end+1) = lines_with_launch ();
  x' * x;
  n(end+1) = lines_with_launch ();
  x * x.';
  n(end+1) = lines_with_launch ();
  y.' * y;
  n = diff ([n, lines_with_launch()]);
endfunction

function n = lines_with_launch ()
  n = numel (strfind (fileread (getenv ("GPULINALG_FAKE_TRACE")), "\nlaunch "));
endfunction

function n = copies_on_gpu ()
  n = numel (strfind (fileread (getenv ("GPULINALG_FAKE_TRACE")), "\ncopy 3"));
endfunction

% What f () does for a second time, by the trace: how often it waits for its own work, how often it takes memory from the
% driver, the streams of its launches, and how often it copies.
function [waits, allocations, streams, copies] = work_of (f)
  f ();
  before = numel (fileread (getenv ("GPULINALG_FAKE_TRACE")));
  f ();
  lines = strsplit (fileread (getenv ("GPULINALG_FAKE_TRACE"))(before+1:end), "\n");
  recorded = streams = {};
  waits = allocations = copies = 0;
  for line = lines
    words = strsplit (line{1}, {" ", ",", ":"});
    switch (words{1})
      case "record"
        recorded{end+1} = words{2};
      case "query"
        waits += any (strcmp (words{2}, recorded));
      case "synchronize"
        waits++;
      case {"malloc", "free", "host"}
        allocations++;
      case "copy"
        copies++;
      case "launch"
        streams{end+1} = regexp (line{1}, 'stream (\S+),', "tokens", "once"){1};
    endswitch
  endfor
endfunction

function count_share (~, ~)
  global shares;
  shares++;
endfunction

global counts = [0, 0];
warning ("off", "all");
count (gpuDeviceCount () == 2, "there are %d GPUs, not 2", gpuDeviceCount ());
G = gpuArray (magic (4));               # on GPU 0
Z = complex (G, G);
count (isequal (launches_of_products (Z, G), [1, 1, 1, 1]), "products with a transposed operand launch more than one kernel");
Z = complex (G);
S = spmv_plan (speye (4));
P = spmv_plan (speye (4000), "device", [0, 1]);
y = P * ones (4000, 11);
count (isequal (size (y), [4000, 11]) && ! isempty (strfind (disp (P), "copies on 2 GPUs")), "rows on both GPUs: %s", disp (P));
gpuDevice (1);
H = gpuArray (magic (4));               # on GPU 1, the current one
K = magic (4);

% arrays of both GPUs
pairs = {@(G, H) G + H, @(G, H) G .* H(1), @(G, H) G == H, @(G, H) G & H, @(G, H) [G, H], @(G, H) [G; H], @(G, H) [G; H(1,:)], @(G, H) cat(3, G, H), @(G, H) G * H, ...
         @(G, H) G \ H, @(G, H) G / H, @(G, H) G(H > 3), @(G, H) G(H), @(G, H) G(:,H(1,:)), @(G, H) setfield (G, {1}, H(1)), @(G, H) max (G, H), @(G, H) atan2 (G, H), ...
         @(G, H) mod (G, H), @(G, H) complex (G, H), @(G, H) dot (G, H), @(G, H) kron (G, H), @(G, H) merge (true, G, H), @(G, H) arrayfun (@(x, y) x + y, G, H), ...
         @(G, H) batcheig (G, H), @(G, H) batcheig (G, H, "drop", 0.1), @(G, H) batcheig (G, H, "swap"), @(G, H) pagemtimes (G, H), @(G, H) pagemldivide (G, H), ...
         @(G, H) pagemrdivide (G, H), @(G, H) gsvd_hz (G, H), @(G, H) gevd_hz (G, H), @(G, H) qr_block (G, H), @(G, H) qr_block (G, H, "solve"), @(G, H) pagelsqminnorm (G, H), ...
         @(G, H) realpow (G, H), @(G, H) linspace (G(1), H(1), 3)};
for f = pairs
  is_refused (@() f{1} (G, H));
  is_refused (@() f{1} (H, G));
endfor
X = G;
try
  X(1,:) = H(1,:);
  count (false, "a gpuArray takes elements of another GPU");
catch err
  count (strcmp (err.identifier, "gpulinalg:device-mismatch"), "an assignment: %s", err.message);
end_try_catch

% results are where their arguments are, also where that is not the current GPU: they go with arrays there
alone = {@(G) G + 1, @(G) G + magic(4), @(G) magic(4) + G, @(G) -G, @(G) G', @(G) exp(G), @(G) sqrt(G), @(G) single(G), @(G) logical(G), @(G) G(1:2,:), @(G) G([1 3 2]), @(G) G(:,end), ...
         @(G) [G, magic(4)], @(G) [magic(4); G], @(G) cat(3, magic(4), G), @(G) G * magic(4), @(G) magic(4) * G, @(G) sum(G), @(G) max(G), @(G) cumsum(G), @(G) mean(G), @(G) norm(G, 1), @(G) any(G), ...
         @(G) sort(G), @(G) diag(G), @(G) diag(G(1,:)), @(G) reshape(G, 2, 8), @(G) permute(G, [2 1]), @(G) repmat(G, 2, 2), @(G) circshift(G, 1), @(G) merge(true, magic(4), G), @(G) merge(true, G, 1), ...
         @(G) arrayfun(@(x) x + 1, G), @(G) arrayfun(@(x, y) x + y, magic(4), G), @(G) zeros(3, "like", G), @(G) rand(3, "like", G), @(G) randi(3, 2, "like", G), @(G) eye(3, "like", G), @(G) ones(3, "like", G), ...
         @(G) fft(G), @(G) pagenorm(G, 1), @(G) pageinv(G), @(G) pagemtimes(G, magic(4)), @(G) pagemtimes(magic(4), G), @(G) pagemldivide(G, magic(4)), @(G) pagemldivide(magic(4), G), @(G) batcheig(G), ...
         @(G) batcheig(G, eye(4)), @(G) batcheig(eye(4), G), @(G) batchsvd(G), @(G) qr_block(G), @(G) qr_block(magic(4), G), @(G) pagefunm(G, "exp"), @(G) spmv(speye(4), G), @(G) linspace(G(1), 2, 3), @(G) diff(G)};
for f = alone
  for x = {G, H}
    try
      y = f{1} (x{1});
      count (isgpuarray (y) && existsOnGPU (y), "%s is not on a GPU", func2str (f{1}));
      z = y(1) + x{1}(1);
      count (true);
    catch err
      count (false, "%s is not where its argument is: %s", func2str (f{1}), err.message);
    end_try_catch
  endfor
endfor
% copies of large arrays are shared by eight threads, and are the only work of the stand-in that moves bytes
for bytes = 8 * [2^21 - 1, 2^21, 2^21 + 1, 3e6 + 5, 8e6]
  for x = {rand(bytes / 8, 1), rand(bytes, 1) > 0.5, single(rand (bytes / 4, 1))}
    count (isequal (gather (gpuArray (x{1})), x{1}), "gather of %d bytes of %s is wrong", bytes, class (x{1}));
  endfor
endfor
gpuDevice (0);
count (isequal (size (gpuArray (1) + G), [4, 4]), "the current GPU does not change back");

% kernels that are launched
gauss = @(x, y) exp (-(x .^ 2 + y .^ 2) / 2) .* cos (3 * x - y) + 0.5 * abs (x - y);
for array = {G, single(G), gpuArray(rand (300, 70)), Z}
  n = launches (@() arrayfun (@(x) exp (x) .* x + 1, array{1}));
  count (n == 1, "arrayfun launches %d kernels", n);
endfor
row = G(1,:);
n = launches (@() arrayfun (gauss, G, row));
count (n == 1, "arrayfun of 14 steps launches %d kernels", n);
n = launches (@() arrayfun (@(x) sqrt (x), G));
count (n == 1, "arrayfun with sqrt launches %d kernels", n);
for f = {@() G + 1, @() G .* G, @() exp (G), @() G', @() sum (G), @() sum (G, 2), @() repmat (G, 2, 3), @() mod (G, 3), @() zeros (3, "like", G), @() G(2,:), @() single (gpuArray (rand (7))), @() sort (G), @() sqrt (G), @() max (G)}
  n = launches (f{1});
  count (n == 1, "%s launches %d kernels", func2str (f{1}), n);
endfor

% an assignment copies the array only where another variable has it, and a mask of the host is looked through once
X = G + 0;
n = -copies_on_gpu ();
X(1) = 5;
n += copies_on_gpu ();
count (n == 0, "an assignment copies the array %d times", n);
Y = X;
n = -copies_on_gpu ();
X(1) = 6;
n += copies_on_gpu ();
count (n == 1, "an assignment to one of two variables copies %d times", n);
n = -copies_on_gpu ();
X(:) = X;
n += copies_on_gpu ();
count (n >= 1, "an array that is assigned to itself is not copied");
clear Y
X = zeros (2e5, 1, "gpuArray");
mask = true (2e5, 1);
mask(1) = false;
tic;
X(mask) = 1;
t = toc;
count (t < 3, "an assignment with a mask takes %g s", t);

% functions on pages work in the stream of the arrays, and wait for what the host needs, once; a division also for rcond,
% which the stand-in leaves 0, so that the singular values are asked, too
[~, ~, own] = work_of (@() G + 1);
P = gpuArray (rand (4, 4, 50));
S = P + permute (P, [2, 1, 3]);
calls = {@() pagemtimes(P, P), 0; @() pagemtimes(P, magic(4)), 0; @() P(:,:,1) * P(:,:,2), 0; @() pagenorm(P, 1), 0; @() norm(P(:,:,1), 1), 0; @() qr_block(P), 0; ...
         @() pagemldivide(P, P), 1; @() P(:,:,1) \ P(:,:,2), 4; @() pageinv(P), 1; @() batcheig(S), 1; @() batcheig(S, "largest", 2), 1; @() batcheig(S, S, "lower"), 1; ...
         @() batchsvd(P), 1; @() pagefunm(S, "exp"), 1};
for k = 1:rows (calls)
  [waits, allocations, streams] = work_of (calls{k,1});
  count (waits == calls{k,2}, "%s waits %d times, not %d", func2str (calls{k,1}), waits, calls{k,2});
  count (allocations == 0, "%s takes or frees memory of the driver %d times", func2str (calls{k,1}), allocations);
  count (! isempty (streams) && all (strcmp (streams, own{1})), "%s does not work in the stream of the arrays alone", func2str (calls{k,1}));
endfor

% a job of several chunks: other streams wait for the stream of the arrays before their work, and it for them behind it
P = zeros (256, 256, 1800, "gpuArray");
before = numel (fileread (getenv ("GPULINALG_FAKE_TRACE")));
R = qr_block (P);
text = fileread (getenv ("GPULINALG_FAKE_TRACE"))(before+1:end);
[at, words] = regexp (text, 'launch [^\n]* stream (\S+), cluster', "start", "tokens");
streams = cellfun (@(w) w{1}, words, "UniformOutput", false);
others = unique (streams(! strcmp (streams, own{1})));
count (! isempty (others), "1800 pages of 256 x 256 are one chunk");
for k = 1:numel (others)
  mine = at(strcmp (streams, others{k}));
  begun = regexp (text, ['record (\S+), stream ' own{1} '\n'], "tokens", "once"){1};
  wait = regexp (text, sprintf ('stream %s waits for %s,', others{k}, begun));
  done = regexp (text, ['record (\S+), stream ' others{k} '\n'], "tokens"){end}{1};
  joined = regexp (text, sprintf ('stream %s waits for %s,', own{1}, done));
  count (! isempty (wait) && wait(1) < mine(1), "stream %s begins before the work on the arrays has ended", others{k});
  count (! isempty (joined) && joined(end) > mine(end), "the stream of the arrays goes on before stream %s has ended", others{k});
endfor
clear P R

% arrays side by side are one kernel, however they are written, and so are triangles and other parts
S = single (G);
one = G(1);
mask = G > 3;
for f = {@() [G, G], @() [G; G; G], @() [G, G; G, G], @() [G, S], @() [one, one; one, one], @() cat(3, G, G, G, G), @() horzcat(G, G), @() complex(G, G), @() triu(G), @() tril(G, -1), @() blkdiag(G, G), ...
         @() merge(mask, G, 1), @() kron(G, G), @() diff(G), @() sinc(G)}
  [waits, allocations, streams] = work_of (f{1});
  count (numel (streams) == 1 && waits == 0 && allocations == 0, "%s launches %d kernels, waits %d times", func2str (f{1}), numel (streams), waits);
endfor
twenty = repmat ({G(1)}, 1, 20);
[~, ~, streams] = work_of (@() [twenty{:}]);
count (numel (streams) == 1, "20 numbers side by side are %d kernels", numel (streams));

% arrayfun calls a function again only where its steps may be others
number = 3;
kept = {@(x) exp(x) .* x + 1, 1; @(x) x * number, 1; @(x) x * 2e-3 - pi, 1; @(x) x + rand, 0; @(x) x + nargin, 0; @(x) x + numel("a"), 0; @(x) feval(@plus, x, 1), 0};
for k = 1:rows (kept)
  before = __gpu_array__ ("kept", G);
  for j = 1:3
    arrayfun (kept{k,1}, G);
  endfor
  n = __gpu_array__ ("kept", G) - before;
  count (n == kept{k,2}, "arrayfun of %s: %d of 3 calls had the steps of another, not %d", func2str (kept{k,1}), n, kept{k,2});
  before = __gpu_array__ ("kept", G);
  arrayfun (kept{k,1}, single (G));
  count (__gpu_array__ ("kept", G) == before, "arrayfun of %s: single arrays have the steps of double ones", func2str (kept{k,1}));
endfor
f = @(x) tanh (x);
for j = 1:3
  arrayfun (f, G);
endfor
eval ("function y = tanh (x), y = x + 1; endfunction");
before = __gpu_array__ ("kept", G);
arrayfun (f, G);
count (__gpu_array__ ("kept", G) == before, "arrayfun has the steps of another function of this name");
clear -f tanh

% repmat brings no list of subscripts to the GPU; mean is two operations
for f = {@() repmat (G, [1, 1, 1000]), @() repmat (G, 3, 2), @() repmat (Z, [2, 1, 3, 4]), @() repmat (row, 50, 1)}
  [waits, allocations, streams, copies] = work_of (f{1});
  count (numel (streams) == 1 && copies == 0 && waits == 0, "%s launches %d kernels, copies %d times, waits %d times", func2str (f{1}), numel (streams), copies, waits);
endfor
[~, ~, streams, copies] = work_of (@() mean (G, 2));
count (numel (streams) == 2 && copies == 0, "mean launches %d kernels, copies %d times", numel (streams), copies);

% large arrays come back whole, whatever their bytes are over those of the buffers
for n = [4194304, 4194305, 5000003]
  x = rand (n, 1);
  count (isequal (gather (gpuArray (x)), x), "gather of %d elements", n);
endfor

% division by a matrix that is not square converts logical and single arrays
for x = {gpuArray(true (4, 2)), gpuArray(single (ones (4, 2))), gpuArray(ones (4, 2))}
  for y = {gpuArray(true (4, 1)), true(4, 1), gpuArray(ones (4, 1)), single([1; 2; 3; 4])}
    for f = {@(x, y) x \ y, @(x, y) y.' / x.'}
      class_error = "";
      try
        f{1} (x{1}, y{1});
      catch err
        class_error = {err.message, ""}{1 + strcmp(err.identifier, "gpulinalg:gather-needed")}; # without values the rank is unknown
      end_try_catch
      count (isempty (class_error), "division of %s by %s: %s", underlyingType (y{1}), underlyingType (x{1}), class_error);
    endfor
  endfor
endfor

% pageinv of large pages has its options, too
global shares = 0;
[~, ~, ~] = pageinv (gpuArray (rand (300)), "progress", @count_share);
count (shares > 0, "pageinv of 300 rows shows no progress");
bad = {"progress", "some"; "device", "other"};
for k = 1:2
  id = "";
  try
    pageinv (gpuArray (rand (300)), bad{k,:});
  catch err
    id = err.identifier;
  end_try_catch
  count (strcmp (id, "gpulinalg:bad-value"), "pageinv with a bad \"%s\": \"%s\"", bad{k,1}, id);
endfor

% functions of empty pages have the shapes and classes that they have for ordinary arrays
for s = {[0, 0], [0, 3], [3, 0], [0, 0, 2], [0, 3, 2], [3, 0, 2], [3, 3, 0]}
  for f = {@batchsvd, @pagesvd, @pagenorm, @qr_block, @pagepinv, @pagecond, @(x) pagelsqminnorm(x, x), @pageinv, @(x) pagemldivide(x, x), @(x) pagemrdivide(x, x)}
    x = zeros (s{1}, "single");
    expected = y = "an error";
    try
      expected = f{1} (x);
    end_try_catch
    try
      y = f{1} (gpuArray (x));
    catch err
      y = err.message;
    end_try_catch
    count ((ischar (expected) && ischar (y)) || (isgpuarray (y) && isequal (size (y), size (expected)) && strcmp (underlyingType (y), class (expected))), "%s of %s: %s", func2str (f{1}), mat2str (s{1}), disp (y));
  endfor
endfor

printf ("check_stand_in: %d passed, %d failed, 0 skipped\n", counts);
exit (counts(2) > 0);

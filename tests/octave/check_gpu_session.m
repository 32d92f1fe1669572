% tests/octave/check_gpu_session.m: gpuArrays in a child of fork, after reset and without room, and their memory
% SPDX-License-Identifier: GPL-3.0-or-later
%
% check_gpu_session (operations, interruptions), in a process of its own: needs a GPU or a stand-in for one. Prints
% one closing line of counts and ends Octave. No byte may be lost, and arrays and what operations need beside them may
% never have more than 1.3 times the memory of the arrays that were alive.

function check_gpu_session (operations = 10000, interruptions = 20)
  if (code_is_limited ())
    printf ("check_gpu_session: 0 passed, 0 failed, 1 skipped\n");
    exit (0);
  endif
  warning ("off", "all");
  rand ("twister", 47);
  before = memory_now ();
  [most, errors] = mixed (operations);
  after = gpuDevice ();
  good = [after.ArrayMemory == before, after.PeakArrayMemory <= 1.3 * most + before, errors > operations / 20];
  if (! all (good))
    printf ("FAILED %d operations, %d errors: %g bytes lost, at most %g bytes for %g alive\n", operations, errors, ...
            after.ArrayMemory - before, after.PeakArrayMemory - before, most);
  endif
  good = [good, forked(), lost(), without_room()];
  good(end+1) = memory_now () == before;
  interrupted (interruptions, before, nnz (good), nnz (! good));
endfunction

% A child of fork has no GPU, and the parent keeps its own.
function good = forked ()
  G = gpuArray (magic (4));
  calls = {@() G + 1, @() gather(G), @() gpuArray(1), @() sum(G), @() G(1), @() batcheig(G + G'), @() arrayfun(@(x) x + 1, G)};
  pid = fork ();
  if (pid == 0)
    refused = 0;
    for f = calls
      try
        f{1} ();
      catch err
        refused += strcmp (err.identifier, "gpulinalg:forked");
      end_try_catch
    endfor
    refused += isequal (batcheig ([2, 1; 1, 2]), [1; 3]);
    exec ("sh", {"-c", sprintf("exit %d", refused)});
  endif
  [~, status] = waitpid (pid);
  refused = WEXITSTATUS (status);
  count = numel (calls) + 1;
  good = [WIFEXITED(status) && refused == count, isequal(size (G + 1), [4, 4])];
  if (! all (good))
    printf ("FAILED fork: %d of %d calls in the child are right\n", refused, count);
  endif
endfunction

% Arrays of a GPU that was reset say so, and new ones work.
function good = lost ()
  G = gpuArray (1:3);
  reset (gpuDevice ());
  calls = {@() G + 1, @() gather(G), @() sum(G), @() batcheig(G(1)), @() disp(G)};
  ids = cellfun (@error_of, calls, "uniformoutput", false);
  H = gpuArray (1:3);
  good = [! existsOnGPU(G), all(strcmp (ids, "gpulinalg:device-failed")), existsOnGPU(H) && isequal(size (H + 1), [1, 3])];
  if (! all (good))
    printf ("FAILED arrays of a GPU that was reset: %s\n", strjoin (ids, ", "));
  endif
endfunction

% The message has the sizes: what was asked for and what there is.
function good = without_room ()
  [id, text] = error_of (@() zeros (1e7, 1e7, "gpuArray"));
  good = strcmp (id, "gpulinalg:device-memory") && numel (regexp (text, '[0-9.]+ MB')) >= 2;
  if (! good)
    printf ("FAILED an array without room: %s %s\n", id, text);
  endif
endfunction

function [id, text] = error_of (f)
  id = text = "";
  try
    f ();
  catch err
    id = err.identifier;
    text = err.message;
  end_try_catch
endfunction

function bytes = memory_now ()
  G = gpuArray (0); # the GPU begins
  G = [];
  wait (gpuDevice ());
  bytes = gpuDevice ().ArrayMemory;
endfunction

% Random operations on six arrays of 80 KB to 4 MB. Returns the bytes of the arrays that were alive at the same time,
% where these were most, and how many operations ended with an error.
function [most, errors] = mixed (operations)
  arrays = cellfun (@fresh, cell (1, 6), "uniformoutput", false);
  calls = all_calls ();
  if (gather (gpuArray (1) + 1) != 2) # sizes that depend on values have no meaning on a stand-in
    calls = calls(cellfun (@isempty, regexp (cellfun (@func2str, calls, "uniformoutput", false), 'find|x\s?\(x')));
  endif
  most = errors = 0;
  for k = 1:operations
    x = arrays{randi (6)};
    y = arrays{randi (6)};
    try
      z = calls{randi (numel (calls))} (x, y);
    catch
      errors++;
      continue;
    end_try_catch
    most = max (most, sum (cellfun (@sizeof, arrays)) + sizeof (z));
    if (! isgpuarray (z) || numel (z) < 1e4 || numel (z) > 5e5)
      z = fresh ();
    endif
    arrays{randi (6)} = z;
    x = y = z = [];
  endfor
endfunction

function G = fresh (varargin)
  n = randi ([100, 700]);
  G = gpuArray (rand (n, randi ([100, 700])));
endfunction

% Of the last ones each is an error, most often or always.
function calls = all_calls ()
  calls = {@(x, y) x + 1, @(x, y) x .* x, @(x, y) x', @(x, y) exp(-x), @(x, y) sum(x), @(x, y) x > 0.5, @(x, y) x(:,end:-1:1), @(x, y) [x; x(1,:)], ...
           @(x, y) single(x), @(x, y) complex(x), @(x, y) real(x), @(x, y) cumsum(x), @(x, y) max(x, [], 2), @(x, y) find(x > 0.5), @(x, y) x(x > 0.5), ...
           @(x, y) gather(x(1,:)), @(x, y) gpuArray(rand (300)), @(x, y) reshape(x, 1, []), @(x, y) sort(x(:,1)), @(x, y) repmat(x(1,:), 300, 1), ...
           @(x, y) arrayfun(@(a) a .* 2 + 1, x), @(x, y) {x, y}, @(x, y) changed(x), @(x, y) sqrt(x - 0.5), ...
           @(x, y) x + y, @(x, y) x * y, @(x, y) x(:,1e6), @(x, y) x(0), @(x, y) chol(x), @(x, y) [x, y], @(x, y) x + "text", ...
           @(x, y) zeros(1e7, 1e7, "like", x), @(x, y) arrayfun(@(a) [a, a], x), @(x, y) reshape(x, 7, []), @(x, y) nested(x)};
endfunction

function x = changed (x)
  x(2,:) = 0;
  x(:,1) = [];
  x(end+1,1) = 5;
endfunction

% Arrays are alive where the error comes.
function x = nested (x)
  a = x + 1;
  b = {a, struct("c", a .* 2)};
  error ("an error with arrays");
endfunction

% Ctrl-C ends a loop of operations, and what comes behind it in the cleanup is the next one.
function interrupted (count, before, passed, failed)
  unwind_protect
    if (count > 0)
      G = gpuArray (rand (500));
      system (sprintf ("sleep %g; kill -INT %d", 0.02 + 0.03 * rand (), getpid ()), false, "async");
      while (true)
        H = {G + 1, G * G};
        gather (H{2});
        wait (gpuDevice ());
      endwhile
    endif
  unwind_protect_cleanup
    G = H = [];
    if (count > 0)
      interrupted (count - 1, before, passed, failed);
    else
      now = memory_now ();
      good = now == before;
      if (! good)
        printf ("FAILED interruptions: %g bytes lost\n", now - before);
      endif
      printf ("check_gpu_session: %d passed, %d failed, 0 skipped\n", passed + good, failed + ! good);
      exit (failed + ! good > 0);
    endif
  end_unwind_protect
endfunction

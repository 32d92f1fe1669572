% tests/octave/check_loading.m: what this package changes in Octave, and that it is all put back
% SPDX-License-Identifier: GPL-3.0-or-later
%
% check_loading (top) prints "check_loading: N passed, M failed". top is the source tree, and neither its src nor its
% inst may be on the path. All functions that Octave has, built in or by file, must be found where they were: after
% loading, after functions of ordinary arrays, after unloading, and at the second time; in between those of the user
% guide's list, and no others, are in the places of Octave's.

function check_loading (top)
  global counts_of_loading;
  counts_of_loading = [0, 0];
  names = unique ([__builtins__()(:); __list_functions__()(:)]);
  found = __which__ (names{:});
  early = {@size, @sum, @zeros, @() randi (5)};
  cellfun (early{2}, {1, 2});
  for time = 1:2
    folders = {fullfile(top, "src"), fullfile(top, "inst")};
    addpath (folders{:});
    addpath (folders{:});
    differ (sprintf ("load %d", time), found, {});
    batcheig (eye (2));
    spmv_plan (speye (2));
    x = {isgpuarray(1), existsOnGPU(1), gather(1), underlyingType(1), gpulinalg_info()};
    differ (sprintf ("functions of ordinary arrays %d", time), found, {});
    if (time == 1)
      fails ("zeros before the first gpuArray", @() zeros (2, "gpuArray"));
      G = gpuArray ([1, 2]);
      file = tempname ();
      save ("-text", file, "G");
    else
      gpuDevice ();
    endif
    differ (sprintf ("gpuArrays %d", time), found, listed (top));
    late = {@size, @sum, @zeros, @randi, @gpuArray};
    works ("handles from before", isequal (early{1} (G), [1, 2]) && gather (early{2} (G)) == 3);
    works ("handles from before make arrays", isgpuarray (early{3} (2, "gpuArray")));
    works ("handles", isgpuarray (late{2} (G)) && isgpuarray (late{4} (5, "gpuArray")));
    works ("saved arrays", isgpuarray (load (file).G));
    clear -functions
    works ("after clear -functions", isgpuarray (randi (5, 2, "gpuArray")) && isgpuarray (zeros (2, "gpuArray")));
    rmpath (folders{:});
    differ (sprintf ("unload %d", time), found, {});
    works ("handles after unload", isequal (late{1} (ones (2, 3)), [2, 3]) && late{2} (1:3) == 6 && isequal (late{3} (1, 2), [0, 0]) ...
                                     && ismember (late{4} (5), 1:5));
    works ("arrays after unload", strcmp (evalc ("disp (G + 1)"), evalc ("disp ([2, 3])")));
    fails ("sum after unload", @() late{2} (G));
    fails ("gather after unload", @() gather (G));
    H = load (file).G;
    K = late{5} (H);
    differ (sprintf ("load and a handle after unload %d", time), found, {});
  endfor
  unlink (file);
  printf ("check_loading: %d passed, %d failed\n", counts_of_loading);
endfunction

function names = listed (top)
  text = fileread (fullfile (top, "doc", "user-guide.md"));
  part = regexp (text, '### What changes in Octave, and when.*?```\n(.*?)```', "tokens", "once");
  names = strsplit (strtrim (part{1}));
endfunction

% The functions that are found elsewhere than at first must be those of these names.
function differ (when, found, names)
  now = __which__ (found.name);
  changed = ! arrayfun (@(k) isequal (found(k), now(k)), 1:numel (found));
  here = ismember (names, {found.name}); % of this release of Octave
  wrong = setxor ({found(changed).name}, names(here));
  works (sprintf ("%s: %s", when, strjoin (wrong, " ")), isempty (wrong));
endfunction

function fails (name, f)
  try
    f ();
    works (name, false);
  catch
    works (name, true);
  end_try_catch
endfunction

function works (name, good)
  global counts_of_loading;
  counts_of_loading(1 + ! good) += 1;
  if (! good)
    printf ("failed: %s\n", name);
  endif
endfunction

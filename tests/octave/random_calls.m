% tests/octave/random_calls.m: random calls of all functions, each result checked against what must hold of it
% SPDX-License-Identifier: GPL-3.0-or-later
%
% random_calls (SECONDS, SEED, ONLY) draws calls for so many seconds {60}: of every public function, of all types and
% shapes, with valid and invalid options, on ordinary and on hard pages, beside pages with NaN and Inf. SEED is a whole
% number {the day, such as 20261128}. ONLY restricts the topics to those that hold this text {""}; random_call () lists
% them. "calls=400" in place of SECONDS makes so many calls, and the digest of all results that is printed at the end is
% then the same in each run on the same device. The place of the calls is that of gpulinalg_device; where that is "auto"
% and there is a GPU it is "gpu", because "auto" may compute a page alone elsewhere than among others.
%
% What must hold of each call: an error has an id of this package or of Octave, and no valid call fails; arguments stay
% as they are; the same call gives the same bits again; pages in another order, or one of them alone, give the same
% bits; results have their sizes and classes, and residuals within the bounds of the accuracy suites.
%
% A failure is printed as a script of three lines that repeats it, and the run goes on. While a call runs, the file
% named in the first line of the output holds its three lines, for a crash of Octave. Without outputs a failure is an
% error at the end, so that octave-cli --eval has the exit status 1; [PASSED, FAILED, DIGEST] = random_calls (...) does
% not end so.

function [passed, failed, digest] = random_calls (seconds_ = 60, seed = today (), only = "")
  topics = random_call ();
  if (! isempty (only))
    topics = topics(! cellfun (@isempty, strfind (topics, only)));
  endif
  if (isempty (topics))
    error ("random_calls: no topic holds \"%s\"", only);
  endif
  most = Inf;
  if (ischar (seconds_))
    most = sscanf (seconds_, "calls=%d");
    if (! isscalar (most))
      error ("random_calls: \"%s\" is neither seconds nor \"calls=\" and a number", seconds_);
    endif
    seconds_ = Inf;
  endif
  place = gpulinalg_device ();
  if (strcmp (place, "auto") && ! isempty (gpulinalg_info ().devices))
    gpulinalg_device ("gpu");
  endif
  running = tempname ("", "random-call-");
  printf ("random calls: seed %d, device %s, the running call is in %s\n", seed, num2str (gpulinalg_device ()), running);
  fflush (stdout);
  unwind_protect
    [passed, failed, digest] = all_calls (topics, seed, most, seconds_, running);
  unwind_protect_cleanup
    gpulinalg_device (place);
    for file = {running, fullfile(tempdir (), sprintf ("random-graph-%d", getpid ()))}
      if (exist (file{1}, "file"))
        unlink (file{1});
      endif
    endfor
  end_unwind_protect
  if (isfinite (most))
    printf ("random calls: digest %s\n", digest);
  endif
  printf ("random calls: %d passed, %d failed\n", passed, failed);
  if (nargout > 0)
    return;
  endif
  count = passed + failed;
  if (failed > 0)
    error ("random_calls: %d of %d calls failed, seed %d", failed, count, seed);
  endif
  clear passed;
endfunction

function day = today ()
  day = str2double (strftime ("%Y%m%d", gmtime (time ())));
endfunction

% Call k is of topic number k, counted around, so that each topic has a call before one has a second.
function [passed, failed, digest] = all_calls (topics, seed, most, seconds_, running)
  passed = failed = k = 0;
  digest = "";
  start = tic ();
  while (k < most && (toc (start) < seconds_ || k < numel (topics)))
    topic = topics{1 + mod (k, numel (topics))};
    k++;
    script = sprintf ("c = random_call (\"%s\", %d, %d);\n[out{1:c.nout}] = feval (c.name, c.args{:});\ntexts = random_try (c)\n", ...
                      topic, seed, k);
    f = fopen (running, "w");
    fputs (f, script);
    fclose (f);
    try
      [texts, bits] = random_try (random_call (topic, seed, k));
    catch err
      texts = {sprintf("[%s] %s", err.identifier, err.message)};
      texts{1} = [texts{1}, sprintf(" at %s:%d", err.stack(1).name, err.stack(1).line)];
      bits = "";
    end_try_catch
    digest = hash ("md5", [digest, bits]);
    passed += isempty (texts);
    failed += ! isempty (texts);
    if (! isempty (texts))
      printf ("FAILED %s\n%s\n", strjoin (texts, "\n       "), script);
      fflush (stdout);
    endif
  endwhile
endfunction

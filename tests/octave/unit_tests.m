% tests/octave/unit_tests.m: runs the %! tests of src and inst in the source tree; the last line has the counts
% SPDX-License-Identifier: GPL-3.0-or-later

top = fullfile (fileparts (mfilename ("fullpath")), "..", "..");
files = [glob(fullfile (top, "src", "*.cc-tst")); glob(fullfile (top, "inst", "*.m")); ...
         glob(fullfile (top, "inst", "private", "*.m"))];
passed = failed = skipped = 0;
for file = files.'
  if (! any (strncmp (strsplit (fileread (file{1}), "\n"), "%!", 2)))
    continue;
  endif
  log = tempname ();
  fid = fopen (log, "w");
  [good, all_, xfail, xbug, skip] = test (file{1}, "quiet", fid);
  fclose (fid);
  if (good + xfail + xbug < all_)
    fputs (stdout, fileread (log));
  endif
  delete (log);
  passed += good;
  failed += all_ - good - xfail - xbug;
  skipped += skip + xfail + xbug;
endfor
printf ("unit_tests: %d passed, %d failed, %d skipped\n", passed, failed, skipped);
exit (failed > 0 || passed == 0);

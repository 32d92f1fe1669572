## gsvd_hz-progress.tst: tests of the options "progress" and "device" of gsvd_hz
## SPDX-License-Identifier: GPL-3.0-or-later

%!function calls = note_progress (done, total)
%!  ## Records its arguments; without arguments returns the records and clears them.
%!  persistent seen = zeros (0, 2);
%!  calls = seen;
%!  if (nargin == 2)
%!    seen(end+1,:) = [done, total];
%!  else
%!    seen = zeros (0, 2);
%!  endif
%!endfunction

%!## progress
%!test
%! A = numbers (6, 4, 500, "d", 1);
%! B = numbers (5, 4, 500, "d", 2);
%! note_progress ();
%! sigma = gsvd_hz (A, B, "progress", @note_progress);
%! calls = note_progress ();
%! assert (rows (calls) >= 1);
%! assert (calls(end,:), [500, 500]);
%! assert (issorted (calls(:,1)));
%! assert (sigma, gsvd_hz (A, B));
%! text = evalc ('gsvd_hz (A, B, "progress", true);');
%! assert (! isempty (strfind (text, "gsvd_hz: 500 of 500 pages, 100 %")));
%! assert (evalc ('sigma = gsvd_hz (A, B, "progress", false);'), "");
%! fail ('gsvd_hz (A, B, "progress", @(varargin) error ("my:id", "enough"))', "enough");
%! assert (gsvd_hz (A, B, "progress", @(varargin) gsvd_hz (1, 2)), sigma);

%!function calls = note_sweeps (done, total, sweeps)
%!  ## As note_progress, with three arguments.
%!  persistent seen = zeros (0, 3);
%!  calls = seen;
%!  if (nargin == 3)
%!    seen(end+1,:) = [done, total, sweeps];
%!  else
%!    seen = zeros (0, 3);
%!  endif
%!endfunction

%!## progress by sweeps
%!test
%! for p = [10, 100, 210]
%!   A = numbers (p + 9, p, [], "d", 1);
%!   B = numbers (p + 2, p, [], "d", 2);
%!   for method = {"hz", "tangent"}
%!     note_sweeps ();
%!     [~, ~, ~, ~, ~, stats] = gsvd_hz (A, B, "method", method{1}, "progress", @note_sweeps);
%!     n = stats.sweeps;
%!     assert (note_sweeps (), [zeros(n, 1), ones(n, 1), (1:n).'; 1, 1, 0]);
%!   endfor
%! endfor
%! note_progress ();
%! gsvd_hz (A, B, "progress", @note_progress);
%! assert (note_progress (), [1, 1]);
%! sigma = gsvd_hz (A, B, "progress", @max);
%! assert (sigma, gsvd_hz (A, B));
%! text = evalc ('gsvd_hz (A, B, "progress", true);');
%! assert (! isempty (strfind (text, "gsvd_hz: 0 of 1 pages, 0 %, sweep 1")));
%! assert (! isempty (regexp (text, "\\rgsvd_hz: 1 of 1 pages, 100 % +\\n$")));
%! fail ('gsvd_hz (A, B, "progress", @(done, total, sweeps) error ("my:id", "%d", sweeps))', "^1$");

%!## GPUs by number
%!test
%! A = numbers (20, 6, 8, "d", 2);
%! B = numbers (16, 6, 8, "d", 3);
%! count = numel (gpulinalg_info ().devices);
%! places = [{"cpu", "auto"}, num2cell(0:count - 1)];
%! if (count > 0)
%!   places = [places, {0:count - 1, "gpu"}];
%! endif
%! for place = places
%!   [U, V, X, C, S] = gsvd_hz (A, B, "device", place{1});
%!   check_pair (A, B, U, V, X, C, S);
%! endfor

%!testif ; isempty (gpulinalg_info ().devices)
%! fail ('gsvd_hz (1, 1, "device", "gpu")', "no GPU");
%! try, gsvd_hz (1, 1, "device", 0); catch err, end_try_catch
%! assert (err.identifier, "gpulinalg:no-device");

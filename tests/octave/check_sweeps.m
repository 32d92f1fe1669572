% tests/octave/check_sweeps.m: the calls of the progress function by gsvd_hz, and the device in stats
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [passed, failed] = check_sweeps (device). For a single pair the progress function must be called once for each
% sweep in stats, and at the end; a function of two arguments only at the end. For pages on a GPU it must be
% called as often as the page with the most sweeps had sweeps.

function [passed, failed] = check_sweeps (device)
  counts = [0, 0];
  function check (ok, varargin)
    counts += [ok, ! ok];
    if (! ok)
      printf ("FAILED sweeps, device %s: %s\n", num2str (device), sprintf (varargin{:}));
    endif
  endfunction
  for shape = [5, 40, 100, 300, 320; 7, 33, 120, 260, 330; 4, 33, 100, 250, 320]
    [m, n, p] = num2cell (shape){:};
    for type = {@double, @single, @complex}
      for method = {"hz", "tangent"}
        rand ("twister", m);
        A = type{1} (rand (m, p) - 0.5);
        B = type{1} (rand (n, p) - 0.5);
        label = sprintf ("%d,%dx%d %s %s", m, n, p, func2str (type{1}), method{1});
        options = {"device", device, "method", method{1}};
        note ();
        [~, ~, ~, ~, ~, stats] = gsvd_hz (A, B, options{:}, "progress", @note);
        seen = note ();
        s = stats.sweeps;
        check (s > 1 && isequal (seen, [zeros(s, 1), ones(s, 1), (1:s).'; 1, 1, 0]), ...
               "%s: told %s of %d", label, mat2str (seen), s);
      endfor
    endfor
    gsvd_hz (A, B, "device", device, "progress", @(done, total) note (done, total, -1));
    check (isequal (note (), [1, 1, -1]), "%d,%dx%d: two arguments", m, n, p);
  endfor
  A = rand (40, 30, 50) - 0.5;
  B = rand (35, 30, 50) - 0.5;
  [~, ~, ~, ~, ~, stats] = gsvd_hz (A, B, "device", device, "progress", @note);
  seen = note ();
  sweeps = seen(seen(:,3) > 0,3);
  if (strcmp (device, "cpu"))
    wanted = zeros (0, 1);
  else
    wanted = (1:max (stats.sweeps)).';
  endif
  check (isequal (sweeps, wanted) && isequal (seen(end,:), [50, 50, 0]), "pages: told %s", mat2str (seen));

  % pairs that only the CPU computes
  [~, ~, ~, ~, ~, stats] = gsvd_hz (A(1:20,:,:), B, "device", device);
  check (strcmp (stats.device, "cpu") && ! any (stats.info), "m < p");
  [~, ~, ~, ~, ~, stats] = gsvd_hz (A, B(1:20,:,:), "device", device);
  check (strcmp (stats.device, "cpu") && ! any (stats.info), "n < p");
  B(:,4,:) = B(:,3,:);
  [~, ~, ~, ~, ~, stats] = gsvd_hz (A, B, "device", device);
  check (strcmp (stats.device, "cpu") && ! any (stats.info), "B of lower rank");
  passed = counts(1);
  failed = counts(2);
endfunction

% Records its arguments; without arguments returns the records and clears them.
function calls = note (varargin)
  persistent seen = zeros (0, 3);
  calls = seen;
  if (nargin == 3)
    seen(end+1,:) = [varargin{:}];
  else
    seen = zeros (0, 3);
  endif
endfunction

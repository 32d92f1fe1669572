% loop_time.m: seconds a page of Octave's own function, called for one page after the other
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [seconds, core] = loop_time (task, type, shape, outputs)
% task and outputs as in loop_pages; shape: rows and columns, of "gsvd" rows of A and of B and columns. Three rounds of at
% least 0.1 s, fewer if they take more than a second together; the least counts. seconds(1) is of this process, seconds(2)
% of another one with one BLAS thread, and core the processor time of that one.

function [seconds, core] = loop_time (task, type, shape, outputs)
  one = least_of (task, type, shape, outputs);
  if (nargout == 0)
    printf ("%.6g %.6g\n", one);
    return;
  end
  call = sprintf ("loop_time ('%s', '%s', %s, %d)", task, type, mat2str (shape), outputs);
  folder = fileparts (mfilename ("fullpath"));
  [status, text] = system (sprintf (['OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 ' ...
    '"%s" --no-history --no-init-file --path "%s" --eval "%s"'], fullfile (OCTAVE_HOME (), "bin", "octave-cli"), folder, call));
  other = sscanf (text, "%g").';
  if (status != 0 || numel (other) != 2)
    error ("loop_time: %s with one BLAS thread failed: %s", call, text);
  end
  seconds = [one(1), other(1)];
  core = other(2);
end

% Seconds and processor seconds of a page. Few enough pages that a round is not much longer than 0.1 s.
function t = least_of (task, type, shape, outputs)
  pages = max (1, min (1000, round (2e5 / prod (shape([1, end])))));
  [A, B] = operands (task, type, shape, pages);
  if (numel (A) < 1e6)
    loop_pages (task, A(:,:,1), B(:,:,1), outputs);
  end
  t = [Inf, Inf];
  begin = tic;
  for round_ = 1:3
    done = 0;
    processor = cputime ();
    first = tic;
    do
      loop_pages (task, A, B, outputs);
      done += pages;
    until (toc (first) > 0.1)
    t = min (t, [toc(first), cputime() - processor] / done);
    if (toc (begin) > 1)
      break;
    end
  end
end

function [A, B] = operands (task, type, shape, pages)
  B = 0;
  switch (task)
    case "gsvd"
      [A, B] = gsvd_pairs (shape(1), shape(2), shape(3), pages, type);
    case "pairs"
      A = random_pages (shape(1), pages, type);
      B = random_pages (shape(1), pages, type) / shape(1) + 2 * full (eye (shape(1)));
    case "eig"
      A = random_pages (shape(1), pages, type);
    otherwise
      A = random_pages (shape, pages, type);
  end
end

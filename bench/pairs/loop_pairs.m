% loop_pairs.m: microseconds per page of the loop over eig (A, B), with eigenvectors
% SPDX-License-Identifier: GPL-3.0-or-later
%
% us = loop_pairs (n, type, seconds): random pages, for at least `seconds` and 3 pages. Without an output it
% prints the time and the least processor time of a tenth of them, so that another process with one BLAS thread
% can run it.
% loop_pairs (A, B, -1): these pages, once.

function us = loop_pairs (A, B, seconds)
  if (seconds < 0)
    done = 0;
    pages = size (A, 3);
    [V, D] = space_for (A);
    while (done < pages)
      p = ++done;
      [V(:,:,p), D(:,1,p)] = eig (A(:,:,p), B(:,:,p), "vector");
    end
    return;
  end
  n = A;
  type = B;
  pages = max (3, min (1000, round (1e6 / n^2)));
  A = random_pages (n, pages, type);
  B = random_pages (n, pages, type) / n + 2 * full (eye (n));
  [V, D] = space_for (A);
  [v, d] = eig (A(:,:,1), B(:,:,1), "vector");
  done = 0;
  core = Inf;
  first = tic;
  while (done < 3 || toc (first) < seconds)
    part = tic;
    begin = cputime ();
    before = done;
    do
      p = mod (done++, pages) + 1;
      [V(:,:,p), D(:,1,p)] = eig (A(:,:,p), B(:,:,p), "vector");
    until (toc (part) >= seconds / 10)
    core = min (core, (cputime () - begin) / (done - before) * 1e6);
  end
  t = toc (first) / done * 1e6;
  if (nargout > 0)
    us = t;
  else
    printf ("%.6g %.6g\n", t, core);
  end
end

function [V, D] = space_for (A)
  V = A;
  D = zeros (rows (A), 1, size (A, 3), class (A));
end

% loop_geev.m: microseconds per page of Octave's eig for general pages, one page after the other
% SPDX-License-Identifier: GPL-3.0-or-later
%
% us = loop_geev (n, type, vectors): as many pages as take 0.1 s are timed, three times; the least counts. Without an
% output it prints the time, so that another process with one BLAS thread can run it.

function result = loop_geev (n, type, vectors)
  A = qr_pages (n, n, 8, type);
  us = Inf;
  for round_ = 1:3
    done = 0;
    tic;
    do
      a = A(:,:,mod (done++, 8) + 1);
      if (vectors)
        [V, D] = eig (a);
      else
        d = eig (a);
      end
    until (toc > 0.1 && done > 1)
    us = min (us, toc / done * 1e6);
  end
  if (nargout > 0)
    result = us;
  else
    printf ("%.6g\n", us);
  end
end

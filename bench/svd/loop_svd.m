% loop_svd.m: microseconds per page of Octave's svd, one page after the other
% SPDX-License-Identifier: GPL-3.0-or-later
%
% us = loop_svd (m, n, type, vectors, driver): economy form. As many pages as take 0.1 s are timed, three times;
% the least counts. Without an output it prints the time, so that another process with one BLAS thread can run it.

function result = loop_svd (m, n, type, vectors, driver)
  svd_driver (driver);
  A = qr_pages (m, n, 8, type);
  us = Inf;
  for round_ = 1:3
    done = 0;
    tic;
    do
      a = A(:,:,mod (done++, 8) + 1);
      if (vectors)
        [U, S, V] = svd (a, "econ");
      else
        s = svd (a);
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

% least_time.m: the least seconds a page of several calls, and processors used meanwhile
% SPDX-License-Identifier: GPL-3.0-or-later

function t = least_time (f, pages)
  t = [Inf, NaN];
  begin = time ();
  for r = 1:9
    pause (0.15);  % the threads of the BLAS spin for about 0.1 s after their last work
    processor = cputime ();
    tic;
    f ();
    passed = toc;
    if (passed / pages < t(1))
      t = [passed / pages, (cputime () - processor) / passed];
    end
    if (r >= 3 && time () - begin > 2)
      break;
    end
  end
end

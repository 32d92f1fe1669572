% loop_qr.m: milliseconds of Octave's qr on all pages, one after the other
% SPDX-License-Identifier: GPL-3.0-or-later
%
% ms = loop_qr (cases), one case per row: rows, columns, pages, "sdcz" as a number, outputs (1: R,
% 2: Q and R, 3: Q, R and P), all in the economy form. Of many pages as many as take 0.3 s are timed,
% and the time of all is extrapolated. Without an output it prints the times, so that another process
% with one BLAS thread can run it.

function result = loop_qr (cases)
  ms = zeros (rows (cases), 1);
  for k = 1:rows (cases)
    [m, n, pages, type, outputs] = num2cell (cases(k,:)){:};
    A = qr_pages (m, n, pages, char (type));
    factors = cell (1, outputs);
    if (m * n < 1e6)
      [factors{:}] = qr (A(:,:,1), 0);
    end
    seconds = [];
    do
      done = 0;
      tic;
      while (done < pages && (done < 3 || toc < 0.3))
        done++;
        if (outputs == 1)
          R = triu (qr (A(:,:,done), 0));
        else
          [factors{:}] = qr (A(:,:,done), 0);
        end
      end
      seconds(end+1) = toc / done * pages;
    until (numel (seconds) == 3 || sum (seconds) > 1)
    ms(k) = median (seconds) * 1e3;
  end
  if (nargout > 0)
    result = ms;
  else
    printf ("%.6g\n", ms);
  end
end

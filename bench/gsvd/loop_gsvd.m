% loop_gsvd.m: milliseconds of Octave's gsvd, five outputs, on all pairs, one after the other
% SPDX-License-Identifier: GPL-3.0-or-later
%
% ms = loop_gsvd (cases), one case per row: rows of A and of B, columns, pages, "sdcz" as a number. Of many pairs
% as many as take 0.3 s are timed, and the time of all is extrapolated. Without an output it prints the times, so
% that another process with one BLAS thread can run it.

function result = loop_gsvd (cases)
  ms = zeros (rows (cases), 1);
  for k = 1:rows (cases)
    [m, n, p, pages, type] = num2cell (cases(k,:)){:};
    [A, B] = gsvd_pairs (m, n, p, pages, char (type));
    if (p <= 64)
      [U, V, X, C, S] = gsvd (A(:,:,1), B(:,:,1));
    end
    seconds = [];
    do
      done = 0;
      tic;
      while (done < pages && (done < 3 || toc < 0.3))
        done++;
        [U, V, X, C, S] = gsvd (A(:,:,done), B(:,:,done));
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

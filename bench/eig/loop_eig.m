% loop_eig.m: microseconds per page of the loop over eig, for at least `seconds` and 3 pages
% SPDX-License-Identifier: GPL-3.0-or-later
%
% us = loop_eig (n, type, vectors, seconds). n may be a vector. Without an output it prints the times, so
% that another process with one BLAS thread can run it.

function result = loop_eig (n, type, vectors, seconds)
  us = zeros (size (n));
  for k = 1:numel (n)
    pages = max (3, min (1000, round (1e6 / n(k)^2)));
    A = random_pages (n(k), pages, type);
    V = A;
    lambda = zeros (n(k), 1, pages);
    run (A(:,:,1), vectors);
    done = 0;
    tic;
    while (done < 3 || toc < seconds)
      p = mod (done++, pages) + 1;
      if (vectors)
        [V(:,:,p), lambda(:,1,p)] = eig (A(:,:,p), "vector");
      else
        lambda(:,1,p) = eig (A(:,:,p));
      end
    end
    us(k) = toc / done * 1e6;
  end
  if (nargout > 0)
    result = us;
  else
    printf ("%.6g\n", us);
  end
end

function run (a, vectors)
  if (vectors)
    [v, d] = eig (a, "vector");
  else
    d = eig (a);
  end
end

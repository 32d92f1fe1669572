% bench_pages.m: compares the page functions with loops over pages and with NumPy, from Octave arrays
% SPDX-License-Identifier: GPL-3.0-or-later
%
% octave-cli bench/pages/bench_pages.m [--quick] [--types dzsc] [--only FUNCTION] [--sizes N,N]
% Prints a table (TSV) of microseconds per page on the CPU, from Octave array to Octave array: the page function;
% the loop, Z(:,:,p) = X(:,:,p) * Y(:,:,p) and so on, with the BLAS's default number of threads; and NumPy's
% function on as many pages of the same sizes, in a process of its own. The three run in turn, several times, and
% the smallest times count. A loop does as many pages as take 0.05 s. The last of them is compared.
% Without python3 and NumPy their column is NaN. About 5 minutes; 1 minute with --quick.

1;  % a script, although it begins with functions

% Rows of: function, name of the case, m, k, n of an m x k and a k x n matrix (pageinv: n x n).
function cases = all_cases (quick)
  sizes = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256];
  more = [2, 3, 4, 8, 16, 32, 64, 96, 128, 256];
  if (quick)
    sizes = [3, 8, 16, 32, 64, 128];
    more = [3, 8, 32, 64];
  end
  square = @(name, n) [repmat({name, "square"}, numel (n), 1), num2cell(repmat (n(:), 1, 3))];
  vectors = square ("pagemldivide", more);
  vectors(:,2) = {"vector"};
  vectors(:,5) = {1};
  cases = [square("pagemtimes", sizes); ...
           {"pagemtimes", "rectangular", 3, 3, 64; ...
            "pagemtimes", "rectangular", 49, 60, 49; ...
            "pagemtimes", "shared", 8, 8, 8; ...
            "pagemtimes", "hermitian", 3, 64, 3; ...
            "pagemtimes", "hermitian", 16, 16, 16; ...
            "pagemtimes", "hermitian", 49, 60, 49}; ...
           square("pageinv", more); square("pagemldivide", more); vectors];
end

% The operands, the largest of `bytes` bytes, and the number of pages.
function [X, Y, pages] = data_of (case_, type, bytes)
  [name, shape, m, k, n] = case_{:};
  element = [4, 8, 8, 16](type == "sdcz");
  pages = max (2, round (bytes / (max ([m*k, k*n, m*n]) * element)));
  X = random_pages ([m, k], pages, type);
  if (! strcmp (name, "pagemtimes"))
    X += m * full (eye (m));  % well conditioned
  end
  Y = [];
  if (! strcmp (name, "pageinv") && ! strcmp (shape, "hermitian"))
    Y = random_pages ([k, n], merge (strcmp (shape, "shared"), 1, pages), type);
  end
end

% The page function on all pages, and a loop over the first pages.
function [whole, loop] = jobs_of (case_, X, Y)
  switch (case_{1})
    case "pageinv"
      whole = @() pageinv (X);
      loop = @(count) loop_inv (X, count);
    case "pagemldivide"
      whole = @() pagemldivide (X, Y);
      loop = @(count) loop_solve (X, Y, count);
    otherwise
      whole = @() pagemtimes (X, Y);
      switch (case_{2})
        case "hermitian"
          whole = @() pagemtimes (X, "none", X, "ctranspose");
          loop = @(count) loop_square (X, count);
        case "shared"
          loop = @(count) loop_shared (X, Y, count);
        otherwise
          loop = @(count) loop_product (X, Y, count);
      end
  end
end

function Z = loop_product (X, Y, count)
  Z = zeros (rows (X), columns (Y), count, class (X));
  for p = 1:count
    Z(:,:,p) = X(:,:,p) * Y(:,:,p);
  end
end

function Z = loop_shared (X, Y, count)
  Z = zeros (rows (X), columns (Y), count, class (X));
  for p = 1:count
    Z(:,:,p) = X(:,:,p) * Y;
  end
end

function Z = loop_square (X, count)
  Z = zeros (rows (X), rows (X), count, class (X));
  for p = 1:count
    Z(:,:,p) = X(:,:,p) * X(:,:,p)';
  end
end

function Z = loop_inv (X, count)
  Z = zeros (rows (X), columns (X), count, class (X));
  for p = 1:count
    Z(:,:,p) = inv (X(:,:,p));
  end
end

function Z = loop_solve (X, Y, count)
  Z = zeros (columns (X), columns (Y), count, class (X));
  for p = 1:count
    Z(:,:,p) = X(:,:,p) \ Y(:,:,p);
  end
end

% The pages that a loop does in about 0.05 s, at most all.
function count = pages_of_loop (loop, pages)
  count = min (4, pages);
  do
    tic;
    loop (count);
    t = toc;
    last = count;
    count = min (pages, ceil (count * min (20, 0.06 / t)));
  until (t > 0.05 || last == pages)
  count = last;
end

%------------------------------------------------------------------------------
% measuring
%------------------------------------------------------------------------------

% Seconds per page of the page function, the loop and NumPy.
function t = times_of (case_, type, bytes, rounds, peer)
  [X, Y, pages] = data_of (case_, type, bytes);
  [whole, loop] = jobs_of (case_, X, Y);
  Z = whole ();
  count = pages_of_loop (loop, pages);
  check (case_, Z(:,:,count), loop (count)(:,:,count), class (X));
  clear Z
  if (! isempty (peer))
    numpy_process (peer, "make %s %s %d %d %d %d %s\n", case_{1}, type, case_{3:5}, pages, case_{2});
  end
  t = [pages, Inf, Inf, NaN];
  spin = 0.2;  % the threads of a BLAS wait in a loop after their work
  begin = time ();
  for r = 1:rounds
    pause (spin);
    tic;
    Z = whole ();
    t(2) = min (t(2), toc / pages);
    clear Z
    tic;
    Z = loop (count);
    t(3) = min (t(3), toc / count);
    clear Z
    pause (spin);
    if (! isempty (peer))
      t(4) = min (t(4), str2double (numpy_process (peer, "time\n")) / pages);
    end
    if (r >= 3 && time () - begin > 2.5)
      break;
    end
  end
end

function check (case_, z, right, class_)
  off = norm (z - right, 1) / norm (right, 1);
  if (! (off <= 100 * max ([case_{3:5}]) * eps (class_)))
    error ("bench_pages: %s of %d x %d is wrong by %g", case_{[1, 3, 5]}, off);
  end
end

%------------------------------------------------------------------------------
% the table
%------------------------------------------------------------------------------

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "common"));
types = bench_option ("--types", "dz");
quick = bench_option ("--quick", false);
cases = bench_option ("--only", all_cases (quick));
sizes = bench_option ("--sizes", []);  % rows of a page of the result
if (! isempty (sizes))
  cases = cases(ismember ([cases{:,3}], sizes),:);
end
bench_header ();
peer = numpy_process ("start");
printf ("# microseconds per page from Octave arrays to Octave arrays, the least of several calls\n");
printf ("type\tfunction\tcase\tm\tk\tn\tpages\tcpu\tloop\tnumpy\tloop/cpu\tnumpy/cpu\n");
for type = types
  for k = 1:rows (cases)
    t = times_of (cases(k,:), type, merge (quick, 4e6, 16e6), merge (quick, 3, 9), peer);
    us = t(2:4) * 1e6;
    printf ("%s\t%s\t%s\t%d\t%d\t%d\t%d", type, cases{k,:}, t(1));
    printf ("\t%.4g", us);
    printf ("\t%.3g", us(2:3) / us(1));
    printf ("\n");
    fflush (stdout);
  end
end
numpy_process ("stop", peer);

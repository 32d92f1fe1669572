% examples/rows_of_files.m: least squares and a regularized response from files that are read by parts
% SPDX-License-Identifier: GPL-3.0-or-later
%
% Twelve loggers on a lake write a file each: 6000 hourly values of inflow and level. The level follows the
% inflow with a response over 48 hours that is the same everywhere, on top of a trend and a daily cycle. No
% process reads all files: rank r of R reads files r, r+R, ..., and the rows of all ranks are one matrix.
%
% 1. Trend and daily cycle: least squares with qr_block (A, b, "solve", "mpi", "rows").
% 2. The response: min |A*x - b|^2 + lambda^2 |L*x|^2 with L the second differences. The inflow is smooth,
%    so that least squares alone gives noise. One GSVD by rows gives x for every lambda, and generalized
%    cross-validation chooses lambda (Golub, Heath, Wahba 1979).
%
% From a shell: mpirun -n 3 octave-cli examples/rows_of_files.m, or octave-cli examples/rows_of_files.m.

1;  % a script, although it begins with functions

% What a logger writes; a real program has the files already.
function write_file (name, number, response)
  randn ("state", number);
  hours = 6000;
  inflow = filter (ones (6, 1) / 6, 1, cumsum (randn (hours, 1)) / 10 + randn (hours, 1));
  t = (1:hours).';
  level = filter (response, 1, inflow) + 2 + 1e-4 * t + 0.3 * sin (2 * pi * t / 24) + 0.1 * randn (hours, 1);
  f = fopen (name, "w");
  fwrite (f, [inflow, level], "double");
  fclose (f);
end

%------------------------------------------------------------------------------
% the ranks, and the rows of this one
%------------------------------------------------------------------------------

if (! exist ("gpulinalg_mpi"))
  pkg load gpulinalg
end
by_rows = {"mpi", "rows"};
try
  [rank, ranks] = gpulinalg_mpi ();
catch err
  if (! strcmp (err.identifier, "gpulinalg:no-mpi") || ! isempty (getenv ("OMPI_COMM_WORLD_SIZE")))
    rethrow (err);
  end
  rank = 0;                           % the package was built without MPI: one process
  ranks = 1;
  by_rows = {};
end

lags = 48;
response = exp (-(0:lags-1).' / 9) .* (1 - exp (-(0:lags-1).' / 3));
response /= sum (response);
A = zeros (0, lags);
trend = zeros (0, 4);
b = zeros (0, 1);
for number = rank:ranks:11
  name = sprintf ("%s.bin", tempname ());
  write_file (name, number, response);
  f = fopen (name);
  data = fread (f, [6000, 2], "double");
  fclose (f);
  delete (name);
  t = (lags:6000).';                  % earlier levels depend on inflow before the file begins
  A = [A; toeplitz(data(t,1), data(lags:-1:1,1))];
  trend = [trend; ones(size (t)), t, cos(2 * pi * t / 24), sin(2 * pi * t / 24)];
  b = [b; data(t,2)];
end

%------------------------------------------------------------------------------
% trend and daily cycle together with the response, by least squares
%------------------------------------------------------------------------------

tic;
x = qr_block ([A, trend], b, "solve", by_rows{:});
seconds = toc;
if (rank == 0)
  printf ("%d ranks; least squares with %d columns: %.3f s\n", ranks, columns (A) + 4, seconds);
  printf ("trend %.2e per hour (1e-4), daily cycle %.3f (0.3), error of the response %.3f\n", x(end-2), ...
          norm (x(end-1:end)), norm (x(1:lags) - response) / norm (response));
end
b -= trend * x(end-3:end);

%------------------------------------------------------------------------------
% the response, smooth
%------------------------------------------------------------------------------

% L belongs to all ranks together, so rank 0 alone has its rows.
L = diff (eye (lags), 2);
if (rank > 0)
  L = zeros (0, lags);
end
tic;
[U, V, X, C, S] = gsvd_hz (A, L, 0, by_rows{:});
c = diag (C);
s = [diag(S); zeros(2, 1)];           % L*x = 0 for straight lines
% U'*b is a sum over all ranks: U = Q*R, so it is R'*(Q'*b).
[Qb, R] = qr_block (U, b, 0, by_rows{:});
coefficients = R' * Qb;
size_b = abs (qr_block (b, 0, by_rows{:}));
total = abs (qr_block (ones (size (b)), 0, by_rows{:})) ^ 2;  % rows in all
outside = size_b ^ 2 - sumsq (coefficients);
weight = @(lambda) c.^2 ./ (c.^2 + lambda^2 * s.^2);
gcv = @(lambda) (sumsq ((1 - weight (lambda)) .* coefficients) + outside) / (total - sum (weight (lambda)))^2;
lambdas = logspace (-1, 5, 121);
[~, at] = min (arrayfun (gcv, lambdas));
lambda = lambdas(at);
smooth = X' \ (weight (lambda) ./ c .* coefficients);
seconds = toc;

% The same lambda alone, as a least squares problem with the rows of lambda*L below those of A.
direct = qr_block ([A; lambda * L], [b; zeros(rows (L), 1)], "solve", by_rows{:});
error_before = norm (x(1:lags) - response) / norm (response);
error_after = norm (smooth - response) / norm (response);
if (rank == 0)
  printf ("GSVD of %d and %d rows, %d values of lambda: %.3f s\n", round (total), lags - 2, numel (lambdas), ...
          seconds);
  printf ("lambda = %.3g: error of the response %.3f; from least squares it differs by %.1e\n", lambda, ...
          error_after, norm (direct - smooth) / norm (direct));
end
if (! (norm (direct - smooth) <= 1e-8 * norm (direct) && error_after < error_before / 2))
  error ("rows_of_files: the response is wrong");
end

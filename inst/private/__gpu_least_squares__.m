## __gpu_least_squares__.m: least squares solutions of pages on a GPU, for qr_block
## SPDX-License-Identifier: GPL-3.0-or-later
##
## [x, info] = __gpu_least_squares__ (who, A, B, args): args holds options of qr_block; `who` is named by errors and
## warnings. A must have full column rank on each page. info, on the host, is n+1 where A or B holds NaN or Inf,
## and 0 elsewhere.
##
## The rank is judged with the columns of R brought to one size, as the CPU does it: by an estimate of the
## condition number.

function [x, info] = __gpu_least_squares__ (who, A, B, args)

  m = rows (A);
  n = columns (A);
  dims = size (B);
  dims(1) = n;
  pages = prod (dims(3:end));
  if (isempty (A))
    x = empty_solution (A, B, dims);
    info = zeros (pages, 1, "int32");
    return;
  elseif (isempty (B))                  # the rank of A is of interest all the same
    [~, info] = __gpu_least_squares__ (who, A, zeros ([m, 1, dims(3:end)]), args);
    x = empty_solution (A, B, dims);
    return;
  elseif (m < n)
    error ("gpulinalg:gather-needed", ["%s: a gpuArray A must have at least as many rows as columns, but it is %s; ", ...
           "gather (A) and gather (B) copy them to the host, where solutions of least norm are computed"], ...
           who, sprintf ("%dx", size (A))(1:end-1));
  endif
  [C, R] = qr_block (A, B, 0, args{:});
  C = reshape (C, n, dims(2), pages);
  R = reshape (R, n, n, pages);
  longest = max (abs (R), [], 1);
  [x, condition] = __gpu_triangle__ (R ./ longest, C);
  x ./= permute (longest, [2, 1, 3]);

  suspect = ! (condition <= 1 / (max (m, n) * eps (underlyingType (R))));
  suspect |= ! all (all (isfinite (x), 1), 2)(:);
  info = zeros (pages, 1, "int32");
  if (any (suspect))                    # the only number that is waited for, where all is well
    suspect = gather (suspect);
    finite = gather (all (all (isfinite (reshape (A, m, n, pages)), 1), 2))(:) ...
             & gather (all (all (isfinite (reshape (B, m, dims(2), pages)), 1), 2))(:);
    deficient = find (suspect & finite, 1);
    if (! isempty (deficient))
      error ("gpulinalg:gather-needed", ["%s: A has less than full rank to rounding on page %d; gather (A) and ", ...
             "gather (B) copy them to the host, where solutions of least norm are computed"], who, deficient);
    endif
    info(! finite) = n + 1;
    x(:,:,! finite) = NaN;
  endif
  x = reshape (x, dims);

endfunction

## Zeros of the class of the solution, most often none.
function x = empty_solution (A, B, dims)

  if (isgpuarray (A))
    x = zeros (dims, "like", A);
    other = B;
  else
    x = zeros (dims, "like", B);
    other = A;
  endif
  if (strcmp (underlyingType (other), "single"))
    x = single (x);
  endif
  if (iscomplex (other) && isreal (x))
    x = complex (x);
  endif

endfunction

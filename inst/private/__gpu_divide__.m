## __gpu_divide__.m: systems of equations with pages on a GPU, for pagemldivide and pagemrdivide
## SPDX-License-Identifier: GPL-3.0-or-later
##
## [X, R, info] = __gpu_divide__ (A, B, op, right, more, args): op (A) \ B of each page, or with `right` B / op (A), by
## qr_block (.., "solve") with the options args. op is "N", "T" or "C". R, where `more` is true, has the reciprocal condition
## number of each square page of op (A) in the 1-norm, with `right` in the Inf-norm, or the rank of each other one. info, on
## the host, tells how many ranks a page lacks; n + 1 where it holds NaN or Inf.

function [X, R, info] = __gpu_divide__ (A, B, op = "N", right = false, more = false, args = {})

  turned = @(x) permute (x, [2, 1, 3:ndims(x)]);
  if (right)
    B = turned (B);
  endif
  if ((op == "N") == right)
    A = turned (A);
  endif
  if (op == "C")
    A = conj (A);
  endif
  count = max (ndims (A), ndims (B));
  a = arrayfun (@(d) size (A, d), 3:count);
  b = arrayfun (@(d) size (B, d), 3:count);
  pages = a;
  pages(a == 1) = b(a == 1);
  [X, info] = solved (expanded (A, a, pages), expanded (B, b, pages), args);
  X = reshape (X, [size(X, 1), size(X, 2), pages]);
  if (right)
    X = turned (X);
  endif
  R = [];
  if (more)
    R = ranks (A, a, pages, info, underlyingType (X));
    if (rows (A) == columns (A))
      deficient = gather (R) < rows (A);
      [~, R, ~] = __gpu_inverse__ (A, args);
      R(deficient) = 0;
      R = cast (R, underlyingType (X));
    endif
  endif

endfunction

## A page stands for all pages along a dimension in which it is the only one. The result has three dimensions.
function x = expanded (x, own, pages)

  at = repmat ({":"}, 1, numel (pages) + 2);
  for d = find (own != pages)
    at{d+2} = ones (1, pages(d));
  endfor
  if (any (own != pages))
    x = x(at{:});
  endif
  x = reshape (x, rows (x), columns (x), prod (pages));

endfunction

## Square pages with rows of one size: then those that are short count in full, as with partial pivoting. Pages that are
## singular then, or out of range, are solved as they are.
function [X, info] = solved (A, B, args)

  if (rows (A) != columns (A))
    [X, info] = qr_block (A, B, "solve", args{:});
    return;
  endif
  size_ = max (abs (A), [], 2);
  size_ = 2 .^ floor (log2 (size_ + (size_ == 0)));
  [X, info] = qr_block (A ./ size_, B ./ size_, "solve", args{:});
  again = info != 0;
  if (any (again))
    [X(:,:,again), info(again)] = qr_block (A(:,:,again), B(:,:,again), "solve", args{:});
  endif

endfunction

## The rank of each page of A. Where it belongs to several pages of X, a number wins over NaN, which may come from B.
function R = ranks (A, own, pages, info, class_)

  n = columns (A);
  R = min (rows (A), n) - double (info);
  R(info > n) = NaN;
  R = reshape (R, [1, 1, pages]);
  for d = find (own != pages)
    R = max (R, [], d + 2);
  endfor
  R = cast (R, class_);
  if (isgpuarray (A))
    R = gpuArray (R);
  endif

endfunction

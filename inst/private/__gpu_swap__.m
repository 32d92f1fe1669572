## __gpu_swap__.m: batcheig (A, B, "swap") of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later
##
## [lambda, V, info, more] = __gpu_swap__ (A, B, want): A and B have n x n x P or n x n. want is a struct that
## oct/pages/batcheig_gpu.cc makes: triangle, phase, vectors, more, part, bounds, all_columns, and the cells args and progress of
## further options. lambda is k x 1 x P and V is n x k x P, or [] without vectors.
##
## B*x = mu*A*x with a definite A, so mu is finite, and lambda = 1 / mu; mu counts as 0 up to n * eps times the largest.

function [lambda, V, info, more] = __gpu_swap__ (A, B, want)

  args = [{"vector", "phase", want.phase}, want.args, want.progress];
  if (! strcmp (want.triangle, "full"))
    args{end+1} = want.triangle;
  endif
  try
    [mu, V, info, more] = __gpu_eig__ (want.vectors, B, A, args{:});
  catch err
    text = err.message;
    if (strcmp (err.identifier, "gpulinalg:not-hermitian"))
      text = with_other_names (text);
    endif
    if (isempty (err.identifier))
      error ("%s", text);
    endif
    error (err.identifier, "%s", text);
  end_try_catch

  n = rows (mu);
  pages = size (mu, 3);
  size_ = abs (mu);
  nonzero = size_ > n * eps (underlyingType (mu)) * max (size_, [], 1);
  finite = gather (sum (nonzero, 1))(:);
  [lambda, at] = sort (1 ./ (mu .* nonzero + 0), 1);      # NaN come last
  if (want.vectors)
    V = reshape (V, n, n * pages);
    at = reshape (at, n, pages) + n * (0:pages-1);
    V = reshape (V(:,at(:)), [n, n, pages]);
  endif
  kept = n * (info == 0);
  more.rank = double (finite) .* (info == 0);
  [lambda, V, more.count] = __gpu_part__ (lambda, V, double (kept), want);

endfunction

## The letters A and B of "page 3 of A" and "|A - A'|" exchanged.
function text = with_other_names (text)

  text = regexprep (text, '(of |[|]|- )([AB])(?=\W)', '$1<$2>');
  text = strrep (strrep (strrep (text, "<A>", "<>"), "<B>", "A"), "<>", "B");

endfunction

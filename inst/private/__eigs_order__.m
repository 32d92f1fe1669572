## __eigs_order__.m: the elimination order for the factorizations of eigs_lanczos
## SPDX-License-Identifier: GPL-3.0-or-later
##
## [order, flops, entries] = __eigs_order__ (A): the better one of the orders of amd and symamd; symamd is tried
## only if the factorization takes long enough to be worth it. flops and entries of the factor are those of
## columns alone; fronts have somewhat more.

function [order, flops, entries] = __eigs_order__ (A)

  B = spones (A) + speye (rows (A));
  order = amd (B);
  counts = symbfact (B(order,order));
  if (sum (counts .^ 2) > 3e8)
    other = symamd (B);
    others = symbfact (B(other,other));
    if (sum (others .^ 2) < sum (counts .^ 2))
      order = other;
      counts = others;
    endif
  endif
  flops = sum (counts .^ 2);
  entries = sum (counts);

endfunction

## __eigs_order__.m: the elimination order for the factorizations of eigs_lanczos
## SPDX-License-Identifier: GPL-3.0-or-later
##
## order = __eigs_order__ (A): the better one of the orders of amd and symamd; symamd is tried only if
## the factorization takes long enough to be worth it.

function order = __eigs_order__ (A)

  B = spones (A) + speye (rows (A));
  order = amd (B);
  operations = sum (symbfact (B(order,order)) .^ 2);
  if (operations > 3e8)
    other = symamd (B);
    if (sum (symbfact (B(other,other)) .^ 2) < operations)
      order = other;
    endif
  endif

endfunction

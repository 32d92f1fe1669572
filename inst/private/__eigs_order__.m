## __eigs_order__.m: the order of elimination for the factors of eigs_lanczos
## SPDX-License-Identifier: GPL-3.0-or-later
##
## order = __eigs_order__ (A): the better one of two orders of minimum degree; the second is tried
## where the factorization takes long enough to repay that.

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

## __times_power_of_2__.m: computes x * 2^e, also if 2^e alone overflows or underflows
## SPDX-License-Identifier: GPL-3.0-or-later

function x = __times_power_of_2__ (x, e)

  x = x * 2 ^ fix (e / 2) * 2 ^ (e - fix (e / 2));

endfunction

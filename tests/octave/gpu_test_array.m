% tests/octave/gpu_test_array.m: a random array of type "d", "s", "z", "c" or "b" (logical) for tests of gpuArrays
% SPDX-License-Identifier: GPL-3.0-or-later

function x = gpu_test_array (type, dims)
  x = round (8 * randn (dims)) / 4;
  switch (type)
    case {"z", "c"}
      x = complex (x, round (8 * randn (dims)) / 4);
    case "b"
      x = x > 0;
  endswitch
  if (type == "s" || type == "c")
    x = single (x);
  endif
  % an array whose imaginary parts are all 0 would become real
  if (iscomplex (x) && ! isempty (x) && all (imag (x(:)) == 0))
    x(1) += 1i;
  endif
endfunction

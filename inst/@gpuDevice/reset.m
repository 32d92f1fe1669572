## reset.m: reset (gpuDevice ())
## SPDX-License-Identifier: GPL-3.0-or-later

function reset (device)
  __gpu_device__ ("reset", device);
endfunction

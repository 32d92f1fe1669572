## wait.m: wait (gpuDevice ())
## SPDX-License-Identifier: GPL-3.0-or-later

function wait (device)
  __gpu_device__ ("wait", device);
endfunction

% bench_load.m: loads the package, unless its functions are already on the path
% SPDX-License-Identifier: GPL-3.0-or-later

function bench_load ()
  if (! exist ("batcheig"))
    pkg load gpulinalg
  end
end

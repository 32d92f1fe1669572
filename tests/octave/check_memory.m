% tests/octave/check_memory.m: the GPU memory that is kept between calls and released
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [passed, failed] = check_memory (device). After a call that used more than an eighth of the memory at most
% an eighth is kept; after gpulinalg_release as much is free as before.

function [passed, failed] = check_memory (device)
  passed = failed = 0;
  gpulinalg_release (device);
  start = batcheig (eye (2), "device", device);  % starts the GPU, but does not load cuBLAS
  gpulinalg_release (device);
  before = about (device);
  [passed, failed] = check (passed, failed, "nothing is kept at first", before.memory_kept == 0 && before.host_memory_kept == 0);

  A = rand (100, 100, 50);
  A += permute (A, [2, 1, 3]);
  D = batcheig (A, "device", device);
  small = about (device);
  [passed, failed] = check (passed, failed, "memory of a small call is kept", small.memory_kept > 0);

  % the matrix, Q and work space of the same size together exceed an eighth
  n = ceil (sqrt (before.memory_total / 8 / (3 * 2 * 8)));
  R = qr_block (rand (2 * n, n), 0, "device", device);
  clear R
  large = about (device);
  [passed, failed] = check (passed, failed, "at most an eighth is kept", large.memory_kept <= large.memory_total / 8);

  gpulinalg_release (device);
  after = about (device);
  [passed, failed] = check (passed, failed, "nothing is kept after the release", after.memory_kept == 0 && after.host_memory_kept == 0);
  % modules that were loaded in between remain, at most a few hundred MB
  [passed, failed] = check (passed, failed, "the memory is free again", before.memory_free - after.memory_free < 600e6);
  [passed, failed] = check (passed, failed, "the same bits as before", isequal (batcheig (A, "device", device), D));
  gpulinalg_release ();
  [passed, failed] = check (passed, failed, "all GPUs", about (device).memory_kept == 0);
end

function d = about (device)
  d = gpulinalg_info ().devices(device + 1);
end

function [passed, failed] = check (passed, failed, what, ok)
  passed += ok;
  failed += ! ok;
  if (! ok)
    printf ("check_memory: not true: %s\n", what);
  end
end

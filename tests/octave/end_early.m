% end_early.m: a script that ends after so many calls, for gpu_job.sh
% SPDX-License-Identifier: GPL-3.0-or-later
%
% CALLS=n octave-cli end_early.m: n calls of batcheig with "device", "auto". After some of them the GPU is being
% started beside the work, and a script that ends just then must end as any other.

A = randn (128, 128, 150) + 1i * randn (128, 128, 150);
A += conj (permute (A, [2, 1, 3]));
for k = 1:str2double (getenv ("CALLS"))
  [V, D] = batcheig (A, "vector", "device", "auto");
end
disp ("ends");

% examples/mppca_denoise.m: denoise a diffusion MRI volume by Marchenko-Pastur principal components
% SPDX-License-Identifier: GPL-3.0-or-later
%
% The phantom is a slice of 72 x 72 voxels in 32 volumes: two without diffusion weighting and 30 with
% gradients in directions g, S = exp (-b g'D g). The tensor D is isotropic in a background and in two
% discs with fast diffusion, and has a fibre along a ring and along a stripe. Noise is Gaussian.
% Around each voxel the 5 x 5 x 32 signals form a 25 x 32 matrix. Its small singular values are those of
% noise alone, which follow the law of Marchenko and Pastur; where that begins tells both the rank of the
% signal and the noise level (Veraart et al. 2016). One call of batchsvd decomposes all matrices. From a
% shell: octave-cli examples/mppca_denoise.m. It writes mppca_denoise.png. The loop over svd does a part
% of the matrices; octave-cli examples/mppca_denoise.m --loop all lets it do all.

1;  % a script, although it begins with functions

% Signals without noise, rows x columns x volumes.
function S = phantom_of (side, directions, b)
  [x, y] = meshgrid (linspace (-1, 1, side));
  r = hypot (x, y);
  ring = r > 0.55 & r < 0.85;
  stripe = abs (x - y) < 0.15 & r < 0.5;
  fast = hypot (x - 0.25, y + 0.25) < 0.15 | hypot (x + 0.25, y - 0.25) < 0.15;
  fx = -y ./ max (r, eps);              % the fibre goes around the ring
  fy = x ./ max (r, eps);
  fx(stripe) = fy(stripe) = sqrt (0.5);
  along = 0.8e-3 * ones (side);         % mm^2/s along and across the fibre
  along(ring | stripe) = 1.7e-3;
  across = 0.8e-3 * ones (side);
  across(ring | stripe) = 0.3e-3;
  along(fast) = across(fast) = 3e-3;
  weight = 0.6 + 0.4 * fast + 0.2 * (ring | stripe);
  S = zeros (side, side, columns (directions));
  for k = 1:columns (directions)
    g = directions(:,k);
    d = across * (g' * g) + (along - across) .* (fx * g(1) + fy * g(2)) .^ 2;
    S(:,:,k) = weight .* exp (-b * d) .* (r < 0.95);
  end
end

% Ranks and noise levels from the singular values of 25 x 32 matrices, one column each: as long as the
% width of the spectrum fits its mean, values belong to noise.
function [ranks, sigma] = marchenko_pastur (s, m, n)
  lambda = flipud (s .^ 2) / n;
  count = (1:m).';
  noise = cumsum (lambda, 1) ./ count;
  width = (lambda - lambda(1,:)) ./ (4 * sqrt (count ./ (n - m + count)));
  last = max ((width < noise) .* count, [], 1);
  ranks = m - last;
  sigma = sqrt (noise(last + m * (0:columns (s)-1)));
end

function y = psnr_of (x, truth)
  y = 10 * log10 (max (truth(:)) ^ 2 / mean ((x(:) - truth(:)) .^ 2));
end

%------------------------------------------------------------------------------
% the volume and its patches
%------------------------------------------------------------------------------

side = 72;
sigma = 0.03;
golden = pi * (3 - sqrt (5));
z = linspace (-1, 1, 30);
g = [sqrt(1 - z .^ 2) .* cos(golden * (0:29)); sqrt(1 - z .^ 2) .* sin(golden * (0:29)); z];
truth = phantom_of (side, [zeros(3, 2), g], 1000);
volumes = size (truth, 3);
randn ("state", 1);
noisy = truth + sigma * randn (size (truth));

width = 5;
[i, j] = ndgrid (1:side-width+1);
inside = (0:width-1)' + side * (0:width-1);
index = inside(:) + (i(:) + side * (j(:) - 1))';          % voxels of each patch
[m, P] = size (index);
signals = reshape (noisy, [], volumes);
X = permute (reshape (signals(index,:), m, P, volumes), [1, 3, 2]);

%------------------------------------------------------------------------------
% all decompositions, and what is no noise
%------------------------------------------------------------------------------

if (! exist ("batchsvd"))
  pkg load gpulinalg
end
info = gpulinalg_info ();
printf ("gpulinalg %s, %s; %d matrices, %d x %d\n", info.version, info.backend, P, m, volumes);
batchsvd (eye (2));  % not timed: starts the device
tic;
[U, S, V] = batchsvd (X, "econ", "vector");
seconds = toc;
[ranks, levels] = marchenko_pastur (reshape (S, m, P), m, volumes);
kept = S .* reshape ((1:m).' <= ranks, m, 1, P);
estimate = pagemtimes (U .* permute (kept, [2, 1, 3]), "none", V, "ctranspose");
printf ("batchsvd %.3f s; ranks %d to %d, noise %.4f (%.4f was added)\n", ...
        seconds, min (ranks), max (ranks), median (levels), sigma);
if (! (abs (median (levels) / sigma - 1) < 0.05))
  error ("mppca_denoise: the noise level is wrong");
end

count = min (P, 400);
if (any (strcmp (argv (), "all")))
  count = P;
end
tic;
for p = 1:count
  [u, s, v] = svd (X(:,:,p), "econ");
end
loop = toc * P / count;
if (! (norm (diag (s) - S(:,1,count)) <= 1e-13 * s(1)))
  error ("mppca_denoise: svd gives other singular values");
end
printf ("loop over svd: %.3f s (measured on %d matrices), %.1f times as long\n", loop, count, loop / seconds);

%------------------------------------------------------------------------------
% every voxel is the mean of all patches that hold it
%------------------------------------------------------------------------------

gather = sparse (index(:), 1:numel (index), 1, side ^ 2, numel (index));
total = gather * reshape (permute (estimate, [1, 3, 2]), numel (index), volumes);
clean = reshape (total ./ full (sum (gather, 2)), size (noisy));
before = psnr_of (noisy, truth);
after = psnr_of (clean, truth);
printf ("PSNR: noisy %.2f dB, denoised %.2f dB\n", before, after);
if (! (after > before + 4))
  error ("mppca_denoise: gained only %g dB", after - before);
end
k = 10;                                 % one of the weighted volumes
rank_map = zeros (side);
rank_map(3:end-2,3:end-2) = reshape (ranks, side - 4, side - 4) / max (ranks);
shown = [truth(:,:,k), noisy(:,:,k), clean(:,:,k)] / max (truth(:,:,k)(:));
shown = kron ([shown, rank_map], ones (4));
imwrite (uint8 (255 * min (max (shown, 0), 1)), "mppca_denoise.png");
printf ("wrote mppca_denoise.png: one volume without noise, noisy, denoised; ranks of the patches\n");

% examples/patch_pca_denoise.m: denoise a photograph by local principal components with batcheig
% SPDX-License-Identifier: GPL-3.0-or-later
%
% Around every point of a grid all 7 x 7 patches of a neighbourhood form a covariance matrix
% (n = 49); one call of batcheig gives the principal components of all neighbourhoods. Coefficients
% that noise alone would explain are set to zero, and every pixel is averaged over all patches that
% hold it (Deledalle, Salmon and Dalalyan 2011). From a shell:
% octave-cli examples/patch_pca_denoise.m; it writes patch_pca_denoise.png.

1;  % a script, although it begins with a function

function y = psnr_of (x, truth)
  y = 10 * log10 (255^2 / mean ((x(:) - truth(:)).^2));
end

%------------------------------------------------------------------------------
% a photograph, noise, and its patches as columns
%------------------------------------------------------------------------------

here = fileparts (mfilename ("fullpath"));
truth = double (imread (fullfile (here, "data", "astronaut.png")));
sigma = 20;
randn ("state", 1);
noisy = truth + sigma * randn (size (truth));

width = 7;                          % of a patch
n = width^2;
half = 10;                          % a neighbourhood is 2*half + 1 patches wide
step = 4;                           % between neighbourhoods
fit = size (noisy) - width + 1;     % so many patches along each side
corner = (1:fit(1))' + rows (noisy) * (0:fit(2)-1);       % first pixel of each patch
inside = (0:width-1)' + rows (noisy) * (0:width-1);       % its other pixels, from there
pixels = inside(:) + corner(:)';                          % n x number of patches
patches = noisy(pixels);

%------------------------------------------------------------------------------
% the covariance of every neighbourhood: one n x n x P array
%------------------------------------------------------------------------------

along = @(m) unique ([half+1 : step : m-half, m-half]);   % up to the border
[ci, cj] = ndgrid (along (fit(1)), along (fit(2)));
near = (-half:half)' + fit(1) * (-half:half);
index = near(:) + (ci(:) + fit(1) * (cj(:) - 1))';        % patches of each neighbourhood
P = columns (index);
C = zeros (n, n, P);
for p = 1:P
  X = patches(:,index(:,p));
  X -= mean (X, 2);
  C(:,:,p) = X * X' / columns (X);
end

%------------------------------------------------------------------------------
% all principal components at once, and the loop for comparison
%------------------------------------------------------------------------------

if (! exist ("batcheig"))
  pkg load gpulinalg
end
info = gpulinalg_info ();
places = {"cpu"};
if (! isempty (info.devices))
  places = {"cpu", "gpu"};
end
printf ("gpulinalg %s, %s; %d covariance matrices, n = %d\n", info.version, info.backend, P, n);
for j = 1:numel (places)
  batcheig (eye (2), "device", places{j});  % starts the device, untimed
  tic;
  [V, lambda] = batcheig (C, "vector", "device", places{j});
  seconds(j) = toc;
  printf ("batcheig on the %s: %.3f s\n", places{j}, seconds(j));
end

part = 0;
tic;
while (part < P && toc < 2)
  part++;
  [v, d] = eig (C(:,:,part), "vector");
end
loop = toc / part * P;
printf ("loop over eig: %.3f s (measured on %d pages), %.1f times as long\n",
        loop, part, loop / min (seconds));

%------------------------------------------------------------------------------
% threshold the coefficients and put the patches back
%------------------------------------------------------------------------------

estimate = zeros (size (patches));
hits = zeros (1, columns (patches));
for p = 1:P
  X = patches(:,index(:,p));
  center = mean (X, 2);
  c = V(:,:,p)' * (X - center);
  c(abs (c) < 2.75 * sigma) = 0;
  estimate(:,index(:,p)) += V(:,:,p) * c + center;
  hits(index(:,p)) += 1;
end
total = accumarray (pixels(:), estimate(:));
count = accumarray (pixels(:), repmat (hits, n, 1)(:));
clean = reshape (total ./ count, size (noisy));

before = psnr_of (noisy, truth);
after = psnr_of (clean, truth);
printf ("PSNR: noisy %.2f dB, denoised %.2f dB\n", before, after);
if (! (after > before + 5))
  error ("patch_pca_denoise: gained only %g dB", after - before);
end
picture = [truth, noisy, clean];
imwrite (uint8 (picture), "patch_pca_denoise.png");
printf ("wrote patch_pca_denoise.png: original, noisy, denoised\n");

% examples/patch_pca_denoise.m: denoise a photograph by local principal components with page functions
% SPDX-License-Identifier: GPL-3.0-or-later
%
% Around every point of a grid all 7 x 7 patches of a neighbourhood form a covariance matrix
% (n = 49); one call of batcheig gives the principal components of all neighbourhoods. Coefficients
% that noise alone would explain are set to zero, and every pixel is averaged over all patches that
% hold it (Deledalle, Salmon and Dalalyan 2011). From a shell: octave-cli examples/patch_pca_denoise.m
% It writes patch_pca_denoise.png. The loops do the same with a part of the neighbourhoods;
% octave-cli examples/patch_pca_denoise.m --loop all lets them do all.

1;  % a script, although it begins with functions

function y = psnr_of (x, truth)
  y = 10 * log10 (255^2 / mean ((x(:) - truth(:)).^2));
end

% The covariance of every neighbourhood; column p of index has its patches. Some neighbourhoods at a time,
% so that their patches stay in the cache.
function C = covariances (patches, index)
  n = rows (patches);
  P = columns (index);
  C = zeros (n, n, P);
  for first = 1:16:P
    g = first:min (first + 15, P);
    X = reshape (patches(:,index(:,g)), n, [], numel (g));
    X -= mean (X, 2);
    C(:,:,g) = pagemtimes (X, "none", X, "ctranspose") / columns (X);
  end
end

% The sum of the estimates of every patch. Neighbourhoods of one group have no patch in common, so that
% one assignment adds what all of them say.
function estimate = threshold (patches, index, V, limit, group)
  n = rows (patches);
  estimate = zeros (size (patches));
  for k = 1:max (group(:))
    members = find (group == k);
    for first = 1:16:numel (members)
      g = members(first:min (first + 15, end));
      X = reshape (patches(:,index(:,g)), n, [], numel (g));
      center = mean (X, 2);
      X = pagemtimes (V(:,:,g), "ctranspose", X - center, "none");
      X .*= abs (X) >= limit;
      X = pagemtimes (V(:,:,g), X) + center;
      estimate(:,index(:,g)) += reshape (X, n, []);
    end
  end
end

% Both with a loop over the first neighbourhoods.
function C = covariances_in_loop (patches, index, count)
  C = zeros (rows (patches), rows (patches), count);
  for p = 1:count
    X = patches(:,index(:,p));
    X -= mean (X, 2);
    C(:,:,p) = X * X' / columns (X);
  end
end

function estimate = threshold_in_loop (patches, index, V, limit, count)
  estimate = zeros (size (patches));
  for p = 1:count
    X = patches(:,index(:,p));
    center = mean (X, 2);
    c = V(:,:,p)' * (X - center);
    c(abs (c) < limit) = 0;
    estimate(:,index(:,p)) += V(:,:,p) * c + center;
  end
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
% the neighbourhoods
%------------------------------------------------------------------------------

along = @(m) unique ([half+1 : step : m-half, m-half]);   % up to the border
[ri, rj] = ndgrid (1:numel (along (fit(1))), 1:numel (along (fit(2))));
[ci, cj] = ndgrid (along (fit(1)), along (fit(2)));
near = (-half:half)' + fit(1) * (-half:half);
index = near(:) + (ci(:) + fit(1) * (cj(:) - 1))';        % patches of each neighbourhood
P = columns (index);
lap = ceil ((2 * half + 1) / step) + 1;                   % so far away there is no common patch
group = 1 + mod (ri(:), lap) + lap * mod (rj(:), lap);

%------------------------------------------------------------------------------
% covariances, principal components, thresholds
%------------------------------------------------------------------------------

if (! exist ("batcheig"))
  pkg load gpulinalg
end
limit = 2.75 * sigma;
info = gpulinalg_info ();
printf ("gpulinalg %s, %s; %d covariance matrices, n = %d\n", info.version, info.backend, P, n);
batcheig (eye (2));  % not timed: starts the device
tic;
C = covariances (patches, index);
seconds(1) = toc;
tic;
[V, lambda] = batcheig (C, "vector");
seconds(2) = toc;
tic;
estimate = threshold (patches, index, V, limit, group);
seconds(3) = toc;
printf ("covariances %.3f s, batcheig %.3f s, thresholds %.3f s; together %.3f s\n", seconds, sum (seconds));

count = min (P, 300);
if (any (strcmp (argv (), "all")))
  count = P;
end
tic;
D = covariances_in_loop (patches, index, count);
threshold_in_loop (patches, index, V, limit, count);
loops = toc * P / count + seconds(2);
if (! (norm (D(:) - C(:,:,1:count)(:)) <= 1e-12 * norm (D(:))))
  error ("patch_pca_denoise: the loop gives other covariances");
end
printf ("loops around batcheig: %.3f s (measured on %d neighbourhoods), %.1f times as long\n", ...
        loops, count, loops / sum (seconds));

%------------------------------------------------------------------------------
% the patches back in their places
%------------------------------------------------------------------------------

hits = accumarray (index(:), 1, [columns(patches), 1])';
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

% examples/whitening.m: whiten 20 000 sets of measurements with page functions, and show them
% SPDX-License-Identifier: GPL-3.0-or-later
%
% Eight channels record the same few sources, so that their signals are correlated, differently in each
% of 20 000 windows of 40 samples. With the covariance C = X*X'/k = V*diag(lambda)*V' of a window,
% W = V*diag(1./sqrt(lambda))*V' is the whitening that changes the data least (Mahalanobis or ZCA
% whitening), and the covariance of W*X is the identity. From a shell: octave-cli examples/whitening.m
% It checks the covariances of all windows and writes whitening.png. The loop does the same with a part
% of the windows; octave-cli examples/whitening.m --loop all lets it do all of them.

1;  % a script, although it begins with functions

% What the package does in four calls.
function [Y, C, lambda, seconds] = whiten (X)
  k = columns (X);
  tic;
  C = pagemtimes (X, "none", X, "ctranspose") / k;
  seconds.covariances = toc;
  tic;
  [V, lambda] = batcheig (C, "vector", "device", "cpu");
  seconds.batcheig = toc;
  tic;
  W = pagemtimes (V ./ sqrt (permute (lambda, [2, 1, 3])), "none", V, "ctranspose");
  Y = pagemtimes (W, X);
  seconds.whitening = toc;
end

% The same with loops around batcheig, for the first windows.
function [Y, seconds] = whiten_in_loops (X, windows)
  [n, k] = size (X(:,:,1));
  C = zeros (n, n, windows);
  tic;
  for p = 1:windows
    C(:,:,p) = X(:,:,p) * X(:,:,p)' / k;
  end
  [V, lambda] = batcheig (C, "vector", "device", "cpu");
  Y = zeros (n, k, windows);
  for p = 1:windows
    W = V(:,:,p) * diag (1 ./ sqrt (lambda(:,1,p))) * V(:,:,p)';
    Y(:,:,p) = W * X(:,:,p);
  end
  seconds = toc;
end

%------------------------------------------------------------------------------
% the measurements
%------------------------------------------------------------------------------

n = 8;                    % channels
k = 40;                   % samples in a window
P = 20000;                % windows
addpath (fileparts (mfilename ("fullpath")));
rand ("twister", 1);
randn ("state", 1);
% The strength of one source comes and goes; every channel sees all sources, and noise.
strength = 1 + 2 * (1 + sin (2 * pi * (1:P) / 2500)) / 2;
mixing = randn (n, 3);
sources = randn (3, k, P);
sources(1,:,:) .*= reshape (strength, 1, 1, P);
if (! exist ("batcheig"))
  pkg load gpulinalg
end
X = pagemtimes (mixing, sources) + 0.5 * randn (n, k, P);
X -= mean (X, 2);

%------------------------------------------------------------------------------
% whiten, check, compare with the loops
%------------------------------------------------------------------------------

printf ("gpulinalg %s; %d windows of %d channels and %d samples\n", gpulinalg_info ().version, P, n, k);
whiten (X(:,:,1:100));  % not timed: starts the threads
[Y, C, lambda, seconds] = whiten (X);
total = seconds.covariances + seconds.batcheig + seconds.whitening;
printf ("covariances %.1f ms, batcheig %.1f ms, whitening %.1f ms; together %.1f ms\n", ...
        1e3 * [seconds.covariances, seconds.batcheig, seconds.whitening, total]);

after = pagemtimes (Y, "none", Y, "ctranspose") / k;
off = abs (after(:) - repmat (eye (n)(:), P, 1));
condition = max (lambda(end,1,:) ./ lambda(1,1,:));
printf ("largest difference between a covariance of the whitened data and I: %.1e\n", max (off));
if (! all (off <= 10 * n * condition * eps))
  error ("whitening: a covariance is not the identity");
end

windows = 2000;
if (any (strcmp (argv (), "all")))
  windows = P;
end
[Z, loops] = whiten_in_loops (X, windows);
if (! all (abs (Z(:) - Y(:,:,1:windows)(:)) <= 100 * condition * eps * max (abs (Y(:)))))
  error ("whitening: the loops give something else");
end
printf ("loops around batcheig: %.1f ms (measured on %d windows), %.1f times as long\n", ...
        1e3 * loops * P / windows, windows, loops * P / windows / total);

%------------------------------------------------------------------------------
% the picture: two channels before and after, and the spectra of all windows
%------------------------------------------------------------------------------

% The ellipse in which a normal distribution with covariance c has 86 % of its samples.
ellipse = @(c) 2 * sqrtm (c) * [cos(linspace (0, 2*pi, 100)); sin(linspace (0, 2*pi, 100))];

[fig, blue, red] = picture ();
if (isempty (fig))
  return;
end
gray = 0.6 * [1, 1, 1];
[~, strong] = max (strength(1:2500));
[~, weak] = min (strength(1:2500));
data = {X, Y};
covariances = {C, after};
titles = {"channels 1 and 3, measured", "the same, whitened"};
for k = 1:2
  subplot ("position", [0.03 + 0.31 * (k - 1), 0.13, 0.25, 0.72]);
  hold on;
  for w = {strong, weak; red, blue}
    x = data{k}([1, 3],:,w{1});
    e = ellipse (covariances{k}([1, 3],[1, 3],w{1}));
    plot (x(1,:), x(2,:), ".", "color", w{2}, "markersize", 9, e(1,:), e(2,:), "color", w{2}, "linewidth", 2);
  end
  limit = 1.15 * max (abs (data{k}([1, 3],:,strong)(:)));
  axis ([-limit, limit, -limit, limit], "square");
  title (titles{k});
end

subplot ("position", [0.68, 0.13, 0.29, 0.72]);
shown = 1:20:P;
semilogy (shown, squeeze (lambda(1:end-1,1,shown)), "color", gray, ...
          shown, squeeze (lambda(end,1,shown)), "color", red);
xlim ([1, P]);
set (gca, "xtick", [5000, 10000, 15000]);
title ("eigenvalues in all windows");
picture (fig, "whitening.png", "1500,480");

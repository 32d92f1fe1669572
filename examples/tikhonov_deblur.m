% examples/tikhonov_deblur.m: a photograph blurred by motion, restored with gsvd_hz
% SPDX-License-Identifier: GPL-3.0-or-later
%
% The camera moved by 15 pixels, so for each row x of the photograph it recorded b = A*x + noise. The row is
% restored by generalized Tikhonov regularization, min |A*x - b|^2 + lambda^2 |L*x|^2, where L takes
% differences of neighbours. A has fewer rows than columns, because no values are assumed for pixels beyond
% the border. One GSVD of (A, L) gives the solution for every lambda by scaling (Hansen 1998); lambda is the
% minimum of generalized cross-validation over all rows (Golub, Heath, Wahba 1979).
% From a shell: octave-cli examples/tikhonov_deblur.m; it writes tikhonov_deblur.png.

1;  % a script, although it begins with functions

function y = psnr_of (x, truth)
  y = 10 * log10 (255^2 / mean ((x(:) - truth(:)).^2));
end

%------------------------------------------------------------------------------
% a photograph, its blurred copy, and the operators
%------------------------------------------------------------------------------

here = fileparts (mfilename ("fullpath"));
addpath (here);                     % for picture.m
truth = double (imread (fullfile (here, "data", "astronaut.png")));
width = 15;
p = columns (truth);
m = p - width + 1;
A = zeros (m, p);
for shift = 0:width-1
  A(:,1+shift:m+shift) += eye (m) / width;
end
L = diff (eye (p));
randn ("state", 1);
seen = truth * A' + randn (rows (truth), m);

%------------------------------------------------------------------------------
% one GSVD, and every lambda
%------------------------------------------------------------------------------

if (! exist ("gsvd_hz"))
  pkg load gpulinalg
end
info = gpulinalg_info ();
gsvd_hz (1, 1);  % starts the device, untimed
tic;
[U, V, X, C, S] = gsvd_hz (A, L);
seconds = toc;
printf ("gpulinalg %s, %s; GSVD of %d x %d and %d x %d: %.3f s\n", info.version, info.backend, ...
        size (A), size (L), seconds);

% The first p-m columns of X are in the null space of A; the last one, the constant, in that of L.
c = diag (C, p - m);
s = [diag(S); 0](p-m+1:end);
coefficients = U' * seen';
Z = inv (X');
filter = @(lambda) c.^2 ./ (c.^2 + lambda^2 * s.^2);
restore = @(lambda) (Z(:,p-m+1:end) * (filter (lambda) ./ c .* coefficients))';
gcv = @(lambda) sumsq (((1 - filter (lambda)) .* coefficients)(:)) / (m - sum (filter (lambda)))^2;

tic;
lambdas = logspace (-4, 1, 101);
scores = arrayfun (gcv, lambdas);
[~, at] = min (scores);
best = lambdas(at);
restored = restore (best);
printf ("%d values of lambda: %.3f s; the best one: %.4f\n", numel (lambdas), toc, best);

%------------------------------------------------------------------------------
% comparison with a direct solution and with the original
%------------------------------------------------------------------------------

tic;
direct = ([A; best * L] \ [seen, zeros(rows (truth), rows (L))]')';
printf ("least squares for this lambda alone: %.3f s; it differs by %.1e gray levels\n", toc, ...
        max (abs (direct(:) - restored(:))));
middle = (width - 1) / 2 + (1:m);
before = psnr_of (seen, truth(:,middle));
after = psnr_of (restored(:,middle), truth(:,middle));
errors = arrayfun (@(lambda) psnr_of (restore (lambda), truth), lambdas);
printf ("PSNR: seen %.2f dB, restored %.2f dB, with the lambda that knows the truth %.2f dB\n", before, after, ...
        max (errors));
if (! (norm (direct - restored, "fro") <= 1e-8 * norm (restored, "fro") && after > before + 3 && ...
       errors(at) > max (errors) - 0.5))
  error ("tikhonov_deblur: the restored photograph is wrong");
end

%------------------------------------------------------------------------------
% the picture
%------------------------------------------------------------------------------

[fig, blue, red] = picture ();
if (isempty (fig))
  return;
end
pictures = {seen, restore(best / 50), restored};
titles = {sprintf("seen, %.1f dB", before), "lambda / 50: noise", sprintf("restored, %.1f dB", after)};
for k = 1:3
  subplot ("position", [0.01 + 0.245 * (k - 1), 0.03, 0.235, 0.8]);
  imagesc (pictures{k}, [0, 255]);
  colormap (gray (256));
  axis ("image", "off");
  title (titles{k});
end
subplot ("position", [0.8, 0.16, 0.185, 0.66]);
loglog (lambdas, scores, "color", blue, "linewidth", 2, ...
        best, scores(at), "o", "color", red, "linewidth", 2);
title ("GCV over lambda");
set (gca, "xlim", lambdas([1, end]), "xtick", [1e-3, 1e-1], "ytick", [1e1, 1e2, 1e3]);
picture (fig, "tikhonov_deblur.png", "1500,420");

% examples/co2_fit.m: carbon dioxide at Mauna Loa, fitted by least squares with qr_block
% SPDX-License-Identifier: GPL-3.0-or-later
%
% 684 monthly means are fitted by a trend of Chebyshev polynomials and a seasonal cycle of four
% harmonics whose amplitudes change with time: a 684 x 29 basis. The jackknife shows how much the trend
% depends on single years: the same fit 57 times, each without one year, as pages of one call.
% From a shell: octave-cli examples/co2_fit.m; it writes co2_fit.png.

1;  % a script, although it begins with functions

% Columns of trend (13) and seasons (16) at the times t, in years of a record of 1959 to 2015.
function A = basis (t)
  s = (t - 1987.5) / 28.5;
  trend = cos (acos (s) .* (0:12));
  waves = [cos(2 * pi * t * (1:4)), sin(2 * pi * t * (1:4))];
  A = [trend, waves, s .* waves];
end

% The slope of the trend, in ppm per year.
function g = growth (x, t)
  h = 1/48;
  g = (basis (t + h) - basis (t - h))(:,1:13) * x(1:13,:) / (2 * h);
end

%------------------------------------------------------------------------------
% the signal and the basis
%------------------------------------------------------------------------------

here = fileparts (mfilename ("fullpath"));
addpath (here);                     % for picture.m
table = load (fullfile (here, "data", "co2.txt"));
years = table(:,1);
y = table(:,2:end).'(:);
t = (years.' + ((1:12)' - 0.5) / 12)(:);
A = basis (t);

%------------------------------------------------------------------------------
% one fit, and one without each year
%------------------------------------------------------------------------------

if (! exist ("qr_block"))
  pkg load gpulinalg
end
info = gpulinalg_info ();
printf ("gpulinalg %s, %s; %d months, %d columns\n", info.version, info.backend, size (A));

[C, R] = qr_block (A, y, 0);
x = R \ C;
fitted = A * x;
left = y - fitted;

% The rows of the missing year are zeros, which do not change the fit, so that all pages have one size.
P = numel (years);
pages = repmat (A, [1, 1, P]);
sides = repmat (y, [1, 1, P]);
for p = 1:P
  pages(12*p-11:12*p,:,p) = 0;
  sides(12*p-11:12*p,:,p) = 0;
end
qr_block (1);  % starts the device, untimed
tic;
[C, R] = qr_block (pages, sides, 0);
seconds = toc;
X = zeros (columns (A), P);
for p = 1:P
  X(:,p) = R(:,:,p) \ C(:,:,p);
end
tic;
for p = 1:P
  [c, r] = qr (pages(:,:,p), sides(:,:,p), 0);
end
loop = toc;
printf ("%d fits in one call of qr_block: %.2f ms; loop over qr: %.2f ms\n", P, 1e3 * seconds, 1e3 * loop);

slope = growth (x, t);
slopes = growth (X, t);
off = sqrt ((P - 1) / P * sumsq (slopes - mean (slopes, 2), 2));
for year = 1965:10:2005
  k = find (t > year, 1);
  printf ("growth in %d: %.2f +- %.2f ppm per year\n", year, slope(k), off(k));
end
printf ("what is left: %.2f ppm (standard deviation)\n", std (left));

best = A \ y;
if (! (norm (x - best) <= 1e-10 * norm (best) && std (left) < 0.5 && abs (mean (slope) - 1.5) < 0.1))
  error ("co2_fit: the fit is wrong");
end

%------------------------------------------------------------------------------
% the picture
%------------------------------------------------------------------------------

[fig, blue, red] = picture ();
if (isempty (fig))
  return;
end
gray = 0.6 * [1, 1, 1];

subplot ("position", [0.06, 0.42, 0.56, 0.5]);
plot (t, y, ".", "color", gray, "markersize", 5, t, A(:,1:13) * x(1:13), "color", red, "linewidth", 2, ...
      t, fitted, "color", blue, "linewidth", 1);
xlim ([1958, 2017]);
set (gca, "xticklabel", {});
title ("carbon dioxide at Mauna Loa, ppm: months, trend, fit");

subplot ("position", [0.06, 0.1, 0.56, 0.22]);
plot (t, left, "color", blue, [1958, 2017], [0, 0], "color", gray);
xlim ([1958, 2017]);
set (gca, "ytick", -1:1);
title ("what the fit leaves, ppm");

subplot ("position", [0.68, 0.51, 0.28, 0.41]);
month = linspace (0, 1, 200).';
first = basis (1960 + month);
last = basis (2014 + month);
plot (12 * month, first(:,14:end) * x(14:end), "color", gray, "linewidth", 2, ...
      12 * month, last(:,14:end) * x(14:end), "color", blue, "linewidth", 2);
xlim ([0, 12]);
set (gca, "ytick", -2:2:4, "xtick", 1.5:3:10.5, "xticklabel", {"Feb", "May", "Aug", "Nov"});
title ("seasons, 1960 and 2014");

subplot ("position", [0.68, 0.1, 0.28, 0.22]);
plot (t, slope - 2 * off, "color", gray, t, slope + 2 * off, "color", gray, ...
      t, slope, "color", red, "linewidth", 2);
xlim ([1958, 2017]);
ylim ([0, 4]);
set (gca, "ytick", 1:4, "xtick", 1970:20:2010);
title ("growth, ppm per year");

picture (fig, "co2_fit.png", "1500,750");

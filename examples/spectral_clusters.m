% examples/spectral_clusters.m: splits a club in two and a photograph into regions, with eigs_lanczos
% SPDX-License-Identifier: GPL-3.0-or-later
%
% The eigenvectors of the largest eigenvalues of D^-1/2 W D^-1/2, W the weights of a graph and D its
% degrees, show where it is loosely connected (Shi and Malik 2000; Ng, Jordan and Weiss 2002). The
% graphs are Zachary's karate club, which split in two in 1977, and a photograph, where near pixels of
% similar brightness are linked. From a shell: octave-cli examples/spectral_clusters.m; it writes
% spectral_clusters.png.

1;  % a script, although it begins with functions

% D^-1/2 W D^-1/2, and the diagonal of D^-1/2.
function [N, s] = normalised (W)
  s = 1 ./ sqrt (full (sum (W, 2)));
  S = spdiags (s, 0, rows (W), rows (W));
  N = S * W * S;
  N = (N + N') / 2;                 % rounding leaves a little asymmetry
end

% Eigenvectors of the k largest eigenvalues of the normalised weights, as rows of coordinates.
function [X, d, stats] = embed (W, k)
  [N, s] = normalised (W);
  [V, D, flag, stats] = eigs_lanczos (N, k, "la", "tol", 1e-10, "maxit", 2000);
  d = diag (D);
  X = V .* s;
  residual = norm (N * V - V * D, "fro");
  if (flag || ! (residual <= 1e-9 * k))
    error ("spectral_clusters: the eigenvectors are not right, residual %g", residual);
  end
end

% k-means of the rows of X, begun with rows that lie far apart.
function label = group_rows (X, k)
  at = 1;
  distance = sumsq (X - X(1,:), 2);
  for j = 2:k
    [~, at(j)] = max (distance);
    distance = min (distance, sumsq (X - X(at(j),:), 2));
  end
  C = X(at,:);
  label = zeros (rows (X), 1);
  do
    before = label;
    [~, label] = max (2 * X * C' - sumsq (C, 2)', [], 2);
    for j = 1:k
      C(j,:) = mean (X(label == j,:), 1);
    end
  until (isequal (label, before))
end

% The weight of the links between the groups, relative to all links of each group; small is good.
function cut = normalised_cut (W, label)
  cut = 0;
  for j = 1:max (label)
    inside = double (label == j);
    volume = sum (W * inside);
    cut += (volume - inside' * W * inside) / volume;
  end
end

% The graph of a picture: pixels at most `reach` apart, weighted by distance and brightness.
function W = picture_graph (I, reach, width, contrast)
  [m, n] = size (I);
  [r, c] = ndgrid (1:m, 1:n);
  W = sparse (m * n, m * n);
  for dr = 0:reach
    for dc = -reach:reach
      if (dr^2 + dc^2 > reach^2 || (dr == 0 && dc <= 0))
        continue;
      end
      here = find (r + dr <= m & c + dc >= 1 & c + dc <= n);
      there = here + dr + m * dc;
      w = exp (-(dr^2 + dc^2) / width^2 - ((I(here) - I(there)) / contrast) .^ 2);
      W += sparse (here, there, w, m * n, m * n);
    end
  end
  W += W' + speye (m * n);
end

if (! exist ("spmv"))
  pkg load gpulinalg
end
here = fileparts (mfilename ("fullpath"));
addpath (here);                     % for picture.m
info = gpulinalg_info ();
printf ("gpulinalg %s, %s\n", info.version, info.backend);

%------------------------------------------------------------------------------
% the club
%------------------------------------------------------------------------------

A = read_graph (fullfile (here, "data", "karate.mtx"));
club = embed (A, 3);
side = 1 + (club(:,2) * sign (club(1,2)) < 0);
with_the_teacher = [1:9, 11:14, 17, 18, 20, 22];      % as Zachary saw it
other = setxor (find (side == 1).', with_the_teacher);
printf ("karate club: %d and %d members; %d went the other way:%s\n", sum (side == 1), sum (side == 2), ...
        numel (other), sprintf (" %d", other));

%------------------------------------------------------------------------------
% the photograph
%------------------------------------------------------------------------------

photo = double (imread (fullfile (here, "data", "astronaut.png")));
photo = (photo(1:2:end,1:2:end) + photo(2:2:end,1:2:end) + photo(1:2:end,2:2:end) + photo(2:2:end,2:2:end)) / 4;
W = picture_graph (photo, 5, 4, 18);
k = 8;
[X, d, stats] = embed (W, k);
printf ("photograph: n = %d, %d nonzeros, %d eigenvalues from %.4f to %.4f: %.2f s, %d products\n", ...
        rows (W), nnz (W), k, d(end), d(1), stats.seconds, stats.products);
tic;
e = eigs (normalised (W), k, "la", struct ("tol", 1e-10, "p", 64, "maxit", 2000));
printf ("eigs: %.2f s; largest difference of the eigenvalues %.1e\n", toc, max (abs (e - d)));

label = group_rows (X ./ norm (X, "rows"), k);
stripes = ceil ((1:columns (photo)) / columns (photo) * k) .* ones (rows (photo), 1);
cuts = [normalised_cut(W, label), normalised_cut(W, stripes(:))];
printf ("normalised cut into %d regions: %.4f; into stripes: %.4f\n", k, cuts);
if (! (numel (other) <= 2 && abs (d(1) - 1) < 1e-8 && all (abs (e - d) < 1e-8) && cuts(1) < cuts(2) / 4))
  error ("spectral_clusters: the clusters are wrong");
end

%------------------------------------------------------------------------------
% the picture
%------------------------------------------------------------------------------

[fig, blue, red] = picture ();
if (isempty (fig))
  return;
end

subplot ("position", [0.06, 0.1, 0.32, 0.76]);
[i, j] = find (triu (A));
x = club(:,2) / max (abs (club(:,2)));
y = club(:,3) / max (abs (club(:,3)));
plot ([x(i), x(j)].', [y(i), y(j)].', "color", 0.75 * [1, 1, 1]);
hold on;
plot (x(side == 1), y(side == 1), "o", "markersize", 7, "markerfacecolor", blue, "color", blue, ...
      x(side == 2), y(side == 2), "o", "markersize", 7, "markerfacecolor", red, "color", red);
text (x(1) - 0.1, y(1) + 0.02, "teacher", "horizontalalignment", "right");
text (x(34) + 0.14, y(34) - 0.08, "president");
xlim ([-1.15, 1.15]);
ylim ([-1.15, 1.15]);
title ("karate club: eigenvectors 2 and 3");

regions = reshape (label, size (photo));
edge = regions != regions([1, 1:end-1],:) | regions != regions(:,[1, 1:end-1]);
colours = hsv (k);
shaded = 0.55 * photo / 255 + 0.45 * reshape (colours(regions(:),:), [size(photo), 3]);
shaded(repmat (edge, [1, 1, 3])) = 1;
second = reshape (X(:,2), size (photo));
pictures = {repmat(photo / 255, [1, 1, 3]), ...
            repmat((second - min (second(:))) / (max (second(:)) - min (second(:))), [1, 1, 3]), shaded};
titles = {"photograph", "eigenvector 2", sprintf("%d regions", k)};
for p = 1:3
  subplot ("position", [0.42 + 0.195 * (p - 1), 0.2, 0.18, 0.6]);
  image (pictures{p});
  axis ("image", "off");
  title (titles{p});
end
picture (fig, "spectral_clusters.png", "1700,560");

% examples/graphene_bands.m: band structure of graphene and of its ribbons with batcheig
% SPDX-License-Identifier: GPL-3.0-or-later
%
% Tight binding with one p_z orbital per carbon atom and hopping -t between neighbours (Wallace
% 1947). Every k-point is a small Hermitian matrix; all matrices of a sweep are one n x n x P array
% and one call of batcheig solves them. From a shell: octave-cli examples/graphene_bands.m
% It checks itself against closed forms and writes graphene_bands.png.

1;  % a script, although it begins with functions

% A crystal is the matrix T0 of hops inside the cell and, for each lattice vector, the matrix T of
% hops into that neighbour cell; H(k) = T0 + sum_j (T_j exp (i k.a_j) + its adjoint). No loop over k.
function H = bloch (T0, T, phase)
  H = repmat (T0, [1, 1, columns(phase)]);
  for j = 1:numel (T)
    z = reshape (exp (1i * phase(j,:)), 1, 1, []);
    H += T{j} .* z + T{j}' .* conj (z);
  end
end

% Zigzag ribbon, N chains wide: atom A of chain m bonds to B of chain m here and one cell to the
% left, B of chain m bonds to A of chain m+1. Orbital 2m-1 is A, 2m is B.
function [T0, T] = zigzag (N, t)
  T0 = -t * full (gallery ("tridiag", 2*N, 1, 0, 1));
  T = zeros (2*N);
  T(sub2ind (size (T), 1:2:2*N, 2:2:2*N)) = -t;
end

% Armchair ribbon, N dimer lines wide. Orbital m is A and N+m is B of line m; the dimer of line m
% lies inside the cell where m is odd and reaches into the next cell where m is even.
function [T0, T] = armchair (N, t)
  chain = diag (ones (N-1, 1), 1);
  odd = diag (mod (1:N, 2));
  AB = chain + chain' + odd;
  T0 = -t * [zeros(N), AB; AB', zeros(N)];
  T = -t * [zeros(N), eye(N) - odd; zeros(N, 2*N)];
end

% Solves all pages with batcheig on each device, then some of them, for about 2 s, with the loop over
% eig. The seconds of the loop are scaled to all pages.
function [V, E] = solve (name, H, vectors, places)
  [n, ~, P] = size (H);
  V = [];
  printf ("%-20s%5d%8d", name, n, P);
  for j = 1:numel (places)
    tic;
    if (vectors)
      [V, E] = batcheig (H, "vector", "device", places{j});
    else
      E = batcheig (H, "device", places{j});
    end
    seconds(j) = toc;
    printf ("%11.4f", seconds(j));
  end
  part = 0;
  tic;
  while (part < P && toc < 2)
    part++;
    if (vectors)
      [v, d] = eig (H(:,:,part), "vector");
    else
      d = eig (H(:,:,part));
    end
  end
  loop = toc / part * P;
  printf ("%11.4f%10.1f x   (%d pages)\n", loop, loop / min (seconds), part);
  E = reshape (E, n, P);
end

% The largest error of E against the closed form; it must be at most a few rounding errors of |H|.
function check (name, E, exact)
  error_ = abs (E(:) - sort (exact, 1)(:));
  bound = 10 * rows (E) * eps * max (abs (exact(:)));
  printf ("%-22s largest error %.1e, bound %.1e\n", name, max (error_), bound);
  if (! all (error_ <= bound))
    error ("graphene_bands: %s is off by %g, more than %g, or NaN", name, max (error_), bound);
  end
end

% Exact density of states per cell and spin (Hobson and Nierenberg 1953), x = |E| / t.
function g = exact_dos (x)
  a = (1 + x).^2 - (x.^2 - 1).^2 / 4;
  b = 4 * x;
  swap = x > 1;
  [a(swap), b(swap)] = deal (b(swap), a(swap));
  g = 2 / pi^2 * x ./ sqrt (a) .* ellipke (min (b ./ a, 1 - eps));
end

% An empty plot between left and left + width of the figure, and its title and labels.
function panel (left, width)
  subplot ("position", [left, 0.16, width, 0.72]);
  hold on;
end

function annotate (name, ticks, labels, below)
  axis ([ticks([1, end]), -3.3, 3.3]);
  set (gca, "box", "on", "xtick", ticks, "xticklabel", {});
  title (name);
  center = {"horizontalalignment", "center"};
  for j = 1:numel (ticks)
    text (ticks(j), -3.6, labels{j}, center{:});
  end
  text (0.5, -0.13, below, "units", "normalized", center{:});
end

%------------------------------------------------------------------------------
% the four sweeps
%------------------------------------------------------------------------------

t = 2.7;                                             % hopping in eV
f = @(p) 1 + exp (1i * p(1,:)) + exp (1i * p(2,:));  % p(j,:) is k . a_j
T0 = -t * [0, 1; 1, 0];
T = {[0, -t; 0, 0], [0, -t; 0, 0]};

if (! exist ("batcheig"))
  pkg load gpulinalg
end
info = gpulinalg_info ();
places = {"cpu"};
printf ("gpulinalg %s, %s, %d CPU threads\n", info.version, info.backend, nproc ("overridable"));
if (! isempty (info.devices))
  places = {"cpu", "gpu"};
  printf ("GPU: %s\n", strjoin ({info.devices.name}, ", "));
end
printf ("%-20s%5s%8s", "seconds", "n", "pages");
printf ("%11s", places{:}, "eig loop");
printf ("%10s   (measured)\n", "faster");
for j = 1:numel (places)
  batcheig (eye (2), "device", places{j});  % starts the device, untimed
end

corners = 2*pi/3 * [0, 1, 1.5, 0; 0, 2, 1.5, 0];     % Gamma, K, M, Gamma
steps = diff (corners, 1, 2);
s_corner = [0, cumsum(sqrt (sum (steps.^2) - prod (steps)))];
s = linspace (0, s_corner(end), 1200);
path = interp1 (s_corner', corners', s')';
[~, E_path] = solve ("graphene, path", bloch (T0, T, path), false, places);

m = 200;
[p1, p2] = meshgrid (2*pi * ((1:m) - 0.5) / m);
mesh = [p1(:), p2(:)]';
[~, E_mesh] = solve ("graphene, k-mesh", bloch (T0, T, mesh), false, places);

N = 30;
k = linspace (0, 2*pi, 3000);
[Z0, Z] = zigzag (N, t);
[V, E_zig] = solve ("zigzag ribbon", bloch (Z0, {Z}, k), true, places);
[A0, A] = armchair (N, t);
[~, E_arm] = solve ("armchair ribbon", bloch (A0, {A}, k - pi), false, places);

%------------------------------------------------------------------------------
% checks against closed forms
%------------------------------------------------------------------------------

check ("graphene, path", E_path, t * [-1; 1] .* abs (f (path)));
check ("graphene, k-mesh", E_mesh, t * [-1; 1] .* abs (f (mesh)));
theta = pi * (1:N)' / (N + 1);
bands = t * sqrt (1 + 4 * cos (theta) .* cos (k/2 - pi/2) + 4 * cos (theta).^2);
check ("armchair ribbon", E_arm, [-bands; bands]);

% The zigzag edge state: the two bands at E = 0 for 2 pi/3 < k < 4 pi/3, on the outermost atoms.
edge = reshape (sum (abs (V([1:4, end-3:end],:,:)).^2, 1), 2*N, []);
inside = abs (k - pi) < 0.8 * pi/3;
width = abs (E_zig(N:N+1, inside)(:));
weight = edge(N:N+1, inside)(:);
printf ("zigzag edge state: |E| <= %.1e eV, at least %.0f %% on the outer atoms\n", max (width), 100 * min (weight));
if (! (all (width < 0.01 * t) && all (weight > 0.5)))
  error ("graphene_bands: the zigzag ribbon has no flat edge state");
end

%------------------------------------------------------------------------------
% the picture
%------------------------------------------------------------------------------

addpath (fileparts (mfilename ("fullpath")));  % for picture.m
[fig, blue, red] = picture ();
if (isempty (fig))
  return;
end
gray = 0.75 * [1, 1, 1];

panel (0.05, 0.25);
plot (s_corner([2 3; 2 3]), [-4; 4] * [1 1], "color", gray);
plot (s, E_path' / t, "color", blue, "linewidth", 2);
annotate ("graphene", s_corner, {"\\Gamma", "K", "M", "\\Gamma"}, "");
text (-0.16, 0.5, "E / t", "units", "normalized", "horizontalalignment", "center", "rotation", 90);

panel (0.325, 0.11);
bins = linspace (-3, 3, 121);
middle = (bins(1:end-1) + bins(2:end)) / 2;
dos = histc (E_mesh(:) / t, bins)(1:end-1) / columns (E_mesh) / (bins(2) - bins(1));
x = setdiff (linspace (-2.999, 2.999, 600), [-1, 1]);
plot (exact_dos (abs (x)), x, "color", gray, "linewidth", 5);
plot (dos, middle, "color", blue, "linewidth", 1);
annotate ("density of states", [0, 0.5, 1], {"0", "0.5", "1"}, "states / (cell t)");
set (gca, "yticklabel", {});

panel (0.48, 0.235);
E_edge = E_zig(N:N+1,:);
E_edge(edge(N:N+1,:) < 0.5) = NaN;
plot (k / pi, E_zig' / t, "color", blue, "linewidth", 0.5);
plot (k / pi, E_edge' / t, "color", red, "linewidth", 4);
text (1, 0.35, "edge", "color", red, "horizontalalignment", "center");
annotate (sprintf ("zigzag ribbon, n = %d", 2*N), 0:2, {"0", "\\pi", "2\\pi"}, "k a");

panel (0.75, 0.235);
plot (k / pi - 1, E_arm' / t, "color", blue, "linewidth", 0.5);
annotate (sprintf ("armchair ribbon, n = %d", 2*N), -1:1, {"-\\pi", "0", "\\pi"}, "k a");

picture (fig, "graphene_bands.png", "1600,620");

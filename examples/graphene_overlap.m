% examples/graphene_overlap.m: bands of graphene in a basis that is not orthogonal, with batcheig (H, S)
% SPDX-License-Identifier: GPL-3.0-or-later
%
% Tight binding with hopping -t and overlap s0 between the p_z orbitals of neighbours (Saito, Dresselhaus,
% Dresselhaus 1998): H x = E S x, a pair of Hermitian matrices for every k-point. With H = -t M and S = I + s0 M,
% where M connects neighbours, an eigenvalue m of M gives the energy E = -t m / (1 + s0 m). So every band has a
% closed form, where that of M has one: for the sheet E = -+ t |f| / (1 +- s0 |f|).
% From a shell: octave-cli examples/graphene_overlap.m   It checks itself and writes graphene_overlap.png.

1;  % a script, although it begins with functions

% M(k) = M0 + sum_j (M_j exp (i k.a_j) + its adjoint), all k at once.
function M = bloch (M0, M1, phase)
  M = repmat (M0, [1, 1, columns(phase)]);
  for j = 1:numel (M1)
    z = reshape (exp (1i * phase(j,:)), 1, 1, []);
    M += M1{j} .* z + M1{j}' .* conj (z);
  end
end

% Armchair ribbon, N dimer lines wide. Orbital m is A and N+m is B of line m.
function [M0, M1] = armchair (N)
  chain = diag (ones (N-1, 1), 1);
  odd = diag (mod (1:N, 2));
  AB = chain + chain' + odd;
  M0 = [zeros(N), AB; AB', zeros(N)];
  M1 = [zeros(N), eye(N) - odd; zeros(N, 2*N)];
end

% Energies of all pairs by batcheig, and for about 1 s by the loop over eig, whose time is scaled to all pages.
function E = solve (name, M, t, s0)
  [n, ~, P] = size (M);
  H = -t * M;
  S = s0 * M + full (eye (n));
  tic;
  [V, E, info, more] = batcheig (H, S, "vector");
  seconds = toc;
  part = 0;
  tic;
  while (part < P && toc < 1)
    part++;
    [v, d] = eig (H(:,:,part), S(:,:,part), "vector");
  end
  loop = toc / part * P;
  printf ("%-18s n = %2d, %5d pairs: %.4f s, loop over eig (H, S) %.4f s, %.1f x; rcond of S at least %.2f\n", ...
    name, n, P, seconds, loop, loop / seconds, min (more.rcond));
  p = ceil (P / 3);
  v = V(:,:,p);
  if (any (info) || any (isnan (V(:))) || ! all (sum (abs (v' * S(:,:,p) * v - eye (n)), 1) <= 10 * n * eps))
    error ("graphene_overlap: %s: a page failed, or V' * S * V is not I", name);
  end
  E = reshape (E, n, P);
end

% The largest error of E against the closed form, from eigenvalues m of M.
function check (name, E, m, t, s0)
  exact = sort (-t * m ./ (1 + s0 * m), 1);
  error_ = abs (E(:) - exact(:));
  bound = 20 * rows (E) * eps * max (abs (exact(:)));
  printf ("%-18s largest error %.1e eV, bound %.1e\n", name, max (error_), bound);
  if (! all (error_ <= bound))
    error ("graphene_overlap: %s is off by %g, more than %g, or NaN", name, max (error_), bound);
  end
end

%------------------------------------------------------------------------------
% a path through the zone, and a ribbon
%------------------------------------------------------------------------------

t = 3.033;   % hopping in eV
s0 = 0.129;  % overlap
N = 19;      % dimer lines of the ribbon

if (! exist ("batcheig"))
  pkg load gpulinalg
end
info = gpulinalg_info ();
printf ("gpulinalg %s, %s, %d CPU threads\n", info.version, info.backend, nproc ("overridable"));
batcheig (eye (2), eye (2));  % starts what has to be started, untimed

f = @(p) 1 + exp (1i * p(1,:)) + exp (1i * p(2,:));  % p(j,:) is k . a_j
corners = 2*pi/3 * [0, 1, 1.5, 0; 0, 2, 1.5, 0];     % Gamma, K, M, Gamma
steps = diff (corners, 1, 2);
s_corner = [0, cumsum(sqrt (sum (steps.^2) - prod (steps)))];
s = linspace (0, s_corner(end), 6000);
path = interp1 (s_corner', corners', s')';
E_path = solve ("graphene, path", bloch ([0, 1; 1, 0], {[0, 1; 0, 0], [0, 1; 0, 0]}, path), t, s0);
check ("graphene, path", E_path, [-1; 1] .* abs (f (path)), t, s0);

k = linspace (-pi, pi, 1500);
[M0, M1] = armchair (N);
E_ribbon = solve ("armchair ribbon", bloch (M0, {M1}, k), t, s0);
theta = pi * (1:N)' / (N + 1);
m = sqrt (1 + 4 * cos (theta) .* cos (k/2) + 4 * cos (theta).^2);
check ("armchair ribbon", E_ribbon, [-m; m], t, s0);

%------------------------------------------------------------------------------
% the picture
%------------------------------------------------------------------------------

addpath (fileparts (mfilename ("fullpath")));  % for picture.m
[fig, blue, red] = picture ();
if (isempty (fig))
  return;
end
gray = 0.6 * [1, 1, 1];

subplot ("position", [0.08, 0.13, 0.4, 0.77]);
hold on;
plot (s, (t * [-1; 1] .* abs (f (path)))', "color", gray, "linewidth", 1);
plot (s, E_path', "color", blue, "linewidth", 2);
axis ([0, s_corner(end), -11, 16]);
set (gca, "box", "on", "xtick", s_corner, "xticklabel", {"\\Gamma", "K", "M", "\\Gamma"});
title (sprintf ("graphene, E in eV, overlap %.3f (gray: none)", s0));

subplot ("position", [0.57, 0.13, 0.4, 0.77]);
hold on;
plot (k / pi, E_ribbon(1:N,:)', "color", blue, "linewidth", 0.5);
plot (k / pi, E_ribbon(N+1:end,:)', "color", red, "linewidth", 0.5);
axis ([-1, 1, -11, 16]);
set (gca, "box", "on");
title (sprintf ("armchair ribbon, n = %d, against k a / \\pi", 2*N));

picture (fig, "graphene_overlap.png", "1300,620");

% examples/wave_packet.m: an electron in graphene as time passes, with pagefunm
% SPDX-License-Identifier: GPL-3.0-or-later
%
% An electron begins as a Gaussian wave packet on one of the two sublattices of graphene, with the momentum of
% a Dirac point. Momenta do not mix: in each of 192 x 192 of them the two amplitudes obey i dpsi/dt = H(k)*psi with a
% Hermitian 2 x 2 matrix H(k), so psi(t) = expm (-i*t*H(k))*psi(0). pagefunm computes all these exponentials in
% one call for each time, and Fourier transforms lead to the momenta and back. Near a Dirac point every momentum
% has the same speed, and the packet becomes a ring. From a shell: octave-cli examples/wave_packet.m
% It checks the exponentials against their closed form and writes wave_packet.png.

1;  % a script, although it begins with functions

% H(k) of nearest neighbours, energies in units of the hopping, for phases k*a1 and k*a2.
function [H, f] = graphene (phase1, phase2)
  f = reshape (1 + exp (-1i * phase1) + exp (-1i * phase2), 1, 1, []);
  zero = zeros (size (f));
  H = [zero, -f; -conj(f), zero];
end

% cos (t*|f|) - i*sin (t*|f|)*H/|f|, because H*H = |f|^2*I.
function U = closed_form (H, f, t)
  energy = abs (f);
  sinc_ = t * ones (size (f));
  sinc_(energy > 0) = sin (t * energy(energy > 0)) ./ energy(energy > 0);
  U = cos (t * energy) .* eye (2) - 1i * sinc_ .* H;
end

% Seconds of expm for all pages, from the first ones.
function [U, seconds] = loop (H, t, pages)
  U = complex (zeros (2, 2, pages));
  tic;
  for p = 1:pages
    U(:,:,p) = expm (-1i * t * H(:,:,p));
  end
  seconds = toc * size (H, 3) / pages;
end

%------------------------------------------------------------------------------
% momenta, and the packet at first
%------------------------------------------------------------------------------

N = 192;                  % cells in each direction
width = 4;                % of the packet, in lattice constants
times = [0, 15, 30, 60];  % in units of hbar / hopping
addpath (fileparts (mfilename ("fullpath")));
if (! exist ("pagefunm"))
  pkg load gpulinalg
end
a1 = [1/2; sqrt(3)/2];
a2 = [-1/2; sqrt(3)/2];
[phase1, phase2] = ndgrid (2 * pi * (0:N-1) / N);
[H, f] = graphene (phase1, phase2);
[cell1, cell2] = ndgrid ((0:N-1) - N/2);
x = a1(1) * cell1 + a2(1) * cell2;
y = a1(2) * cell1 + a2(2) * cell2;
start = exp (-(x.^2 + y.^2) / (2 * width^2) + 2i * pi * (cell1 - cell2) / 3);
start /= norm (start(:));
psi = [reshape(fft2 (start), 1, 1, []); zeros(1, 1, N^2)];

%------------------------------------------------------------------------------
% propagate, check, compare with the loop
%------------------------------------------------------------------------------

printf ("gpulinalg %s; %d momenta, %d times\n", gpulinalg_info ().version, N^2, numel (times));
pagefunm (H(:,:,1:100), "exp", "scale", -1i);  % not timed: starts the threads
seconds = 0;
for j = 1:numel (times)
  t = times(j);
  tic;
  U = pagefunm (H, "exp", "scale", -1i * t);
  seconds += toc;
  off = abs ((U - closed_form (H, f, t))(:));
  now = pagemtimes (U, psi);
  A = ifft2 (reshape (now(1,1,:), N, N));
  B = ifft2 (reshape (now(2,1,:), N, N));
  density{j} = abs (A).^2 + abs (B).^2;
  lost = abs (sum (density{j}(:)) - 1);
  radius = sqrt (sum ((x.^2 + y.^2)(:) .* density{j}(:)));
  printf ("t = %2d: difference from the closed form %.1e, probability lost %.1e, mean radius %.1f\n", ...
          t, max (off), lost, radius);
  if (! (all (off <= 1e-14 * max (1, 3 * t)) && lost <= 1e-12))
    error ("wave_packet: an exponential is wrong");
  end
end
pages = 300;
[V, loop_seconds] = loop (H, t, pages);
if (! all (abs ((V - U(:,:,1:pages))(:)) <= 1e-11))
  error ("wave_packet: expm differs");
end
seconds /= numel (times);
printf ("%d exponentials: pagefunm %.4f s, a loop over expm %.2f s (from %d pages), %.0f times as long\n", ...
        N^2, seconds, loop_seconds, pages, loop_seconds / seconds);

%------------------------------------------------------------------------------
% picture
%------------------------------------------------------------------------------

fig = picture ();
if (isempty (fig))
  return;
end
[px, py] = meshgrid (linspace (-68, 68, 241));
cells = [a1, a2] \ [px(:)'; py(:)'];
for j = 1:numel (times)
  shown = interp2 (density{j}, reshape (cells(2,:), size (px)) + N/2 + 1, ...
                   reshape (cells(1,:), size (px)) + N/2 + 1);
  shown(isnan (shown)) = 0;
  subplot ("position", [0.05 + 0.239 * (j - 1), 0.1, 0.215, 0.74]);
  imagesc (px(1,:), py(:,1), sqrt (shown));
  axis ("xy", "square");
  set (gca, "xtick", -50:25:50, "ytick", -50:25:50);
  if (j > 1)
    set (gca, "yticklabel", {});
  end
  title (sprintf ("t = %d", times(j)));
end
colormap (viridis (256));
picture (fig, "wave_packet.png", "1500,420");

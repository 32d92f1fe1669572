% cold_start.m: one job in a fresh process, for cold_start.sh
% SPDX-License-Identifier: GPL-3.0-or-later
%
% With --path src --path inst:
% octave-cli bench/auto/cold_start.m list            prints the kinds and names of the jobs
% octave-cli bench/auto/cold_start.m JOB PLACE       seconds of the first call, and of the shortest later one
%
% Kinds: "call" is one call, "script" is 1000 small calls, and "program" is a small whole program, whose
% second number is the time of a second run. The functions are loaded before anything is timed.

1;  % a script, although it begins with functions

%------------------------------------------------------------------------------
% single calls
%------------------------------------------------------------------------------

% A function of the place that makes the call; its inputs are made before.
function f = eig_call (type, n, pages)
  A = random_pages (n, pages, type);
  f = @(place) run_eig (A, place);
end
function run_eig (A, place)
  [V, D] = batcheig (A, "vector", "device", place);
end

function f = qr_call (type, m, n, pages)
  A = random_pages ([m, n], pages, type);
  f = @(place) run_qr (A, place);
end
function run_qr (A, place)
  [Q, R] = qr_block (A, 0, "device", place);
end

function f = gsvd_call (type, m, n, p, pages)
  [A, B] = gsvd_pairs (m, n, p, pages, type);
  f = @(place) run_gsvd (A, B, place);
end
function run_gsvd (A, B, place)
  [U, V, X, C, S] = gsvd_hz (A, B, 0, "device", place);
end

function A = mesh (k)
  d = ones (k, 1);
  T = spdiags ([-d, 2*d, -d], -1:1, k, k);
  A = kron (T, speye (k)) + kron (speye (k), T);
end
function f = spmv_call (k)
  A = mesh (k);
  x = rand (k^2, 1);
  f = @(place) spmv (A, x, "device", place);
end
function f = eigs_call (k)
  A = mesh (k) + spdiags (20 * rand (k^2, 1), 0, k^2, k^2);  % Anderson's model
  f = @(place) eigs_lanczos (A, 6, "la", "device", place);
end

%------------------------------------------------------------------------------
% programs
%------------------------------------------------------------------------------

% MUSIC: directions of three sources from the covariances of 400 snapshots at 16 sensors, 1000 times.
function music (place)
  sensors = 16;
  trials = 1000;
  angles = pi / 180 * [-20, 5, 30];
  S = exp (1i * pi * (0:sensors-1)' * sin (angles));
  R = zeros (sensors, sensors, trials);
  for t = 1:trials
    X = S * (randn (3, 40) + 1i * randn (3, 40)) + 0.3 * (randn (sensors, 40) + 1i * randn (sensors, 40));
    R(:,:,t) = X * X' / 40;
  end
  R = (R + conj (permute (R, [2, 1, 3]))) / 2;
  [V, D] = batcheig (R, "vector", "device", place);
  scan = exp (1i * pi * (0:sensors-1)' * sin (pi / 180 * (-90:0.5:90)));
  spectrum = 0;
  for t = 1:trials
    spectrum += 1 ./ sum (abs (V(:,1:end-3,t)' * scan) .^ 2, 1);
  end
  assert (all (isfinite (spectrum)));
end

% Bands with overlap: H(k) x = e S(k) x at 2000 k, by Loewdin's S^(-1/2).
function bands (place)
  n = 12;
  k = reshape (linspace (-pi, pi, 2000), 1, 1, []);
  rand ("twister", 1);
  H0 = rand (n);  H0 = H0 + H0';
  hop = rand (n);
  over = 0.02 * rand (n);
  phase = exp (1i * k);
  H = H0 + hop .* phase + hop' .* conj (phase);
  S = full (eye (n)) + over .* phase + over' .* conj (phase);
  [U, s] = batcheig (S, "vector", "device", place);
  T = zeros (size (S));
  for j = 1:n
    u = U(:,j,:);
    T += u .* conj (permute (u, [2, 1, 3])) ./ sqrt (reshape (s(j,1,:), 1, 1, []));
  end
  F = zeros (size (S));
  for j = 1:size (H, 3)
    F(:,:,j) = T(:,:,j) * H(:,:,j) * T(:,:,j);
  end
  F = (F + conj (permute (F, [2, 1, 3]))) / 2;
  e = batcheig (F, "device", place);
  assert (all (isfinite (e(:))));
end

% Time evolution: exp (-i H t) of 300 Hamiltonians of 32 levels at 20 times.
function evolution (place)
  n = 32;
  H = random_pages (n, 300, "z");
  [V, e] = batcheig (H, "vector", "device", place);
  psi = zeros (n, 1);
  psi(1) = 1;
  survival = zeros (300, 20);
  for p = 1:300
    c = V(:,:,p)' * psi;
    survival(p,:) = abs (c' * (exp (-1i * e(:,1,p) * (1:20)) .* c)) .^ 2;
  end
  assert (all (survival(:) <= 1 + 1e-9));
end

% L-curve: one decomposition of (A, L) gives norms of solutions and residuals for 50 weights.
function lcurve (place)
  n = 120;
  x = linspace (0, 1, n)';
  A = exp (-(x - x') .^ 2 / 0.02) / n;
  L = [diff(eye (n)); [zeros(1, n-1), 1]];
  b = A * sin (3 * x) + 1e-4 * randn (n, 1);
  [U, V, X, C, S] = gsvd_hz (A, L, 0, "device", place);
  c = diag (C);
  s = diag (S);
  beta = U' * b;
  for w = logspace (-6, 1, 50)
    filter = c .^ 2 ./ (c .^ 2 + w^2 * s .^ 2);
    residual = norm ((1 - filter) .* beta);
    assert (isfinite (residual));
  end
end

%------------------------------------------------------------------------------
% the list
%------------------------------------------------------------------------------

% Kind, name, and a function that makes the function of the place.
function jobs = all_jobs ()
  jobs = {
    "call", "batcheig z 16x16 2000 pages", @() eig_call("z", 16, 2000);
    "call", "batcheig z 70x70 500 pages", @() eig_call("z", 70, 500);
    "call", "batcheig s 8x8 100 pages", @() eig_call("s", 8, 100);
    "call", "batcheig d 8x8 10000 pages", @() eig_call("d", 8, 10000);
    "call", "batcheig d 64x64", @() eig_call("d", 64, 1);
    "call", "batcheig z 200x200", @() eig_call("z", 200, 1);
    "call", "qr_block d 64x64 1000 pages", @() qr_call("d", 64, 64, 1000);
    "call", "qr_block z 33x20 2000 pages", @() qr_call("z", 33, 20, 2000);
    "call", "qr_block d 2048x1024", @() qr_call("d", 2048, 1024, 1);
    "call", "qr_block d 100000x128", @() qr_call("d", 100000, 128, 1);
    "call", "gsvd_hz d 16x16 5000 pages", @() gsvd_call("d", 16, 16, 16, 5000);
    "call", "spmv mesh of 1e6 rows", @() spmv_call(1000);
    "script", "1000 x batcheig z 4x4 50 pages", @() eig_call("z", 4, 50);
    "script", "1000 x batcheig d 32x32 20 pages", @() eig_call("d", 32, 20);
    "script", "1000 x qr_block d 40x10", @() qr_call("d", 40, 10, 1);
    "script", "1000 x batcheig z 64x64 10 pages", @() eig_call("z", 64, 10);
    "program", "MUSIC", @() @music;
    "program", "bands with overlap", @() @bands;
    "program", "exp(-iHt)", @() @evolution;
    "program", "L-curve", @() @lcurve;
    "call", "batcheig z 128x128 1000 pages", @() eig_call("z", 128, 1000);
    "call", "batcheig z 256x256 100 pages", @() eig_call("z", 256, 100);
    "call", "batcheig s 256x256 1000 pages", @() eig_call("s", 256, 1000);
    "call", "batcheig z 256x256 1000 pages", @() eig_call("z", 256, 1000);
    "call", "gsvd_hz z 64x64 500 pages", @() gsvd_call("z", 64, 64, 64, 500);
    "call", "eigs_lanczos Anderson of 1e4 rows", @() eigs_call(100)};
end

function seconds = time_of (f, place, times)
  tic;
  for k = 1:times
    f (place);
  end
  seconds = toc;
end

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "common"));
args = argv ();
jobs = all_jobs ();
rand ("twister", 1);
randn ("twister", 1);
switch (args{1})
  case "list"
    printf ("%s\t%s\n", jobs'(1:2,:){:});
  case "header"
    bench_header ();
  otherwise
    job = jobs(strcmp (jobs(:,2), args{1}),:);
    place = args{2};
    f = job{3} ();
    times = 1 + 999 * strcmp (job{1}, "script");
    batcheig (1, "device", "cpu");
    first = time_of (f, place, times);
    turns = min (5, floor (0.5 / first)) + strcmp (place, "gpu");
    later = Inf;
    for k = 1:turns
      later = min (later, time_of (f, place, times));
    end
    printf ("%g\t%g\n", first, later);
end

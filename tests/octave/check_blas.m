% check_blas.m: residuals of functions that call the BLAS, and the processor time of one of them, for blas.sh
% SPDX-License-Identifier: GPL-3.0-or-later

1;  % a script, although it begins with a function

% The residual in units of n eps of the norm; 10 is what such methods keep.
function check (name, residual, size_of, n)
  r = residual / (n * eps * size_of);
  printf ("  %-24s %.3g n eps\n", name, r);
  if (! (r <= 10))
    error ("check_blas: %s: residual %g n eps", name, r);
  end
end

function check_eig (name, A)
  [V, D] = batcheig (A);
  n = rows (A);
  worst = apart = 0;
  for k = 1:size (A, 3)
    worst = max (worst, norm (A(:,:,k) * V(:,:,k) - V(:,:,k) * D(:,:,k), "fro") / norm (A(:,:,k), "fro"));
    apart = max (apart, norm (V(:,:,k)' * V(:,:,k) - eye (n)));
  end
  check (name, worst, 1, n);
  check ([name ", V"], apart, 1, n);
end

randn ("seed", 1);
maps = fileread ("/proc/self/maps");
printf ("loaded %s\n", regexp (maps, '/\S*/libblas\.so\S*', "match", "once"));

A = randn (8, 8, 100) + 1i * randn (8, 8, 100);
check_eig ("batcheig 8 complex", A + permute (conj (A), [2, 1, 3]));
A = randn (300, 300, 8);
A += permute (A, [2, 1, 3]);
check_eig ("batcheig 300 real", A);

B = randn (300, 200);
[U, S, V] = batchsvd (B, "econ");
check ("batchsvd 300 x 200", norm (B - U * S * V', "fro"), norm (B, "fro"), 300);
check ("batchsvd, U and V", norm (U' * U - eye (200)) + norm (V' * V - eye (200)), 1, 300);
[Q, R, P] = qr_block (B);
check ("qr_block, pivoting", norm (B * P - Q * R, "fro"), norm (B, "fro"), 300);
check ("qr_block, Q", norm (Q' * Q - eye (300)), 1, 300);

C = randn (200, 150);
D = randn (180, 150);
[U, V, X, S1, S2] = gsvd_hz (C, D);
check ("gsvd_hz, A", norm (C - U * S1 * X', "fro"), norm (C, "fro"), 200);
check ("gsvd_hz, B", norm (D - V * S2 * X', "fro"), norm (D, "fro"), 200);

M = randn (200, 200);
b = randn (200, 3);
x = pagemldivide (M, b);
check ("pagemldivide", norm (M * x - b, "fro"), norm (M, "fro") * norm (x, "fro"), 200);
[V, E] = pageeig (M);
check ("pageeig", norm (M * V - V * E, "fro"), norm (M, "fro") * norm (V), 200);
Y = pageinv (M);
check ("pageinv", norm (M * Y - eye (200), "fro"), norm (M, "fro") * norm (Y, "fro"), 200);

least = Inf;
for k = 1:7
  begun = cputime ();
  [V, E] = batcheig (A);
  least = min (least, cputime () - begun);
end
printf ("processor %g\n", least);

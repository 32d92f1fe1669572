% examples/register_clouds.m: find the rotations between thousands of pairs of point clouds
% SPDX-License-Identifier: GPL-3.0-or-later
%
% 20 000 clouds of 40 points each are turned, moved and disturbed by noise. The rotation that brings
% a cloud nearest to its partner comes from the singular value decomposition of a 3 x 3 matrix (Kabsch
% 1976): with H = U*S*V' of the sums of outer products, R = U*diag ([1, 1, d])*V', where d = det (U*V')
% is -1 if U*V' would reflect. Half of the clouds are almost flat, so that noise alone decides on
% which side a point lies, and many would come out as reflections. One call of batchsvd decomposes all
% matrices. From a shell: octave-cli examples/register_clouds.m. It writes register_clouds.png.

1;  % a script, although it begins with functions

function d = determinants (A)
  d = A(1,1,:) .* (A(2,2,:) .* A(3,3,:) - A(2,3,:) .* A(3,2,:)) ...
      - A(1,2,:) .* (A(2,1,:) .* A(3,3,:) - A(2,3,:) .* A(3,1,:)) ...
      + A(1,3,:) .* (A(2,1,:) .* A(3,2,:) - A(2,2,:) .* A(3,1,:));
end

% Rotations from random unit quaternions.
function R = random_rotations (count)
  q = randn (4, count);
  q ./= sqrt (sumsq (q, 1));
  [a, b, c, d] = deal (reshape (q(1,:), 1, 1, []), reshape (q(2,:), 1, 1, []), ...
                       reshape (q(3,:), 1, 1, []), reshape (q(4,:), 1, 1, []));
  R = [1 - 2 * (c.^2 + d.^2), 2 * (b.*c - a.*d), 2 * (b.*d + a.*c); ...
       2 * (b.*c + a.*d), 1 - 2 * (b.^2 + d.^2), 2 * (c.*d - a.*b); ...
       2 * (b.*d - a.*c), 2 * (c.*d + a.*b), 1 - 2 * (b.^2 + c.^2)];
end

% Angles between rotations, in degrees.
function angle = between (R, Q)
  angle = 2 * asind (min (1, sqrt (sum (sum ((R - Q) .^ 2, 1), 2) / 8)));
end

%------------------------------------------------------------------------------
% clouds and their partners
%------------------------------------------------------------------------------

addpath (fileparts (mfilename ("fullpath")));
if (! exist ("batchsvd"))
  pkg load gpulinalg
end
rand ("state", 1);
randn ("state", 1);
P = 20000;
points = 40;
noise = 0.05;
X = randn (3, points, P);
X(3,:,1:2:end) *= 0.01;                 % flat clouds
truth = random_rotations (P);
Y = pagemtimes (truth, X) + randn (3, 1, P) + noise * randn (3, points, P);

%------------------------------------------------------------------------------
% all rotations at once
%------------------------------------------------------------------------------

info = gpulinalg_info ();
printf ("gpulinalg %s, %s; %d pairs of clouds, %d points each\n", info.version, info.backend, P, points);
batchsvd (eye (2));  % not timed: starts the device
tic;
x = X - mean (X, 2);
y = Y - mean (Y, 2);
H = pagemtimes (y, "none", x, "transpose");
seconds(1) = toc;
tic;
[U, S, V] = batchsvd (H, "vector");
seconds(2) = toc;
tic;
mirrored = pagemtimes (U, "none", V, "transpose");
d = sign (determinants (mirrored));
U(:,3,:) = U(:,3,:) .* d;
R = pagemtimes (U, "none", V, "transpose");
seconds(3) = toc;
printf ("outer products %.3f s, batchsvd %.3f s, rotations %.3f s; together %.3f s\n", seconds, sum (seconds));
angle = between (R, truth)(:);
printf ("%d of %d would have been reflections; angles of error: median %.2f, largest %.2f degrees\n", ...
        sum (d < 0), P, median (angle), max (angle));
if (! (all (abs (determinants (R)(:) - 1) < 1e-12) && sum (d < 0) > P / 20 && max (angle) < 10))
  error ("register_clouds: these are not the rotations");
end

% The same with a loop.
count = 2000;
Q = zeros (3, 3, count);
tic;
for p = 1:count
  a = X(:,:,p) - mean (X(:,:,p), 2);
  b = Y(:,:,p) - mean (Y(:,:,p), 2);
  [u, s, v] = svd (b * a');
  u(:,3) *= sign (det (u * v'));
  Q(:,:,p) = u * v';
end
loop = toc * P / count;
if (! (max (abs ((Q - R(:,:,1:count))(:))) < 1e-9))
  error ("register_clouds: the loop gives other rotations");
end
printf ("loop over svd: %.3f s (measured on %d pairs), %.1f times as long\n", loop, count, loop / sum (seconds));

%------------------------------------------------------------------------------
% the picture
%------------------------------------------------------------------------------

[fig, blue, red] = picture ();
if (isempty (fig))
  return;
end
back = pagemtimes (R, "transpose", y, "none");
flat = find (d(:).' < 0, 1);            % one whose nearest orthogonal matrix is a reflection
round_ = 2;
pages = [round_, round_, flat];
clouds = {y, back, back};
titles = {"a cloud (o) and its partner (+)", "the partner turned back", "a flat one, turned back"};
for k = 1:3
  subplot (2, 3, k);
  p = pages(k);
  plot (x(1,:,p), x(2,:,p), "o", "color", blue, "markersize", 3, ...
        clouds{k}(1,:,p), clouds{k}(2,:,p), "+", "color", red, "markersize", 3);
  axis ([-3, 3, -3, 3]);
  title (titles{k});
end
subplot (2, 3, 4:6);
errors = {angle(1:2:end), angle(2:2:end)};
centers = 0.05:0.1:2.5;
plot (centers, hist (errors{1}, centers), "color", red, "linewidth", 1.5, ...
      centers, hist (errors{2}, centers), "color", blue, "linewidth", 1.5);
legend ("flat clouds", "round clouds");
xlabel ("error of the rotation in degrees");
ylabel ("pairs");
picture (fig, "register_clouds.png", "900,600");

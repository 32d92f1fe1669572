% tests/octave/check_qr_pages.m: qr_block on many pages, of which some are badly conditioned
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [passed, failed] = check_qr_pages (device, shapes, types). 150 pages of each shape; about half of them,
% randomly placed, have a column that is 1, 6/7 or 8/7 times another one. LAPACK's ratios (qr_ratios) must be
% below 30, the errors of columns and of orthogonality at most 10 k eps. R must have the bits of a call without
% Q, and about twenty pages the bits that they have alone. Of a page of zeros Q is the identity, as LAPACK's is.

function [passed, failed] = check_qr_pages (device, shapes, types = "zdcs")
  passed = failed = 0;
  rand ("twister", 2);
  for shape = shapes.'
    for type = types
      A = rand ([shape.', 150]) - 0.5;
      if (any (type == "cz"))
        A += 1i * (rand (size (A)) - 0.5);
      endif
      for p = find (rand (1, 150) < 0.5)
        A(:,ceil (shape(2) / 2),p) = A(:,1,p) * (1 + (mod (p, 3) - 1) / 7);
      endfor
      if (any (type == "sc"))
        A = single (A);
      endif
      [Q, R] = qr_block (A, 0, "device", device);
      [lapack, strict] = qr_ratios (A, Q, R);
      ok = isequal (qr_block (A, 0, "device", device), R) && max (lapack(:)) < 30 && max (strict(:)) <= 10;
      for p = [1:10, 63:67, 127:130, 150]
        a = A(:,:,p);
        [q, r] = qr_block (a, 0, "device", device);
        ok = ok && isequal (q, Q(:,:,p)) && isequal (r, R(:,:,p));
      endfor
      passed += ok;
      failed += ! ok;
      if (! ok)
        printf ("FAILED %dx%d %s, 150 pages, %s: ratios %g %g\n", shape, type, device, max (lapack(:)), max (strict(:)));
      endif
      A(:,:,2) = 0;
      [Q, R] = qr_block (A(:,:,1:2), 0, "device", device);
      ok = isequal (Q(:,:,2), eye (shape.')) && ! any (R(:,:,2)(:));
      passed += ok;
      failed += ! ok;
      if (! ok)
        printf ("FAILED %dx%d %s, zeros, %s: Q is not the identity\n", shape, type, device);
      endif
    endfor
  endfor
endfunction

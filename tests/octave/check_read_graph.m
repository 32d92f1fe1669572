% tests/octave/check_read_graph.m: thousands of randomly corrupted files
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [passed, failed] = check_read_graph (count). Each file must be read or give an error of read_graph with one of
% its ids; none may hang or end Octave. A matrix that is read must be valid.

function [passed, failed] = check_read_graph (count = 4000)
  rand ("twister", 20);
  seeds = seed_texts ();
  name = tempname ();
  passed = failed = 0;
  known = {"gpulinalg:bad-file", "Octave:bad-alloc"};
  for c = 1:count
    text = mutated (seeds{1 + floor (numel (seeds) * rand ())}, seeds);
    write_file (name, text);
    ok = true;
    start = tic ();
    try
      [A, ids] = read_graph (name);
      ok = issparse (A) && isa (ids, "int64") && rows (A) == numel (ids) && nnz (A) <= numel (text) ...
           && all (find (A)(:) >= 1);
    catch err
      ok = any (strcmp (err.identifier, known)) && strncmp (err.message, "read_graph: ", 12);
      if (! ok)
        printf ("FAILED read_graph: [%s] %s\n", err.identifier, err.message);
      endif
    end_try_catch
    ok = ok && toc (start) < 20;
    passed += ok;
    failed += ! ok;
    if (! ok)
      printf ("FAILED read_graph: %s\n", disp (uint8 (text)));
    endif
  endfor
  unlink (name);
endfunction

function write_file (name, text)
  f = fopen (name, "w");
  fwrite (f, text);
  fclose (f);
endfunction

function seeds = seed_texts ()
  head = "%%MatrixMarket matrix coordinate ";
  seeds = {"# a graph\n3\t17\n17 4\n\n 4   17 \n% more\n-5 3 {'weight': 2}\n3 3\n", "1 2\r\n2 3\r3 1", ...
           [head, "real general\n% c\n3 4 3\n1 1 -1.5e1\n2 3 +.25\n3 4 7\n"], ...
           [head, "real symmetric\n3 3 3\n1 1 4\n2 1 -2\n3 2 5\n"], ...
           [head, "integer skew-symmetric\n4 4 2\n2 1 3\n4 3 -9\n"], ...
           [head, "complex hermitian\r\n2 2 2\r\n1 1 4 0\r\n2 1 1 -2\r\n"], ...
           [head, "pattern symmetric\n5 5 4\n1 1\n2 1\n3 2\n5 4\n"]};
endfunction

% Changes, inserts, removes or repeats some bytes, or replaces them by words from a list.
function text = mutated (text, seeds)
  words = {"9223372036854775807", "-9223372036854775808", "18446744073709551616", "1e999", "1e-999", "NaN", ...
           "Inf", "-", "+", "0", "0x10", "3.5", "%", "%%MatrixMarket", "symmetric", "complex", "\r", "\n", "\t", ...
           "\v", "\f", char(0), char(255), "\xef\xbb\xbf", "\x1f\x8b", " ", "2305843009213693952", "array"};
  for step = 1:1 + floor (4 * rand ())
    n = numel (text);
    at = floor ((n + 1) * rand ());
    span = min (n - at, floor (6 * rand ()));
    switch (floor (6 * rand ()))
      case 0
        piece = char (floor (256 * rand (1, span)));
      case 1
        piece = "";
      case 2
        piece = [text(at+1:at+span), text(at+1:at+span)];
      case 3
        piece = words{1 + floor (numel (words) * rand ())};
      case 4
        piece = char ("0" + floor (10 * rand (1, span)));
      otherwise
        other = seeds{1 + floor (numel (seeds) * rand ())};
        piece = other(1:floor (numel (other) * rand ()));
    endswitch
    text = [text(1:at), piece, text(at+span+1:end)];
  endfor
  text = without_large_sizes (text);
endfunction

% Numbers of 7 to 12 digits are cut to six digits, because such a large matrix takes seconds.
function text = without_large_sizes (text)
  digits = text >= "0" & text <= "9";
  edges = diff ([false, digits, false]);
  first = find (edges == 1);
  last = find (edges == -1) - 1;
  keep = true (size (text));
  for r = find (last - first >= 6 & last - first < 12)
    keep(first(r)+6:last(r)) = false;
  endfor
  text = text(keep);
endfunction

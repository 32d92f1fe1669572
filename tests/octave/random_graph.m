% tests/octave/random_graph.m: random calls of ba_graph and read_graph, see random_call
% SPDX-License-Identifier: GPL-3.0-or-later

function c = random_graph (c, topic)
  if (strcmp (topic, "ba_graph"))
    n = randi ([2, 400]);
    m = randi (min (n - 1, 12));
    c.args = {n, m, randi(1e9)}(1:randi ([2, 3]));
    c.wrong = {{1, 2}, {"seed", 1}};
    if (rand () < 0.1)
      c.args = {{1, 1}, {n, n}, {n, 0}, {n, 1.5}, {NaN, 1}, {n, 1, -1}, {-n, 1}, {n, m, Inf}, {[n, n], 1}}{randi (9)};
      c.refused = "must";
      c.wrong = {};
    endif
    c.note = disp (c.args);
    c.check = @check_grown;
  else
    c = draw_read (c);
  endif
endfunction

function texts = check_grown (c, out)
  A = out{1};
  [n, m] = c.args{1:2};
  texts = told (issparse (A) && isequal (size (A), [n, n]) && isequal (A, A') && ! any (diag (A)) && all (nonzeros (A) == 1) && ...
                nnz (A) == 2 * m * (n - m) && all (sum (A != 0, 1) > 0), "not the graph that it should be");
endfunction

% The file is written here, so that the call is repeatable; random_calls removes it at the end.
function c = draw_read (c)
  name = fullfile (tempdir (), sprintf ("random-graph-%d", getpid ()));
  directed = {{}, {"undirected"}, {"directed"}}{randi (3)};
  loops = {{}, {"loops"}, {"noloops"}}{randi (3)};
  c.nout = randi (2);
  if (rand () < 0.5)
    [text, wanted] = edge_list (directed, loops);
    c.args = [{name}, directed, loops];
  else
    [text, wanted] = matrix_market (loops);
    c.args = [{name}, loops];
  endif
  if (rand () < 0.3)
    k = randi (numel (text));
    text(k) = char (randi ([0, 255]));
    c.refused = "may";
    wanted = [];
  endif
  f = fopen (name, "w");
  fwrite (f, text);
  fclose (f);
  c.wrong = {{"upper"}, {1}, {"mpi", "cols"}};
  c.note = sprintf ("%d bytes", numel (text));
  c.check = @(c, out) check_read (c, out, wanted);
endfunction

function [text, wanted] = edge_list (directed, loops)
  n = randi (200);
  ids = cumsum (randi ([1, 1000], 50, 1)) - 9000;
  e = ids(randi (50, n, 2));
  gap = {" ", "\t", "  "}{randi (3)};
  ending = {"\n", "\r\n"}{randi (2)};
  lines = sprintf (["%d", gap, "%d", ending], e.');
  text = [{"", ["# a graph" ending], ["% graph" ending ending]}{randi(3)}, lines];
  [known, ~, k] = unique (e(:));
  k = reshape (k, n, 2);
  A = sparse (k(:,1), k(:,2), 1, numel (known), numel (known)) != 0;
  if (! any (strcmp (directed, "directed")))
    A = A | A';
  endif
  if (! any (strcmp (loops, "loops")))
    A(1:numel (known)+1:end) = false;
  endif
  wanted = {double(A), int64(known)};
endfunction

function [text, wanted] = matrix_market (loops)
  [m, n] = deal (randi (40), randi (40));
  field = {"real", "integer", "complex", "pattern"}{randi (4)};
  shape = {"general", "symmetric", "skew-symmetric", "hermitian"}{randi (4)};
  if (strcmp (shape, "hermitian"))
    field = "complex";
  elseif (strcmp (shape, "skew-symmetric") && strcmp (field, "pattern"))
    field = "real";
  endif
  if (! strcmp (shape, "general"))
    n = m;
  endif
  A = sprandn (m, n, 0.2);
  [i, j, x] = find (A);
  if (! strcmp (shape, "general"))
    keep = i >= j + strcmp (shape, "skew-symmetric");
    [i, j, x] = deal (i(keep), j(keep), x(keep));
  endif
  switch (field)
    case "integer"
      x = round (10 * x);
    case "complex"
      x = complex (x, (randn (size (x)) .* ! (strcmp (shape, "hermitian") & i == j)));
    case "pattern"
      x(:) = 1;
  endswitch
  text = sprintf ("%%%%MatrixMarket matrix coordinate %s %s\n%d %d %d\n", field, shape, m, n, numel (i));
  numbers = [i(:), j(:), real(x(:)), imag(x(:))].';
  numbers = numbers(1:2 + ! strcmp (field, "pattern") + strcmp (field, "complex"),:);
  text = [text, sprintf([repmat("%.17g ", 1, rows (numbers)), "\n"], numbers)];
  A = sparse (i, j, x, m, n);
  L = A - sparse (1:min (m, n), 1:min (m, n), full (A)(1:m+1:m*min (m, n)), m, n);
  switch (shape)
    case "symmetric"
      A = A + L.';
    case "skew-symmetric"
      A = A - L.';
    case "hermitian"
      A = A + L';
  endswitch
  if (any (strcmp (loops, "noloops")))
    A = A - sparse (1:min (m, n), 1:min (m, n), full (A)(1:m+1:m*min (m, n)), m, n);
  endif
  wanted = {A, int64(1:m).'};
endfunction

function texts = check_read (c, out, wanted)
  texts = told (issparse (out{1}) && (c.nout == 1 || (isa (out{2}, "int64") && rows (out{1}) == numel (out{2}))), "no matrix with ids");
  if (! isempty (wanted))
    texts = [texts, told(isequal (out{1}, wanted{1}), "another matrix than in the file")];
    texts = [texts, told(c.nout == 1 || isequal (out{2}, wanted{2}), "other ids than in the file")];
  endif
endfunction

function texts = told (ok, text)
  texts = {text}(! ok);
endfunction

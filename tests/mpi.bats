#!/usr/bin/env bats
# mpi.bats: scripts that mpirun starts in several processes: results, errors, and processes that die
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Each test of an MPI runs for those that are installed (Open MPI, MPICH), with a plugin of its own.
# They are skipped where there is none: MPI is optional.

setup () {
  . "$BATS_TEST_DIRNAME/bats_folders.sh"
  TOP=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
  cd "$BATS_TEST_TMPDIR"
  [ "$(mpis)" != "" ] || skip "no MPI is installed (Debian: openmpi-bin libopenmpi-dev, or mpich libmpich-dev)"
  unset GPULINALG_MPI_TIMEOUT GPULINALG_NCCL
  export OMP_NUM_THREADS=1
  # Open MPI 4 and 5: as root, and with more ranks than processors
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
}

# The MPIs whose mpicc and mpirun are here; "default" where they have no suffix, as outside of Debian.
mpis () {
  found=
  for mpi in openmpi mpich; do
    if command -v mpicc.$mpi >/dev/null && command -v mpirun.$mpi >/dev/null \
      && plugin_of $mpi >/dev/null 2>&1; then
      found="$found $mpi"
    fi
  done
  if [ -z "$found" ] && command -v mpicc >/dev/null && command -v mpirun >/dev/null && plugin_of default >/dev/null 2>&1; then
    found=default
  fi
  echo $found
}

suffix_of () { [ "$1" = default ] || echo ".$1"; }

# plugin_of MPI [HEADERS]: builds the plugin once for all tests, or with other headers, and prints its path.
plugin_of () {
  plugin=${2:-$BATS_FILE_TMPDIR}/plugin-$1.oct
  [ -f "$plugin" ] || "mpicc$(suffix_of "$1")" -std=gnu11 -D_GNU_SOURCE -fPIC -shared -I"${2:-$TOP/src}" \
    "$TOP/mpi/transport_mpi.c" -o "$plugin" >&2 || return 1
  echo "$plugin"
}

octave_command () {
  echo octave-cli --no-init-file --no-history --quiet --path "$TOP/src" --path "$TOP/inst"
}

# ranks MPI N COMMAND...: starts it in N processes, ends it after 30 s, and sets status, output, seconds.
ranks () {
  mpi=$1 n=$2
  shift 2
  export GPULINALG_MPI_PLUGIN
  GPULINALG_MPI_PLUGIN=$(plugin_of $mpi)
  start=$(date +%s)
  run timeout -k 5 30 "mpirun$(suffix_of $mpi)" -n $n "$@"
  seconds=$(($(date +%s) - start))
  echo "$mpi on $n: status $status after $seconds s"
  echo "$output"
}

# script NAME: reads it from the input.
script () { cat >"$1.m"; }

# count PATTERN: how often the output has it; lines of several ranks may run into each other.
count () { grep -oE "$1" <<<"$output" | wc -l; }

# Whether all processes with this script in their command have gone.
no_orphan () {
  for _ in 1 2 3 4 5; do
    pgrep -f "$BATS_TEST_TMPDIR/$1.m" >/dev/null || return 0
    sleep 0.5
  done
  return 1
}

# failed_fast NAME: the job ended with an error, in time, and with all its processes.
failed_fast () {
  [ "$status" -ne 0 ]
  [ "$status" -ne 124 ]
  [ "$seconds" -le 10 ]
  no_orphan "$1"
}

# right_on_all NAME: each rank of the script says that it is right, on 1 to 4 ranks.
right_on_all () {
  for mpi in $(mpis); do
    sizes="1 4"
    [ "$mpi" != mpich ] || sizes="2 3"
    for n in $sizes; do
      ranks $mpi $n $(octave_command) "$BATS_TEST_TMPDIR/$1.m"
      [ "$status" -eq 0 ] || return 1
      [ "$(count 'is right')" -eq $n ] || return 1
    done
  done
}

@test "results on 1 to 4 ranks are those of one matrix" {
  script results <<'END'
    [rank, ranks, info] = gpulinalg_mpi ();
    randn ("seed", 1);
    A = randn (301, 12);
    B = randn (200, 12);
    b = randn (301, 2);
    part = @(m) (floor (m * rank / ranks) + 1) : floor (m * (rank + 1) / ranks);
    i = part (301);
    k = part (200);
    [Q, R] = qr_block (A(i,:), 0, "mpi", "rows");
    [Q1, R1] = qr_block (A, 0);
    assert (R, R1, 1e-12);
    assert (Q, Q1(i,:), 1e-12);
    assert (qr_block (A(i,:), b(i,:), "solve", "mpi", "rows"), A \ b, 1e-12);
    [C, R] = qr_block (A(i,:), b(i,:), "econ", "mpi", "rows");
    assert (R \ C, A \ b, 1e-12);
    [Q, R, P] = qr_block (A(i,:), "0", "mpi", "rows");
    assert (norm (Q * R - A(i,P)) < 1e-12);
    assert (all (diff (abs (diag (R))) <= 1e-12));
    [U, V, X, C, S, stats] = gsvd_hz (A(i,:), B(k,:), 0, "mpi", "rows");
    assert (norm (U * C * X' - A(i,:)) < 1e-12);
    assert (norm (V * S * X' - B(k,:)) < 1e-12);
    assert (stats.info, int32 (0));
    assert (gsvd_hz (A(i,:), B(k,:), "mpi", "rows"), gsvd_hz (A, B), 1e-12);
    [Z, lambda] = gevd_hz (A(i,:), B(k,:), "mpi", "rows");
    assert (lambda, gevd_hz (A, B), 1e-10);
    ## whole matrices on rank 0, of which one is complex, with pages
    A = randn (23, 4, 2, 2);
    B = randn (5, 4, 2, 2) + 1i;
    if (rank > 0)
      A = B = [];
    endif
    [U, V, X, C, S, stats] = gsvd_hz (A, B, 0, "mpi", "root");
    sigma = gsvd_hz (A, B, "mpi", "root");
    [Z, lambda] = gevd_hz (A, B, "mpi", "root");
    if (rank > 0)
      assert ({U, V, X, C, S, stats, sigma, Z, lambda}, cell (1, 9));
    else
      assert (size (U), [23, 4, 2, 2]);
      assert (size (V), [5, 4, 2, 2]);
      assert (size (Z), [4, 4, 2, 2]);
      for p = 1:4
        assert (norm (U(:,:,p) * C(:,:,p) * X(:,:,p)' - A(:,:,p)) < 1e-12);
        assert (norm (V(:,:,p) * S(:,:,p) * X(:,:,p)' - B(:,:,p)) < 1e-12);
      endfor
      assert (sigma, gsvd_hz (A, B), 1e-12);
      assert (lambda, gevd_hz (A, B), 1e-10);
    endif
    ## pages, single, one rank alone complex, no rows on rank 0
    A = single (randn (40, 3, 2));
    i = part (40);
    if (rank == ranks - 1)
      A(:,:,2) *= 1i;
      A(end) += 1;
    endif
    mine = A(i,:,:);
    mine = mine(1:end * (rank > 0 || ranks == 1),:,:);
    [Q, R] = qr_block (mine, 0, "MPI", "Rows");
    assert (class (Q), "single");
    assert (iscomplex (R));
    assert (size (Q), size (mine));
    for p = 1:2
      assert (norm (Q(:,:,p) * R(:,:,p) - mine(:,:,p)) < 1e-5);
    endfor
    assert ({info.device_data, info.nccl}, {"host", ""});
    puts (sprintf ("rank %d of %d is right\n", rank, ranks));
END
  right_on_all results
}

@test "sparse products and eigenvalues on 1 to 4 ranks are those of one matrix" {
  script sparse_rows <<'END'
    [rank, ranks] = gpulinalg_mpi ();
    n = 600;
    A = ba_graph (n, 3, 8);
    x = cos (1:n).';
    part = floor (n * rank / ranks) + 1 : floor (n * (rank + 1) / ranks);
    rows = A(part,:);
    assert (spmv (rows, x(part), "mpi", "rows"), (A * x)(part), 1e-12);
    y = spmv (double (rows), single ([x, x](part,:)), "MPI", "Rows", "device", "cpu");
    assert (class (y), "single");
    assert (y, single ((A * [x, x])(part,:)), 1e-5);
    ## one rank alone has complex vectors, or a complex matrix, or the other class
    z = x * (1 + 2i * (ranks == 1));
    z(end) += 1i;
    assert (spmv (rows, z(part), "mpi", "rows"), (A * z)(part), 1e-12);
    H = double (A);
    H(n,n-1) += 1i;
    H(n-1,n) -= 1i;
    assert (spmv (H(part,:), x(part), "mpi", "rows"), (H * x)(part), 1e-12);
    P = spmv_plan (rows, "mpi", "rows");
    assert (P * x(part), (A * x)(part), 1e-12);
    assert (spmv (P, [x, z](part,:)), (A * [x, z])(part,:), 1e-12);
    assert (P.matrix, rows);
    P = spmv_plan (rows, "mpi", "rows", "precision", "single");
    assert (class (P * x(part)), "single");
    ## eigenvalues and vectors
    for which = {"la", "sa", "be", "lm"}
      assert (abs (eigs_lanczos (rows, 4, which{1}, "mpi", "rows")), ...
              abs (eigs_lanczos (A, 4, which{1})), 1e-11);
    endfor
    [V, D, flag, stats] = eigs_lanczos (rows, 3, "la", struct ("mpi", "rows", "v0", x(part)));
    assert (flag, 0);
    assert (size (V), [numel(part), 3]);
    assert (norm (spmv (rows, V, "mpi", "rows") - V * D) < 1e-11);
    assert (stats.orthogonality < 1e-13);
    assert (stats.device, "cpu");
    assert (eigs_lanczos (H(part,:), 2, "sa", "mpi", "rows"), eigs_lanczos (H, 2, "sa"), 1e-12);
    assert (eigs_lanczos (rows, 2, "la", "method", "plain", "mpi", "rows"), diag (D)(1:2), 1e-11);
    d = eigs_lanczos (rows, 2, "la", "precision", "single", "mpi", "rows");
    assert (class (d), "single");
    assert (d, single (diag (D)(1:2)), 1e-4);
    ## a full matrix, so small that all of it comes to rank 0; no rows on rank 0
    B = hilb (7) + eye (7);
    part = (1:7)(1:7 * (rank == ranks - 1));
    [V, D] = eigs_lanczos (B(part,:), 2, "sa", "mpi", "rows");
    assert (diag (D), eig (B)(1:2), 1e-13);
    assert (size (V), [numel(part), 2]);
    if (rank == ranks - 1)
      assert (norm (B * V - V * D) < 1e-13);
    endif
    puts (sprintf ("rank %d of %d is right\n", rank, ranks));
END
  right_on_all sparse_rows
}

@test "one pair of rank 0 has the same bits on 1 to 4 ranks, which share its sweeps" {
  script shared <<'END'
    [rank, ranks, before] = gpulinalg_mpi ();
    function [A, B] = pair (m, n, p, rank)
      randn ("seed", m + n);
      A = randn (m, p);
      B = randn (n, p);
      if (rank > 0)
        A = B = [];
      endif
    endfunction
    for size = [200, 210, 198; 60, 71, 50]'
      [A, B] = pair (size(1), size(2), size(3), rank);
      for method = {"tangent", "hz"}
        o = {"method", method{1}, "device", "cpu"};
        if (size(3) < 100)
          A *= 1 + 2i;
          o = [o, {"block", 4, "ordering", "mm"}];
        endif
        all = cell (1, 5);
        [all{:}, stats] = gsvd_hz (A, B, 0, o{:}, "mpi", "root");
        sigma = gsvd_hz (A, B, o{:}, "mpi", "root");
        [Z, lambda] = gevd_hz (A, B, o{:}, "mpi", "root");
        if (rank > 0)
          assert ([all, {stats, sigma, Z, lambda}], cell (1, 9));
        else
          alone = cell (1, 5);
          [alone{:}, one] = gsvd_hz (A, B, 0, o{:});
          assert (isequal (all, alone));
          assert (stats.sweeps, one.sweeps);
          assert (stats.method, method{1});
          assert (isequal (sigma, gsvd_hz (A, B, o{:})));
          [Z1, lambda1] = gevd_hz (A, B, o{:});
          assert (isequal ({Z, lambda}, {Z1, lambda1}));
        endif
      endfor
    endfor
    [~, ~, after] = gpulinalg_mpi ();
    blocks = 4 * 198 * 198 * 8; # more than a rank gets as results alone
    assert (ranks == 1 || after.bytes_received - before.bytes_received > blocks * (1 + (rank > 0)));
    ## tall pairs are dealt out, and the sweeps of their triangles are shared
    [A, B] = pair (400, 300, 40, rank);
    [U, V, X, C, S] = gsvd_hz (A, B, 0, "block", 4, "mpi", "root");
    if (rank == 0)
      assert (norm (U * C * X' - A) < 1e-12 && norm (V * S * X' - B) < 1e-12);
    endif
    puts (sprintf ("rank %d of %d is right\n", rank, ranks));
END
  right_on_all shared
}

@test "results of a pair of rank 0 by columns, with the bits of one process, on 1 to 4 ranks" {
  script by_columns <<'END'
    [rank, ranks] = gpulinalg_mpi ();
    function [A, B] = pair (m, n, p, pages)
      randn ("seed", m + n);
      A = randn (m, p, pages);
      B = randn (n, p, pages);
    endfunction
    here = @(X) X(:,floor (columns (X) * rank / ranks) + 1 : floor (columns (X) * (rank + 1) / ranks),:);
    mine = @(A) {A, []}{1 + (rank > 0)};
    for size = [200, 210, 198, 1; 60, 71, 50, 1; 90, 30, 25, 1; 5, 4, 12, 1; 3, 6, 2, 1; 6, 5, 4, 3]'
      [A, B] = pair (num2cell (size){:});
      for t = 1:3 - 2 * (size(3) > 100)
        if (t == 2)
          A *= 1 + 2i;
        elseif (t == 3)
          B = single (B);
        endif
        o = {"method", {"tangent", "hz"}{1 + (t == 2)}, "device", "cpu"};
        if (size(3) < 100)
          o = [o, {"block", 4, "ordering", "mm"}];
        endif
        all = alone = cell (1, 5);
        [all{:}, stats] = gsvd_hz (mine (A), mine (B), 0, o{:}, "mpi", "columns");
        sigma = gsvd_hz (mine (A), mine (B), o{:}, "mpi", "columns");
        [alone{:}, one] = gsvd_hz (A, B, 0, o{:});
        assert (isequal (all, cellfun (here, alone, "UniformOutput", false)));
        assert (class (all{1}), class (alone{1}));
        assert (isequal (rmfield (stats, "seconds"), rmfield (one, "seconds")));
        assert (isequal (sigma, gsvd_hz (A, B, o{:})));
        parts = alone = cell (1, 4);
        [parts{:}] = gevd_hz (mine (A), mine (B), o{:}, "mpi", "columns");
        [alone{:}] = gevd_hz (A, B, o{:});
        assert (isequal (parts, {here(alone{1}), alone{2}, here(alone{3}), here(alone{4})}));
      endfor
    endfor
    try
      gsvd_hz (ones (2, 2), ones (2, 2), 0, "mpi", "columns");
      assert (ranks, 1);
    catch err
      assert (strfind (err.message, 'with "columns" A and B must be empty on all ranks but 0') > 0);
    end_try_catch
    puts (sprintf ("rank %d of %d is right\n", rank, ranks));
END
  right_on_all by_columns
}

@test "a rank that dies, is stopped or has other options in the sweeps of one pair ends all" {
  script differs <<'END'
    [rank, ranks] = gpulinalg_mpi ();
    A = B = [];
    if (rank == 0)
      A = randn (60);
      B = randn (60);
    endif
    try
      gsvd_hz (A, B, "block", 4 + (rank == 1), "mpi", "root");
    catch err
      disp ([err.identifier, " ", err.message]);
    end_try_catch
    assert (isempty (gsvd_hz (A, B, "block", 4, "mpi", "root")), rank > 0);
END
  script dies <<'END'
    [rank, ranks] = gpulinalg_mpi ();
    A = B = [];
    if (rank == 0)
      A = randn (900);
      B = randn (900);
    elseif (rank == 1)
      system (sprintf ("(sleep 2; kill -%s %d) &", getenv ("DIES_BY"), getpid ()));
    endif
    while (true)
      gsvd_hz (A, B, "mpi", "root");
    endwhile
END
  for mpi in $(mpis); do
    ranks $mpi 3 $(octave_command) "$BATS_TEST_TMPDIR/differs.m"
    [ "$status" -eq 0 ]
    [ "$(count 'gpulinalg:mpi-mismatch gsvd_hz: the option "block" is not the same: 4 on rank 0, 5 on rank 1')" -eq 3 ]
    for signal in KILL INT; do
      export DIES_BY=$signal
      ranks $mpi 3 $(octave_command) "$BATS_TEST_TMPDIR/dies.m"
      failed_fast dies
    done
  done
}

@test "read_graph by parts gives the rows of the whole file, and its errors" {
  script parts <<'END'
    [rank, ranks] = gpulinalg_mpi ();
    global name = fullfile (pwd (), "parts.txt");
    function put (text)
      global name;
      if (gpulinalg_mpi () == 0)
        f = fopen (name, "w");
        fputs (f, text);
        fclose (f);
      endif
      qr_block (1, 0, "mpi", "rows"); # all ranks wait until the file is there
    endfunction
    function same (text, varargin)
      global name;
      put (text);
      [rank, ranks] = gpulinalg_mpi ();
      [A, ids] = read_graph (name, varargin{:});
      [mine, own] = read_graph (name, varargin{:}, "mpi", "rows");
      n = rows (A);
      part = floor (n * rank / ranks) + 1 : floor (n * (rank + 1) / ranks);
      assert (issparse (mine) && isequal (mine, A(part,:)), "%s", text);
      assert (iscomplex (mine), iscomplex (A) && any (imag (mine)(:)));
      assert (class (own), "int64");
      assert (isequal (own, ids(part,:)), "%s", text);
      qr_block (1, 0, "mpi", "rows");
    endfunction
    function wrong (text, varargin)
      global name;
      put (text);
      try
        read_graph (name, varargin{:});
        error ("no error of the whole file: %s", text);
      catch whole
      end_try_catch
      try
        read_graph (name, varargin{:}, "mpi", "rows");
        error ("no error of parts: %s", text);
      catch parts
      end_try_catch
      assert (parts.identifier, "gpulinalg:mpi-mismatch");
      assert (regexprep (parts.message, 'rank \d+: ', ''), whole.message);
    endfunction
    rand ("seed", 3);
    edges = floor (12 * rand (2, 40));
    list = sprintf ("%d %d\n", edges);
    for pad = 0:4:28
      same ([repmat("#", 1, pad), "\n", list]);
    endfor
    same (strrep (list, "\n", "\r\n"), "loops");
    same (strrep (list, "\n", "\r"), "directed");
    for pad = 1:4 # cuts between \r and \n
      same ([repmat("%", 1, pad), "\r\n", strrep(list, "\n", "\r\n")], "directed", "loops");
    endfor
    same ([list, "# the end\n\n\n  "], "undirected");
    same (["\xef\xbb\xbf", list(1:end-1)]);
    same ("");
    same ("\n# nothing\n");
    same ("7 7");
    same ("1 2\n");
    same ("-9223372036854775808 9223372036854775807\n0 1\n5 -9223372036854775807\n");
    same (["# ", repmat("x", 1, 70000), "\n", list]);
    banner = "%%%%MatrixMarket matrix coordinate %s\n%% a comment\n%d %d %d\n";
    values = sprintf ("%d %d %.17g\n", [edges + 1; randn(1, 40)]);
    same ([sprintf(banner, "real general", 12, 13, 40), values]);
    same ([sprintf(banner, "real general", 12, 12, 40), values], "noloops");
    same ([sprintf(banner, "pattern symmetric", 12, 12, 40), sprintf("%d %d\n", edges + 1)]);
    [i, j] = find (tril (ones (9), -1));
    low = [i, j]';
    n = columns (low);
    same ([sprintf(banner, "real symmetric", 9, 9, n), sprintf("%d %d %.17g\n", [low; randn(1, n)])]);
    same ([sprintf(banner, "integer skew-symmetric", 9, 9, n), sprintf("%d %d %d\r\n", [low; 1:n])]);
    same ([sprintf(banner, "complex hermitian", 9, 9, n), sprintf("%d %d %g %g\n", [low; randn(2, n)])]);
    same ([sprintf(banner, "real general", 0, 0, 0)]);
    same ([sprintf(banner, "real general", 3, 2, 1), "3 1 0.5"]);
    for line = [1, 23, 40]
      k = find (list == "\n")(line);
      wrong ([list(1:k), "3 x\n", list(k+1:end)]);
      wrong ([list(1:k), "5\n", list(k+1:end)]);
      k = find (values == "\n")(line);
      bad = [values(1:k), "3 99 1.5\n", values(k+1:end)];
      wrong ([sprintf(banner, "real general", 12, 13, 41), bad]);
      wrong ([sprintf(banner, "real general", 12, 13, line), values(1:end * (line < 40)), "1 1 2\n1 2 3\n"]);
    endfor
    wrong ([sprintf(banner, "real general", 12, 13, 50), values]);
    wrong ([sprintf(banner, "real symmetric", 9, 9, n + 2), sprintf("%d %d 1\n", low), "2 9 1\n1 3 4\n"]);
    wrong ([sprintf(banner, "real symmetric", 9, 9, n + 1), "3 5 1\n", sprintf("%d %d 1\n", low)]);
    wrong ([sprintf(banner, "real wrong", 12, 13, 40), values]);
    wrong ("# %MatrixMarket matrix\n1 2\n");
    wrong ([sprintf(banner, "real general", 12, 13, 40), values], "directed");
    wrong ("\x1f\x8b");
    wrong (list, "colour");
    put (list);
    function refused (text, varargin)
      try
        read_graph (varargin{:}, "mpi", "rows");
        error ("no error: %s", text);
      catch err
        assert (! isempty (strfind (err.message, text)), "%s", err.message);
      end_try_catch
    endfunction
    copy = sprintf ("%s/copy-%d.txt", pwd (), rank);
    f = fopen (copy, "w");
    fputs (f, [list, repmat("1 2\n", 1, rank == ranks - 1)]);
    fclose (f);
    if (ranks > 1)
      refused ("is not the same file on all ranks: ", copy);
      refused (sprintf ("rank %d: FILE must be a string, not of class double", ranks - 1), ...
               merge (rank == ranks - 1, {1}, {name}){1});
      refused (sprintf ("rank %d: /nowhere cannot be opened", ranks - 1), ...
               merge (rank == ranks - 1, "/nowhere", name));
    endif
    refused ("/dev/null cannot be read by parts: it is not a regular file", "/dev/null");
    refused ("cannot be read: it is a directory", pwd ());
    ## what it is for
    put (sprintf ("%d %d\n", floor (300 * rand (2, 2000))));
    mine = read_graph (name, "mpi", "rows");
    d = eigs_lanczos (mine, 3, "la", "mpi", "rows");
    assert (d, eigs_lanczos (read_graph (name), 3, "la"), 1e-10);
    puts (sprintf ("rank %d of %d is right\n", rank, ranks));
END
  right_on_all parts
}

@test "the example with a sparse matrix gives the same energies on 1 and 3 ranks" {
  for mpi in $(mpis); do
    ranks $mpi 3 $(octave_command) "$TOP/examples/trap_over_ranks.m"
    [ "$status" -eq 0 ]
    [[ "$output" == *"on 3 ranks"*"energies: 0.3690 0.6110"* ]]
  done
  run $(octave_command) "$TOP/examples/trap_over_ranks.m"
  echo "$output"
  [ "$status" -eq 0 ]
  [[ "$output" == *"on 1 ranks"*"energies: 0.3690 0.6110"* ]]
}

@test "the example that reads a graph by parts finds the same eigenvalue on 1 and 3 ranks" {
  for mpi in $(mpis); do
    ranks $mpi 3 $(octave_command) "$TOP/examples/graph_by_parts.m"
    [ "$status" -eq 0 ]
    [ "$(count '3: 666[67] nodes')" -eq 3 ]
    [[ "$output" == *"largest eigenvalue: 25.998962"* ]]
  done
  run $(octave_command) "$TOP/examples/graph_by_parts.m"
  echo "$output"
  [ "$status" -eq 0 ]
  [[ "$output" == *"rank 0 of 1: 20000 nodes"*"largest eigenvalue: 25.998962"* ]]
}

@test "the example gives the same response on 1 and 3 ranks" {
  for mpi in $(mpis); do
    ranks $mpi 3 $(octave_command) "$TOP/examples/rows_of_files.m"
    [ "$status" -eq 0 ]
    [[ "$output" == *"3 ranks"*"lambda = 25.1"* ]]
    break
  done
  run $(octave_command) "$TOP/examples/rows_of_files.m"
  echo "$output"
  [ "$status" -eq 0 ]
  [[ "$output" == *"1 ranks"*"lambda = 25.1"* ]]
}

@test "all ranks get the error of one rank, and may go on" {
  script caught <<'END'
    [rank, ranks] = gpulinalg_mpi ();
    function same (id, text, varargin)
      try
        outputs = cell (1, 2 - strncmp (func2str (varargin{1}), "spmv", 4));
        [outputs{:}] = varargin{1} (varargin{2:end});
        error ("no error where there must be \"%s\"", text);
      catch err
        assert (err.identifier, id);
        assert (! isempty (strfind (err.message, text)), "%s", err.message);
      end_try_catch
    endfunction
    odd = rank == 1;
    A = rand (9, 3);
    same ("gpulinalg:mpi-mismatch", "qr_block: rank 1: A must be a single or double array, not cell", ...
          @qr_block, merge (odd, {{1}}, {A}){1}, 0, "mpi", "rows");
    same ("gpulinalg:mpi-mismatch", "qr_block: rank 1: B must have the rows", ...
          @qr_block, A, ones (9 - odd, 1), 0, "mpi", "rows");
    same ("gpulinalg:mpi-mismatch", "rank 0: option \"mpi\" must be \"rows\", not \"columns\"", ...
          @qr_block, A, 0, "mpi", "columns");
    same ("gpulinalg:mpi-mismatch", "the economy form only; add 0 or \"econ\"", @qr_block, A, "mpi", "rows");
    same ("gpulinalg:mpi-mismatch", "cannot be combined with \"wy\"", @qr_block, A, "wy", "mpi", "rows");
    same ("gpulinalg:mpi-mismatch", "cannot be combined with \"progress\"", @gsvd_hz, A, A, 0, ...
          "progress", true, "mpi", "rows");
    same ("gpulinalg:mpi-mismatch", "the number of columns of A is not the same: 3 on rank 0, 2 on rank 1", ...
          @qr_block, A(:,1:3-odd), 0, "mpi", "rows");
    same ("gpulinalg:mpi-mismatch", "the option \"block\" is not the same: 1 on rank 0, 2 on rank 1", ...
          @qr_block, A, 0, "block", 1 + odd, "mpi", "rows");
    same ("gpulinalg:mpi-mismatch", "rank 1 has other options than rank 0", ...
          @gsvd_hz, A, A, 0, "method", merge (odd, "hz", "tangent"), "mpi", "rows");
    same ("gpulinalg:mpi-mismatch", "rank 1 has come to a generalized SVD, rank 0 to a QR", ...
          merge (odd, @gsvd_hz, @qr_block), A, merge (odd, A, 0), "mpi", "rows", "econ");
    same ("gpulinalg:mpi-mismatch", "rank 1: with \"root\" A and B must be empty on all ranks but 0", ...
          @gsvd_hz, A, A, 0, "mpi", "root");
    same ("gpulinalg:mpi-mismatch", "rank 1: gsvd_hz with \"mpi\": this is not done with a gpuArray; gather (G)", ...
          @gsvd_hz, merge (odd, {gpuArray(A)}, {A}){1}, A, 0, "mpi", "rows");
    S = speye (8)(4*rank+1:4*rank+4,:);
    x = ones (4, 1);
    P = spmv_plan (S, "mpi", "rows");
    same ("gpulinalg:mpi-mismatch", "spmv: rank 1: with \"mpi\" X cannot be a gpuArray; gather (X)", ...
          @spmv, S, merge (odd, {gpuArray(x)}, {x}){1}, "mpi", "rows");
    same ("gpulinalg:mpi-mismatch", "spmv: rank 1: with \"mpi\" X cannot be a gpuArray; gather (X)", ...
          @(p, x) deal (p * x, 0), P, merge (odd, {gpuArray(x)}, {x}){1});
    same ("gpulinalg:mpi-mismatch", "eigs_lanczos: rank 1: K must be an integer from 1 to 8, not 9", ...
          @eigs_lanczos, S, 2 + 7 * odd, "mpi", "rows");
    same ("gpulinalg:mpi-mismatch", "eigs_lanczos: rank 0: with \"mpi\" SIGMA must be \"lm\"", ...
          @eigs_lanczos, S, 2, 0.5, "mpi", "rows");
    same ("gpulinalg:mpi-mismatch", "rank 0: option \"mpi\" must be \"rows\", not \"root\"", ...
          @eigs_lanczos, S, 2, "la", "mpi", "root");
    same ("gpulinalg:mpi-mismatch", "\"mpi\" cannot be combined with \"progress\"", ...
          @eigs_lanczos, S, 2, "la", "progress", true, "mpi", "rows");
    same ("gpulinalg:mpi-mismatch", "with \"mpi\" all vectors are arrays of the host", ...
          @eigs_lanczos, S, 2, "la", "vectors", "gpuArray", "mpi", "rows");
    same ("gpulinalg:mpi-mismatch", "with \"mpi\" A must be a sparse or full matrix", ...
          @eigs_lanczos, @sin, 8, 2, "mpi", "rows");
    same ("gpulinalg:mpi-mismatch", "option \"v0\" must be a full column of 4 numbers, not 8x1 double", ...
          @eigs_lanczos, S, 2, "v0", ones (8, 1), "mpi", "rows");
    same ("gpulinalg:mpi-mismatch", "rank 1 has other options than rank 0", ...
          @eigs_lanczos, S, 2, "tol", 1e-3 * (1 + odd), "mpi", "rows");
    same ("gpulinalg:not-hermitian", "eigs_lanczos: A is not Hermitian", ...
          @eigs_lanczos, S + odd * sparse (1, 2, 1e-9, 4, 8), 2, "mpi", "rows");
    same ("gpulinalg:bad-value", "eigs_lanczos: A has NaN or Inf", ...
          @eigs_lanczos, S * merge (odd, NaN, 1), 2, "mpi", "rows");
    same ("gpulinalg:bad-value", "spmv: A has 8 rows on all ranks and 7 columns, it must be square", ...
          @spmv, S(:,1:7), x, "mpi", "rows");
    same ("gpulinalg:mpi-mismatch", "spmv: rank 1: with \"mpi\" X must have as many rows", ...
          @spmv, S, ones (4 + odd, 1), "mpi", "rows");
    same ("gpulinalg:mpi-mismatch", "the number of columns of x is not the same: 1 on rank 0, 2 on rank 1", ...
          @spmv, S, ones (4, 1 + odd), "mpi", "rows");
    same ("gpulinalg:mpi-mismatch", "spmv: rank 0: \"mpi\" cannot be combined with a transpose", ...
          @spmv, S, x, "transpose", "mpi", "rows");
    same ("gpulinalg:mpi-mismatch", "with a plan, \"mpi\" is an option of spmv_plan", ...
          @spmv, P, x, "mpi", "rows");
    same ("gpulinalg:mpi-mismatch", "spmv: rank 1: X must be a single or double array, not int8", ...
          @spmv, P, merge (odd, int8 (x), x));
    same ("gpulinalg:mpi-mismatch", "spmv: rank 1: argument 3: unknown option \"colour\"", ...
          @spmv, P, x, merge (odd, "colour", "device"), "cpu");
    same ("gpulinalg:mpi-mismatch", "spmv: rank 1: a plan made with \"mpi\" cannot be transposed", ...
          @spmv, merge (odd, {P'}, {P}){1}, x);
    same ("gpulinalg:mpi-mismatch", "spmv: rank 1: X must be a matrix", ...
          @(p, x) deal (p * x, 0), P, merge (odd, {ones(4, 1, 2)}, {x}){1});
    same ("gpulinalg:mpi-mismatch", "spmv_plan: rank 1: A must be a sparse matrix or a plan", ...
          @spmv_plan, merge (odd, 1, S), "mpi", "rows");
    same ("gpulinalg:mpi-mismatch", "rank 1 has come to the eigenvalues of a sparse matrix, rank 0 to a pro", ...
          merge (odd, @eigs_lanczos, @spmv), S, merge (odd, 2, x), "mpi", "rows");
    fail ("P' * x", "a plan made with \"mpi\" cannot be transposed or conjugated");
    fail ("eigs_lanczos (P, 2)", "of a plan made with \"mpi\" take P.matrix");
    assert (P * x, x);
    R = qr_block (A, 0, "mpi", "rows");
    assert (R' * R, ranks * A' * A, 10) # all ranks still work together
    puts (sprintf ("rank %d went on\n", rank));
END
  for mpi in $(mpis); do
    ranks $mpi 2 $(octave_command) "$BATS_TEST_TMPDIR/caught.m"
    [ "$status" -eq 0 ]
    [ "$(count 'went on')" -eq 2 ]
  done
}

@test "an error that no rank catches ends all with a status" {
  script uncaught <<'END'
    [rank, ranks] = gpulinalg_mpi ();
    A = rand (9, 3);
    if (rank == 2)
      A = "text";
    endif
    R = qr_block (A, 0, "mpi", "rows");
    disp ("not reached");
END
  script alone <<'END'
    [rank, ranks] = gpulinalg_mpi ();
    if (rank == 1)
      exit (7);
    endif
    R = qr_block (rand (9, 3), 0, "mpi", "rows");
    disp ("not reached");
END
  for mpi in $(mpis); do
    ranks $mpi 3 $(octave_command) "$BATS_TEST_TMPDIR/uncaught.m"
    failed_fast uncaught
    [[ "$output" == *"qr_block: rank 2: A must be a single or double array, not char"* ]]
    [[ "$output" != *"not reached"* ]]
    ranks $mpi 3 $(octave_command) "$BATS_TEST_TMPDIR/alone.m"
    failed_fast alone
    [ "$status" -eq 7 ]
    [[ "$output" == *"rank 1 ends with status 7"* ]]
    [[ "$output" != *"not reached"* ]]
  done
}

@test "a rank that ends its script while others call is an error there" {
  script early <<'END'
    [rank, ranks] = gpulinalg_mpi ();
    if (rank != 1)
      for k = 1:2
        try
          R = qr_block (rand (9, 3), 0, "mpi", "rows");
        catch err
          disp ([err.identifier, " ", err.message]);
        end_try_catch
      endfor
    endif
END
  for mpi in $(mpis); do
    ranks $mpi 3 $(octave_command) "$BATS_TEST_TMPDIR/early.m"
    [ "$status" -eq 0 ]
    [ "$(count 'gpulinalg:mpi-mismatch qr_block: rank 1 has come to the end of its program')" -eq 2 ]
    [ "$(count 'gpulinalg:mpi-failed qr_block: rank 1 has come to the end of its program')" -eq 2 ]
    no_orphan early
  done
}

@test "a killed rank, an interrupted one and one without memory end all" {
  script dies <<'END'
    [rank, ranks] = gpulinalg_mpi ();
    if (rank == 1)
      kill (getpid (), SIG ().(getenv ("DIES_BY")));
      pause (20);
    endif
    R = qr_block (rand (9, 3), 0, "mpi", "rows");
    disp ("not reached");
END
  script too_little <<'END'
    [rank, ranks] = gpulinalg_mpi ();
    R = qr_block (rand (9, 3), 0, "mpi", "rows");
    A = ones (50 + 2e6 * (rank == 1), 20);
    try
      [Q, R] = qr_block (A, 0, "mpi", "rows");
      disp ("not reached");
    catch err
      disp ([err.identifier, " ", err.message]);
    end_try_catch
    clear A
    rows = 50 + 4e5 * rank; # of rank 1 the basis needs 970 MB at least
    A = sparse (1:rows, (1:rows) + 50 * rank, 1:rows, rows, 4e5 + 100);
    try
      d = eigs_lanczos (A, 300, "la", "mpi", "rows");
      disp ("not reached");
    catch err
      disp ([err.identifier, " ", err.message]);
    end_try_catch
    assert (size (qr_block (rand (9, 3), 0, "mpi", "rows")), [3, 3]);
END
  cat >limited.sh <<'END'
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}
[ "$rank" != 1 ] || ulimit -v 1000000
exec "$@"
END
  for mpi in $(mpis); do
    signals=KILL
    [ "$(mpis)" = "openmpi mpich" ] && [ $mpi = openmpi ] || signals="KILL INT"
    for signal in $signals; do
      export DIES_BY=$signal
      ranks $mpi 3 $(octave_command) "$BATS_TEST_TMPDIR/dies.m"
      failed_fast dies
      [[ "$output" != *"not reached"* ]]
    done
    ranks $mpi 2 sh limited.sh $(octave_command) "$BATS_TEST_TMPDIR/too_little.m"
    [ "$seconds" -le 10 ]
    [ "$(count 'qr_block: out of memory: rank 1: too little memory')" -eq 2 ]
    [ "$(count 'eigs_lanczos: out of memory: rank 1: ')" -eq 2 ]
    no_orphan too_little
  done
}

@test "a rank that never comes is waited for as long as GPULINALG_MPI_TIMEOUT says" {
  script late <<'END'
    [rank, ranks] = gpulinalg_mpi ();
    if (rank == 1)
      pause (20);
    endif
    R = qr_block (rand (9, 3), 0, "mpi", "rows");
END
  export GPULINALG_MPI_TIMEOUT=1
  for mpi in $(mpis); do
    ranks $mpi 2 $(octave_command) "$BATS_TEST_TMPDIR/late.m"
    failed_fast late
    [[ "$output" == *"rank 0 has waited 1 seconds for rank 1"* ]]
  done
}

@test "the launcher of another MPI and another version of the plugin are errors in words" {
  script joins <<'END'
    [rank, ranks] = gpulinalg_mpi ();
    disp ("not reached");
END
  for mpi in $(mpis); do
    mkdir -p other-$mpi/ranks
    sed 's/GLA_TRANSPORT_VERSION = [0-9]*/GLA_TRANSPORT_VERSION = 99/' "$TOP/src/ranks/transport.h" \
      >other-$mpi/ranks/transport.h
    export GPULINALG_MPI_PLUGIN
    GPULINALG_MPI_PLUGIN=$(plugin_of $mpi "$PWD/other-$mpi")
    run $(octave_command) joins.m
    echo "$output"
    [ "$status" -ne 0 ]
    [[ "$output" == *"it has version 99 of the interface for plugins, the library has "* ]]
  done
  [ "$(mpis)" = "openmpi mpich" ] || skip "only one MPI is installed"
  GPULINALG_MPI_PLUGIN=$(plugin_of mpich)
  run timeout 30 mpirun.openmpi -n 2 $(octave_command) joins.m
  echo "$output"
  [ "$status" -ne 0 ]
  [[ "$output" == *"the launcher has started 2 processes (OMPI_COMM_WORLD_SIZE = 2), but MPICH"* ]]
  GPULINALG_MPI_PLUGIN=$(plugin_of openmpi)
  run timeout 30 mpirun.mpich -n 2 $(octave_command) joins.m
  echo "$output"
  [ "$status" -ne 0 ]
  [[ "$output" == *"the launcher has started 2 processes (PMI_SIZE = 2), but Open MPI"* ]]
  [[ "$output" != *"not reached"* ]]
}

@test "a GPU for each rank: results, places that differ, a rank that dies" {
  nvidia-smi -L >/dev/null 2>&1 || skip "there is no GPU"
  for mpi in $(mpis); do
    for n in 1 2 3; do
      ranks $mpi $n $(octave_command) "$TOP/tests/octave/check_rank_gpus.m"
      [ "$status" -eq 0 ]
      [ "$(count 'is right')" -eq $n ]
    done
    ranks $mpi 2 $(octave_command) "$TOP/tests/octave/check_rank_gpus.m" device
    [ "$status" -eq 0 ]
    # all functions where NCCL is asked for: with one GPU it is shared, and results are the same
    export GPULINALG_NCCL=yes
    ranks $mpi 2 $(octave_command) "$TOP/tests/octave/check_rank_gpus.m"
    [ "$status" -eq 0 ]
    unset GPULINALG_NCCL
    ranks $mpi 2 $(octave_command) "$TOP/tests/octave/check_rank_gpus.m" dies
    [ "$status" -ne 0 ]
    [ "$status" -ne 124 ]
    [[ "$output" != *"is right"* ]]
  done
}

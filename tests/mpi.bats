#!/usr/bin/env bats
# mpi.bats: scripts that mpirun starts in several processes: results, errors, and processes that die
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Each test of an MPI runs for those that are installed (Open MPI, MPICH), with a plugin of its own.
# They are skipped where there is none: MPI is optional.

setup () {
  TOP=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
  cd "$BATS_TEST_TMPDIR"
  [ "$(mpis)" != "" ] || skip "no MPI is installed (Debian: openmpi-bin libopenmpi-dev, or mpich libmpich-dev)"
  unset GPULINALG_MPI_TIMEOUT
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
  if [ -z "$found" ] && command -v mpicc >/dev/null && command -v mpirun >/dev/null; then
    found=default
  fi
  echo $found
}

suffix_of () { [ "$1" = default ] || echo ".$1"; }

# plugin_of MPI [HEADERS]: builds the plugin once for all tests, or with other headers, and prints its path.
plugin_of () {
  plugin=${2:-$BATS_FILE_TMPDIR}/plugin-$1.oct
  [ -f "$plugin" ] || "mpicc$(suffix_of "$1")" -std=gnu11 -D_GNU_SOURCE -fPIC -shared -I"${2:-$TOP/src}" \
    "$TOP/mpi/transport_mpi.c" -o "$plugin" >&2
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
    printf ("rank %d of %d is right\n", rank, ranks);
END
  for mpi in $(mpis); do
    sizes="1 4"
    [ "$mpi" != mpich ] || sizes="2 3"
    for n in $sizes; do
      ranks $mpi $n $(octave_command) "$BATS_TEST_TMPDIR/results.m"
      [ "$status" -eq 0 ]
      [ "$(count 'is right')" -eq $n ]
    done
  done
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
        [a, b] = varargin{1} (varargin{2:end});
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
    R = qr_block (A, 0, "mpi", "rows");
    assert (R' * R, ranks * A' * A, 10) # all ranks still work together
    printf ("rank %d went on\n", rank);
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
    sed 's/GLA_TRANSPORT_VERSION = 1/GLA_TRANSPORT_VERSION = 2/' "$TOP/src/ranks/transport.h" \
      >other-$mpi/ranks/transport.h
    export GPULINALG_MPI_PLUGIN
    GPULINALG_MPI_PLUGIN=$(plugin_of $mpi "$PWD/other-$mpi")
    run $(octave_command) joins.m
    echo "$output"
    [ "$status" -ne 0 ]
    [[ "$output" == *"it has version 2 of the interface for plugins, the library has 1"* ]]
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

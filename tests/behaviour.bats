#!/usr/bin/env bats
# behaviour.bats: bad input, memory, fork and examples in an Octave session
# SPDX-License-Identifier: GPL-3.0-or-later

setup () {
  . "$BATS_TEST_DIRNAME/bats_folders.sh"
  TOP=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
}

octave_run () {
  octave-cli --no-init-file --no-history --path "$TOP/src" --path "$TOP/inst" "$@"
}

# Whether all of some functions end with an error that has this id and a message.
all_refuse="
    function good = all_refuse (functions, outputs, id, varargin)
      good = true;
      for f = functions
        try
          out = cell (1, outputs);
          [out{:}] = f{1} (varargin{:});
          printf ('accepted, expected %s\n', id);
          good = false;
        catch err
          if (! (strcmp (err.identifier, id) && numel (err.message) > 10))
            good = false;
            printf ('%s: %s, expected %s\n', err.identifier, err.message, id);
          end
        end
      end
    end"

@test "every bad input gives an error with an id, and Octave goes on" {
  run octave_run --eval "$all_refuse
    A = eye (3); ok = true;
    refused = @(varargin) all_refuse ({@batcheig}, 1, varargin{:});
    ok &= refused ('Octave:invalid-fun-call');
    ok &= refused ('gpulinalg:bad-class', true (3));
    ok &= refused ('gpulinalg:bad-class', int32 (A));
    ok &= refused ('gpulinalg:bad-class', 'abc');
    ok &= refused ('gpulinalg:bad-class', {A});
    ok &= refused ('gpulinalg:bad-class', struct ());
    ok &= refused ('gpulinalg:bad-class', sparse (A));
    ok &= refused ('gpulinalg:bad-class', @sin);
    ok &= refused ('gpulinalg:bad-shape', ones (2, 3));
    ok &= refused ('gpulinalg:not-hermitian', magic (3));
    ok &= refused ('gpulinalg:not-hermitian', cat (3, A, [1 2 3; 4 5 6; 7 8 9]));
    ok &= refused ('gpulinalg:bad-option', A, 'colour');
    ok &= refused ('gpulinalg:bad-value', A, 'tol', -1);
    ok &= refused ('gpulinalg:bad-value', A, 'tol', 'x');
    ok &= refused ('gpulinalg:bad-value', A, 'maxit', 0);
    ok &= refused ('gpulinalg:bad-value', A, 'maxit', 1.5);
    ok &= refused ('gpulinalg:bad-value', A, 'method', 'lu');
    ok &= refused ('gpulinalg:bad-value', A, 'device', 'moon');
    ok &= refused ('gpulinalg:no-device', A, 'device', 77);
    try, batcheig (cat (3, A, [1 2 3; 4 5 6; 7 8 9])); catch err, disp (err.message); end
    assert (batcheig (A), ones (3, 1));
    if (ok) disp ('all refused'); end"
  echo "$output"
  [ "$status" -eq 0 ]
  [[ "$output" == *"all refused"* ]]
  [[ "$output" == *"page 2"* ]]
}

@test "qr_block: every bad input gives an error with an id, and Octave goes on" {
  run octave_run --eval "$all_refuse
    A = [3, 1; 4, 2; 0, 5]; ok = true;
    refused = @(varargin) all_refuse ({@qr_block}, 3, varargin{:});
    ok &= refused ('Octave:invalid-fun-call');
    ok &= refused ('gpulinalg:bad-class', A > 1);
    ok &= refused ('gpulinalg:bad-class', int8 (A));
    ok &= refused ('gpulinalg:bad-class', sparse (A));
    ok &= refused ('gpulinalg:bad-class', {A});
    ok &= refused ('gpulinalg:bad-class', A, {1});
    ok &= refused ('gpulinalg:bad-shape', A, [1; 2]);
    ok &= refused ('gpulinalg:bad-shape', A, ones (3, 1, 2));
    ok &= refused ('gpulinalg:bad-value', A, A, 1);
    ok &= refused ('gpulinalg:bad-option', A, 'colour');
    ok &= refused ('gpulinalg:bad-option', A, A, 'wy');
    ok &= refused ('gpulinalg:bad-option', A, 'block');
    ok &= refused ('gpulinalg:bad-value', A, 'block', 0.5);
    ok &= refused ('gpulinalg:bad-value', A, 'device', 'moon');
    ok &= refused ('gpulinalg:bad-value', A, 'progress', 'yes');
    ok &= refused ('gpulinalg:no-device', A, 'device', 77);
    ok &= refused ('Octave:bad-alloc', ones (2e7, 1));
    [Q, R] = qr_block (A, 0);
    assert (Q * R, A, 1e-14);
    if (ok) disp ('all refused'); end"
  echo "$output"
  [ "$status" -eq 0 ]
  [[ "$output" == *"all refused"* ]]
}

@test "qr_block: an unknown option lists the known ones, the meter shows, help is there" {
  run octave_run --eval "
    try, qr_block (1, 'Colour'); catch err, disp (err.message); end
    qr_block (rand (5, 3, 40), 'progress', true); help qr_block"
  echo "$output"
  [ "$status" -eq 0 ]
  [[ "$output" == *'valid options are "econ", "0", "vector", "matrix", "wy", "block", "device", "progress" or "mpi"'* ]]
  [[ "$output" == *"qr_block: 40 of 40 pages, 100 %"* ]]
  [[ "$output" == *"[C, R] = qr_block (A, B)"* ]]
}

@test "gsvd_hz, gevd_hz: every bad input gives an error with an id, and Octave goes on" {
  run octave_run --eval "$all_refuse
    A = [3, 1; 4, 2; 0, 5]; B = [1, 2; 3, 5]; ok = true;
    refused = @(varargin) all_refuse ({@gsvd_hz, @gevd_hz}, 2, varargin{:});
    ok &= refused ('Octave:invalid-fun-call');
    ok &= refused ('Octave:invalid-fun-call', A);
    ok &= refused ('gpulinalg:bad-class', A > 1, B);
    ok &= refused ('gpulinalg:bad-class', A, int8 (B));
    ok &= refused ('gpulinalg:bad-class', sparse (A), B);
    ok &= refused ('gpulinalg:bad-class', A, {1});
    ok &= refused ('gpulinalg:bad-shape', A, [1, 2, 3]);
    ok &= refused ('gpulinalg:bad-shape', cat (3, A, A, A), cat (3, B, B));
    ok &= refused ('gpulinalg:bad-option', A, B, 'colour');
    ok &= refused ('gpulinalg:bad-option', A, B, 'block');
    ok &= refused ('gpulinalg:bad-value', A, B, 'block', 0.5);
    ok &= refused ('gpulinalg:bad-value', A, B, 'method', 'qr');
    ok &= refused ('gpulinalg:bad-value', A, B, 'blocking', 'xx');
    ok &= refused ('gpulinalg:bad-value', A, B, 'ordering', 7);
    ok &= refused ('gpulinalg:bad-value', A, B, 'device', 'moon');
    ok &= refused ('gpulinalg:bad-value', A, B, 'progress', 'yes');
    ok &= refused ('gpulinalg:no-device', A, B, 'device', 77);
    [U, V, X, C, S] = gsvd_hz (A, B, 0);
    assert (U * C * X', A, 1e-13);
    assert (V * S * X', B, 1e-13);
    if (ok) disp ('all refused'); end"
  echo "$output"
  [ "$status" -eq 0 ]
  [[ "$output" == *"all refused"* ]]
}

@test "gsvd_hz: an unknown option lists the known ones, the meter shows, help is there" {
  run octave_run --eval "
    try, gsvd_hz (1, 1, 'Colour'); catch err, disp (err.message); end
    gsvd_hz (rand (5, 3, 40), rand (4, 3, 40), 'progress', true); help gsvd_hz; help gevd_hz; help pageeig"
  echo "$output"
  [ "$status" -eq 0 ]
  [[ "$output" == *'valid options are "econ", "0", "method", "blocking", "ordering", "block", "device", "progress" or "mpi"'* ]]
  [[ "$output" == *"gsvd_hz: 40 of 40 pages, 100 %"* ]]
  [[ "$output" == *"[U, V, X, C, S] = gsvd_hz (A, B)"* ]]
  [[ "$output" == *"[Z, LAMBDA] = gevd_hz (A, B)"* ]]
  [[ "$output" == *"[V, D] = pageeig (X)"* ]]
}

@test "batcheig with four outputs is an error, and Octave goes on" {
  run octave_run --eval "
    try, [a, b, c, d] = batcheig (1); catch err, disp (err.identifier); end
    disp (batcheig (4))"
  [ "$status" -eq 0 ]
  [[ "$output" == *"Octave:invalid-fun-call"* || "$output" == *"Octave:undefined-function"* ]]
  [[ "$(echo "$output" | tail -n 1)" == *4 ]]
}

@test "results that do not fit in memory: an error of the function, and Octave goes on" {
  # the argument takes 1.15 GB of the 3 GB of address space, each result as much
  run bash -c "ulimit -v 3000000; $(declare -f octave_run); TOP='$TOP'
    OMP_NUM_THREADS=2 OPENBLAS_NUM_THREADS=2 octave_run --eval \"
      A = zeros (12000);
      for f = {@batcheig, @qr_block, @(varargin) gsvd_hz (A, varargin{:})}
        try, [a, b] = f{1} (A, 'device', 'cpu'); disp ('accepted'); catch err, printf ('%s %s\\n', err.identifier, err.message); end
      end
      disp (batcheig (4))\""
  echo "$output"
  [ "$status" -eq 0 ]
  for f in batcheig qr_block gsvd_hz; do
    [[ "$output" == *"Octave:bad-alloc $f: out of memory"* ]]
  done
  [[ "$(echo "$output" | tail -n 1)" == *4 ]]
}

@test "calls work in children of fork, and in parcellfun" {
  worker="
    function s = worker (k)
      rand ('seed', k); randn ('seed', k);
      A = rand (40, 40, 60); A = A + permute (A, [2 1 3]);
      B = randn (600, 500); L = spdiags ([9; rand(2e5 - 1, 1)], 0, 2e5, 2e5);
      [Q, R] = qr_block (B, 0, 'device', 'cpu');
      s = [sum(batcheig (A)(:)), sum(abs (R(:))), sum(gsvd_hz (B(1:250,1:240), B(251:500,1:240))), ...
           sum(spmv (L, ones (2e5, 1))), eigs_lanczos(L, 1, 'la')];
    end"
  run timeout 120 octave-cli --no-init-file --no-history --path "$TOP/src" --path "$TOP/inst" --eval "
    $worker
    function in_children (want) % a child writes a file if the results agree, and is killed
      for k = 1:3
        pid = fork ();
        if (pid == 0)
          got = worker (1);
          if (isequal (got, want)) fclose (fopen ('$BATS_TEST_TMPDIR/same', 'w')); end
          kill (getpid (), 9);
        end
        waitpid (pid);
        printf ('%d same\n', unlink ('$BATS_TEST_TMPDIR/same') == 0);
      end
    end
    in_children (worker (1));"
  echo "$output"
  [ "$status" -eq 0 ]
  [ "$(echo "$output" | grep -c '^1 same$')" -eq 3 ]

  octave-cli --no-init-file --no-history --eval "pkg load parallel" 2>/dev/null || skip "no parallel package"
  run timeout 120 octave-cli --no-init-file --no-history --path "$TOP/src" --path "$TOP/inst" --eval "
    pkg load parallel
    A = rand (40, 40, 60); A = A + permute (A, [2 1 3]); B = randn (600, 500);
    L = spdiags ([9; rand(2e5 - 1, 1)], 0, 2e5, 2e5); v = ones (2e5, 1);
    f = @(k) [sum(batcheig (A)(:)), sum(abs (qr_block (B)(:))), sum(spmv (L, v)), ...
              sum(gsvd_hz (B(1:250,1:240), B(251:500,1:240))), eigs_lanczos(L, 1, 'la')];
    want = f (1);
    if (! parcellfun (1, @(k) exist ('batcheig'), {1}, 'VerboseLevel', 0)) % Octave 6: its children run no PKG_ADD
      disp ('unknown in children');
      exit;
    end
    got = parcellfun (2, f, {1, 1, 1}, 'UniformOutput', false, 'VerboseLevel', 0);
    assert (isequal (got{:}, want));
    pages = rand (30, 30, 4); pages = pages + permute (pages, [2 1 3]);
    assert (pararrayfun (2, @(k) sum (batcheig (pages(:,:,k))), 1:4, 'VerboseLevel', 0), ...
            arrayfun (@(k) sum (batcheig (pages(:,:,k))), 1:4));
    disp ('same');"
  echo "$output"
  [ "$status" -eq 0 ]
  [ "$(echo "$output" | tail -n 1)" != "unknown in children" ] || skip "children of this parcellfun do not know functions of the path's PKG_ADD"
  [ "$(echo "$output" | tail -n 1)" = "same" ]
}

@test "with little address space qr_block is right or out of memory" {
  for limit in 400000 500000 600000 700000 800000 900000; do
    run bash -c "ulimit -v $limit; OMP_NUM_THREADS=4 timeout 60 octave-cli --no-init-file --no-history --path '$TOP/src' --path '$TOP/inst' --eval \"
      A = randn (600, 500);
      try
        [Q, R] = qr_block (A, 0);
        if (all (sum (abs (Q*R - A), 1) < 1e-10)) disp ('right'); end
      catch err
        disp ([err.identifier, regexp(err.message, 'failed to map segment', 'match'){:}]);
      end\""
    echo "$limit: $status $output"
    [ "$status" -ne 124 ] && [ "$status" -ne 137 ]
    # Octave itself needs about 300 MB to start, the package up to 150, and A*B another buffer of the BLAS
    [ "$status" -ne 0 ] || echo "$output" | grep -q -x -E 'right|Octave:bad-alloc|std::bad_alloc|failed to map segment'
  done
  echo "$output" | grep -q -x right
}

@test "eigs_lanczos with a shift works with little address space, whatever the number of threads" {
  # the package, with its kernels, comes on top
  limit=$((1700000 + $(cat "$TOP/src/"*gpulinalg*.oct | wc -c) / 1024))
  for threads in 1 4 16; do
    run bash -c "ulimit -v $limit; OMP_NUM_THREADS=$threads timeout 60 octave-cli --no-init-file --no-history --path '$TOP/src' --path '$TOP/inst' --eval \"
      A = gallery ('poisson', 30);
      d = eigs_lanczos (A, 4, 0.5);
      w = sort (eig (full (A)));
      [~, order] = sort (abs (w - 0.5));
      if (all (abs (d - sort (w(order(1:4)), 'descend')) < 1e-12)) disp ('right'); end\""
    echo "$threads: $status $output"
    [ "$output" = right ]
  done
}

@test "small calls on the CPU start no threads, large ones do" {
  OMP_NUM_THREADS=3 run octave_run --eval "
    threads = @() str2double (regexp (fileread ('/proc/self/status'), 'Threads:\s*(\d+)', 'tokens'){1}{1});
    A = rand (8, 8, 16); A = A + permute (A, [2 1 3]);
    before = threads ();
    [V, D] = batcheig (A, 'device', 'cpu'); L = batcheig (A, 'method', 'jacobi', 'device', 'cpu');
    [Q, R] = qr_block (A, 'device', 'cpu'); s = gsvd_hz (A(:,:,1), A(:,:,2), 'device', 'cpu');
    printf ('%d more\n', threads () - before);
    A = rand (40, 40, 500);
    [Q, R] = qr_block (A, 'device', 'cpu');
    printf ('%d more\n', threads () - before);"
  echo "$output"
  [ "$status" -eq 0 ]
  [ "$(echo "$output" | grep -c '^0 more$')" -eq 1 ]
  [ "$(echo "$output" | tail -n 1)" = "2 more" ]
}

@test "repeated calls of dense functions do not take more memory" {
  run octave_run --eval "
    function kb = resident ()
      kb = str2double (regexp (fileread ('/proc/self/status'), 'VmRSS:\s*(\d+)', 'tokens'){1}{1});
    end
    A = rand (8, 8, 1000); A = A + permute (A, [2 1 3]);
    B = rand (70, 70, 4); B = B + permute (B, [2 1 3]);
    C = A; C(1,2,5) = 9;
    function once (A, B, C)
      [V, D] = batcheig (A); L = batcheig (A, 'method', 'jacobi'); [V, D, i] = batcheig (B); [V, D] = batcheig (B, 'method', 'jacobi');
      try, batcheig (C); catch, end
      [Q, R, P] = qr_block (A); [W, Y, R] = qr_block (B, 'wy'); [c, R] = qr_block (B, B, 0);
      try, [Q, R] = qr_block (A, 'progress', @(varargin) error ('enough')); catch, end
      [U, V, X, c, s, stats] = gsvd_hz (A(:,:,1:20), C(:,:,2:21), 0); sigma = gsvd_hz (B(:,:,1), B(:,:,2), 'method', 'hz');
      try, gsvd_hz (A, C, 'progress', @(varargin) error ('enough')); catch, end
    end
    for k = 1:20, once (A, B, C); end
    before = resident ();
    for k = 1:200, once (A, B, C); end
    printf ('grew %d\n', resident () - before);"
  echo "$output"
  [ "$status" -eq 0 ]
  grew=$(echo "$output" | sed -n 's/^grew //p')
  [ "$grew" -lt 4096 ]
}

@test "one warning for pages that fail, none when info is taken" {
  run octave_run --eval "
    A = repmat (eye (4), [1 1 6]); A(2,2,3) = NaN; A(1,1,5) = Inf;
    lastwarn (''); L = batcheig (A); [msg, id] = lastwarn (); disp (id); disp (msg);
    lastwarn (''); [V, D, info] = batcheig (A); [msg, id] = lastwarn (); printf ('[%s] %s\n', id, mat2str (double (info')));
    disp (isequal (L(:,:,[1 2 4 6]), ones (4, 1, 4)) && all (isnan (L(:,1,3))))"
  echo "$output"
  [[ "$output" == *"gpulinalg:pages-failed"* ]]
  [[ "$output" == *"[] [0 0 5 0 5 0]"* ]]
  [[ "$(echo "$output" | tail -n 1)" == *1 ]]
}

@test "GPULINALG_DEVICE sets the place of all calls" {
  GPULINALG_DEVICE=CPU run octave_run --eval "disp (gpulinalg_device ()); pagemtimes (1, 2);"
  [ "$status" -eq 0 ]
  GPULINALG_DEVICE=tpu run octave_run --eval "batcheig (1)"
  [ "$status" -ne 0 ]
  [[ "$output" == *'the environment variable GPULINALG_DEVICE must be "auto", "cpu", "gpu" or numbers of GPUs, not "tpu"'* ]]
  GPULINALG_DEVICE=0,99 run octave_run --eval "batcheig (1)"
  [ "$status" -ne 0 ]
}

# Those that need no mpirun; can_draw and picture are parts of the others.
@test "the examples check themselves and draw pictures" {
  command -v gnuplot >/dev/null || skip "no gnuplot"
  cd "$BATS_TEST_TMPDIR"
  for file in "$TOP"/examples/*.m; do
    name=$(basename "$file" .m)
    case $name in can_draw | picture | graph_by_parts | rows_of_files | trap_over_ranks) continue ;; esac
    run octave_run --path "$TOP/examples" --eval "$name"
    echo "$name: $output"
    [ "$status" -eq 0 ]
    [ -s "$name.png" ]
    rm "$name.png"
  done
}

@test "the guide's formula for Tikhonov regularization is the one that gsvd_hz.tst tests" {
  lines=$(sed -n '/^\[U, V, X, C, S\] = gsvd_hz (A, L, 0);/,/^x = @/p' "$TOP/doc/user-guide.md")
  [ "$(echo "$lines" | wc -l)" -eq 4 ]
  echo "$lines" | tail -n 3 | while IFS= read -r line; do
    grep -qF "${line%%  *}" "$TOP/oct/pages/gsvd_hz.tst"
  done
}

# unshare hides FreeSans and all fonts that fontconfig finds from the examples.
@test "without fonts examples print their results and the missing package, and succeed" {
  command -v gnuplot >/dev/null || skip "no gnuplot"
  unshare -m mount -t tmpfs none /usr/share/fonts 2>/dev/null || skip "no rights to hide the fonts"
  cd "$BATS_TEST_TMPDIR"
  echo '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig></fontconfig>' >fonts.conf
  echo 'mount -t tmpfs none /usr/share/fonts; FONTCONFIG_FILE=$1; export FONTCONFIG_FILE; shift; "$@"' >hide.sh
  for what in "$TOP/examples/co2_fit.m" "$TOP/examples/tikhonov_deblur.m"; do
    run unshare -m sh hide.sh "$PWD/fonts.conf" octave-cli --no-init-file --no-history --path "$TOP/src" --path "$TOP/inst" "$what"
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"no picture:"*"fonts-freefont-otf"* ]]
  done
}

@test "the demos of all functions run" {
  command -v gnuplot >/dev/null || skip "no gnuplot"
  cat >"$BATS_TEST_TMPDIR/demos.m" <<'EOF'
1;
function run_demo (code)
  eval (code);
end
if (! can_draw ())
  exit (9);
end
set (0, "defaultfigurevisible", "off");
for f = [glob(fullfile (top, "oct", "*", "*.cc")); glob(fullfile (top, "inst", "*.m"))].'
  [code, at] = test (f{1}, "grabdemo");
  for k = 1:numel (at) - 1
    run_demo (code(at(k):at(k+1)-1));
    [~, name] = fileparts (f{1});
    printf ("ran: %s\n", name);
  end
end
EOF
  run octave_run --eval "top = '$TOP'; warning ('off', 'Octave:gnuplot-graphics'); graphics_toolkit gnuplot; addpath ('$TOP/examples'); source ('$BATS_TEST_TMPDIR/demos.m');"
  echo "$output"
  [ "$status" -ne 9 ] || skip "nothing to draw with"
  [ "$status" -eq 0 ]
  for name in ba_graph batcheig batchsvd eigs_lanczos gevd_hz gsvd_hz pageeig pagefunm pageinv pagemldivide pagemtimes pagenorm \
    qr_block read_graph spmv spmv_plan; do
    [[ "$output" == *"ran: $name"* ]]
  done
}

@test "eigs_lanczos with a shift, and spmv, give the same bits for any number of threads" {
  cat >"$BATS_TEST_TMPDIR/bits.m" <<'EOF'
m = 12;
T = spdiags (ones (m, 1) * [-1, 2, -1], -1:1, m, m);
I = speye (m);
A = kron (kron (T, I), I) + kron (kron (I, T), I) + kron (kron (I, I), T) + spdiags (cos (1:m^3).', 0, m^3, m^3);
H = A + 1i * (triu (A, 1) - tril (A, -1));
G = ba_graph (60000, 5);
bits = "";
for c = {A, 4, 30; A, "sa", 5; H, 3.9, 8; A, "sm", 6; full(A)(1:400,1:400), 4, 5}.'
  [V, D] = eigs_lanczos (c{1}, c{3}, c{2}, "device", "cpu");
  bits = [bits, hash("md5", [typecast([real(V(:)); imag(V(:))].', "char"), typecast(diag (D).', "char")])];
end
for y = {spmv(G, cos (1:60000).', "device", "cpu"), spmv(G, cos (1:60000).', "transpose", "device", "cpu")}
  bits = [bits, hash("md5", typecast(y{1}.', "char"))];
end
printf ("%s\n", bits);
EOF
  for threads in "1 1" "2 1" "1 2" "2 2" "5 3"; do
    OMP_NUM_THREADS=${threads% *} OPENBLAS_NUM_THREADS=${threads#* } octave_run "$BATS_TEST_TMPDIR/bits.m" >>"$BATS_TEST_TMPDIR/bits.txt"
  done
  cat "$BATS_TEST_TMPDIR/bits.txt"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/bits.txt")" -eq 5 ]
  [ "$(sort -u "$BATS_TEST_TMPDIR/bits.txt" | wc -l)" -eq 1 ]
}

@test "eigs_lanczos: an unknown option lists the known ones, the meter shows, help is there, plans end well" {
  run octave_run --eval "
    A = ba_graph (3000, 3);
    try, eigs_lanczos (A, 2, struct ('toll', 1)); catch err, disp (err.message); end
    d = eigs_lanczos (A, 2, 'la', 'progress', true);
    P = spmv_plan (A);
    try, eigs_lanczos (P, 2, 'progress', @(varargin) spmv (P, ones (3000, 1))); catch err, disp (err.identifier); end
    help eigs_lanczos; help spmv; help spmv_plan; help ba_graph; help read_graph"
  echo "$output"
  [ "$status" -eq 0 ]
  [[ "$output" == *'unknown option "toll"; valid options are "issym", '* ]]
  [[ "$output" == *"eigs_lanczos: 2 of 2 eigenvalues, 100 %"* ]]
  [[ "$output" == *"gpulinalg:busy"* ]]
  for f in "LAMBDA = eigs_lanczos (A, K, SIGMA)" "Y = spmv (A, X)" "P = spmv_plan (A)" "A = ba_graph (N, M, SEED)" "A = read_graph (FILE)"; do
    [[ "$output" == *"$f"* ]]
  done
}

@test "repeated calls of sparse functions do not take more memory" {
  run octave_run --eval "
    function kb = resident ()
      kb = str2double (regexp (fileread ('/proc/self/status'), 'VmRSS:\s*(\d+)', 'tokens'){1}{1});
    end
    A = ba_graph (2000, 3);
    function once (A)
      P = spmv_plan (A); y = spmv (P, ones (2000, 3)); y = spmv (A, ones (2000, 1), 'transpose');
      [V, D] = eigs_lanczos (P, 2, 'la'); d = eigs_lanczos (A, 2, 'la', 'method', 'plain');
      try, eigs_lanczos (@(x) error ('no'), 500, 2); catch, end
      try, spmv (A, 1); catch, end
    end
    for k = 1:10, once (A); end
    before = resident ();
    for k = 1:40, once (A); end
    printf ('grew %d\n', resident () - before);"
  echo "$output"
  [ "$status" -eq 0 ]
  grew=$(echo "$output" | sed -n 's/^grew //p')
  [ "$grew" -lt 4096 ]
}

@test "gpuArrays outlive clear all, rmpath, which puts Octave's functions back, and the end of Octave" {
  run octave_run --eval "
    G = gpuArray (1:3); c = {G}; s.x = G + 1; f = @() G .* 2;
    clear all
    G = gpuArray (1:3); H = f = @() G .* 2; g = G';
    rmpath ('$TOP/inst'); rmpath ('$TOP/src');
    disp (class (G)); disp (G + 1); addpath ('$TOP/src'); addpath ('$TOP/inst'); gpuDevice ();
    disp (gather (sum (G))); atexit ('last'); function last (), G = gpuArray (5); disp (G); end"
  echo "$output"
  [ "$status" -eq 0 ]
  [ "$(echo "$output" | tr -d ' ' | tr '\n' ' ')" = "gpuArray 234 6 5 " ]
}

@test "a second copy of the package in one session is an error for gpuArrays, not the end of Octave" {
  cp "$TOP/src/gpulinalg.oct" "$BATS_TEST_TMPDIR"
  run octave_run --eval "
    G = gpuArray (1:3);
    rmpath ('$TOP/src');
    autoload ('underlyingType', '$BATS_TEST_TMPDIR/gpulinalg.oct');
    try, underlyingType (1), catch err, disp (err.identifier), end
    disp (G + 1)"
  echo "$output"
  [ "$status" -eq 0 ]
  [ "$(echo "$output" | tr -d ' ' | tr '\n' ' ')" = "gpulinalg:two-copies 234 " ]
}

@test "10 000 mixed operations of gpuArrays with errors leave no memory behind" {
  run octave_run --eval "
    function y = memory ()
      text = fileread ('/proc/self/statm'); y = sscanf (text, '%*d %d')(1) * 4096;
    end
    function work (n)
      for k = 1:n
        x = gpuArray (ones (50, 40)); y = x + 1; z = x(1:end,1)'; w = sum (y) .* 2; q = [x; x]; q(3) = 7;
        try, x + gpuArray (ones (3, 2)); catch, end
        try, x(99, 99); catch, end
        c = {x, y}; c{1}(2) = 5; u = c{1}';
      end
    end
    work (100); before = memory (); work (1000); disp (memory () - before < 2e6)"
  echo "$output"
  [ "$status" -eq 0 ]
  [ "$output" = 1 ]
}

@test "after the first gpuArray a function whose m-file is missing is still an undefined one" {
  run octave_run --eval "
    gpuArray (1); warning ('off', 'all'); path ('');
    try, repmat (1, 2), catch err, puts (err.identifier), end"
  echo "$output"
  [[ "$output" == *"Octave:undefined-function"* ]]
}

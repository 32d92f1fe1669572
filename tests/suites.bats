#!/usr/bin/env bats
# suites.bats: suites fail if results are wrong or NaN, and the checks count failures
# SPDX-License-Identifier: GPL-3.0-or-later

setup () {
  . "$BATS_TEST_DIRNAME/bats_folders.sh"
  TOP=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
  cd "$BATS_TEST_TMPDIR"
}

# suite CALL: prints the counts of a call of a suite, with functions of this folder first in the path.
suite () {
  octave-cli --no-init-file --no-history --path "$TOP/tests/octave" --path . --eval "
    [p, f] = $1; printf ('%d passed, %d failed\n', p, f);" | tail -n 1
}

# fake_batcheig LINES: writes a batcheig that loops over eig; LINES then falsify D, or L without vectors.
fake_batcheig () {
  cat >batcheig.m <<END
function [V, D, info] = batcheig (A, varargin)
  [n, ~, P] = size (A);
  D = zeros (n, 1, P, class (A));
  V = zeros (n, n, P, class (A));
  for p = 1:P
    a = A(:,:,p);
    if (any (strcmp (varargin, "lower")))
      a(triu (true (n), 1)) = 0;
      a += tril (a, -1)';
    elseif (any (strcmp (varargin, "upper")))
      a(tril (true (n), -1)) = 0;
      a += triu (a, 1)';
    endif
    [v, d] = eig (a);
    V(:,:,p) = v;
    D(:,1,p) = diag (d);
  endfor
  info = zeros (P, 1, "int32");
  L = D;
  $1
  if (nargout < 2)
    V = L;
  endif
endfunction
END
}

@test "check_accuracy fails for one eigenvalue that is NaN or wrong" {
  fake_batcheig ""
  run suite 'check_accuracy ("cpu", [3, 8], {"qr"}, "d")'
  echo "$output"
  [[ "$output" =~ ^[1-9][0-9]*" passed, 0 failed"$ ]]
  for spoil in "if (P > 1) L(2,1,1) = NaN; endif" "L(2,1,end) += 1e-3;" "D(end,1,2) = NaN;" "V(1,2,3) = NaN;"; do
    fake_batcheig "$spoil"
    run suite 'check_accuracy ("cpu", [3, 8], {"qr"}, "d")'
    echo "$spoil $output"
    [[ "$output" != *" 0 failed" ]]
  done
}

# fake_batchsvd LINES: writes a batchsvd that loops over svd; LINES then falsify its results, s those without vectors.
fake_batchsvd () {
  cat >batchsvd.m <<END
function [U, S, V, info] = batchsvd (A, varargin)
  svd_driver ("gesvd");
  [m, n, P] = size (A);
  k = min (m, n);
  info = zeros (P, 1, "int32");
  S = zeros (k, 1, P, class (A));
  for p = 1:P
    if (! all (isfinite (A(:,:,p)(:))))
      U(:,:,p) = NaN (m, merge (any (strcmp (varargin, "econ")), k, m));
      V(:,:,p) = NaN (n, merge (any (strcmp (varargin, "econ")), k, n));
      S(:,1,p) = NaN;
      info(p) = k + 1;
      continue;
    endif
    if (any (strcmp (varargin, "econ")))
      [u, s, v] = svd (A(:,:,p), "econ");
    else
      [u, s, v] = svd (A(:,:,p));
    endif
    if (! any (A(:,:,p)(:)))
      u = eye (size (u));
      v = eye (size (v));
    endif
    for j = 1:k
      i = find (abs (v(:,j)) >= 0.999 * max (abs (v(:,j))), 1); # as batchsvd: rounding decides which is largest
      f = conj (v(i,j)) / abs (v(i,j));
      v(:,j) *= f;
      u(:,j) *= f;
    endfor
    U(:,:,p) = u;
    V(:,:,p) = v;
    S(:,1,p) = abs (s((0:k-1) * (rows (s) + 1) + 1));
  endfor
  s = S;
  $1
  if (nargout < 2)
    U = s;
  endif
endfunction
END
}

@test "check_svd fails for results that are NaN or wrong" {
  fake_batchsvd ""
  run suite 'check_svd ("cpu", [7, 5], "d")'
  echo "$output"
  # one-sided Jacobi keeps digits of small values that gesvd loses: only those checks, one for each method, may fail
  [[ "$output" =~ ^[1-9][0-9]*" passed, "[0-2]" failed"$ ]]
  least=${output##*passed, }
  for spoil in "s(2,1,1) = NaN;" "s(2,1,end) += 1;" "S(end,1,1) *= 1.1;" "V(1,2,1) = NaN;" "V(:,2,1) *= -1;" \
    "U(1,1,1) += 1e-12;" "U(:,:,2) = -U(:,:,2);"; do
    fake_batchsvd "$spoil"
    run suite 'check_svd ("cpu", [7, 5], "d")'
    echo "$spoil $output"
    [[ "$output" != *"passed, $least" ]]
  done
}

@test "norms and ratios are infinite where the last column is NaN" {
  octave-cli --no-init-file --no-history --path "$TOP/tests/octave" --eval '
    assert (one_norm ([1, NaN; 2, 3]), Inf);
    assert (one_norm ([1, -5; 2, 3]), 8);
    assert (one_norm (zeros (3, 0)), 0);
    A = [2, 1; 1, 3];
    [V, D] = eig (A);
    [residual, orthogonality] = eig_ratios (A, V, diag (D));
    assert (residual <= 30 && orthogonality <= 30);
    assert (eig_ratios (A, V, [D(1); NaN]), Inf);
    [V, D] = eig (A, diag ([1, 2]));
    [residual, orthogonality] = pencil_ratios (A, diag ([1, 2]), V, diag (D));
    assert (residual <= 30 && orthogonality <= 30);
    assert (pencil_ratios (A, diag ([1, 2]), V, [D(1); NaN]), Inf);
    assert (pencil_ratios (A, diag ([1, 2]), V, diag (D) + [0; 1e-12]) > 30);
    V(2,2) = NaN;
    [~, orthogonality] = pencil_ratios (A, diag ([1, 2]), V, diag (D));
    assert (orthogonality, Inf);
    [Q, R] = qr (A);
    assert (all (qr_ratios (A, Q, R)(:) <= 30));
    R(1,2) = NaN;
    lapack = qr_ratios (A, Q, R);
    assert (lapack([1, 3]), [Inf, Inf]);'
}

@test "worst is infinite where one entry is NaN" {
  octave-cli --no-init-file --no-history --path "$TOP/tests/octave" --eval '
    assert (worst ([1, NaN, 3]), Inf);
    assert (worst ([1, 2; 5, 4]), 5);
    assert (worst ([]), 0);
    assert (worst ([1, NaN; 2, 3], 2), [Inf; 3]);
    [~, at] = worst ([1; NaN; 3]);
    assert (at, 2);'
}

@test "jobs run in parallel; a job that fails, crashes or has no counts is a failure" {
  cat >jobs.sh <<END
work=$BATS_TEST_TMPDIR/work
mkdir "\$work"
. "$TOP/tests/jobs.sh"
limit=4
trap end_jobs EXIT
counts () { echo "x: \$1 passed, \$2 failed, \$3 skipped"; return \$4; }
step slow sleep 2
step slower sleep 2
step good true
step bad false
suite fine counts 10 0 2 0
suite faulty counts 20 3 0 1
suite "no counts" echo nothing
suite "counts, then dies" counts 5 0 0 139
await "faulty" && echo "faulty should not be fine"
await_all
table
echo "\$passed passed, \$failed failed, \$skipped skipped"
END
  run sh jobs.sh
  echo "$output"
  [ "$status" -eq 0 ]
  [ "$(echo "$output" | tail -n 1)" = "38 passed, 6 failed, 2 skipped" ]
  [ "$(echo "$output" | grep -c '^FAILED  ')" -eq 4 ]
  [ "$(echo "$output" | grep -c '^ok      ')" -eq 4 ]
  [[ "$output" == *" slower"* && "$output" != *"should not"* ]]
}

@test "a %! test that fails is counted once, although pkg test prints it several times" {
  mkdir functions
  printf '%%!assert (1)\n%%!assert (2)\n' >functions/good.m
  printf '%%!assert (1)\n%%!assert (false)\n%%!xtest assert (false)\n%%!testif ; false\n%%! assert (1)\n' >functions/bad.m
  octave-cli --no-init-file --no-history --eval "__run_test_suite__ ({'$PWD/functions'}, {}, '$PWD', '$PWD')" >out 2>&1
  cat out
  [ "$(grep -c FAIL out)" -gt 1 ]
  [ "$(sh "$TOP/tests/installed.sh" out counts)" = "3 passed, 1 failed, 2 skipped" ]
  echo nothing >out
  [ "$(sh "$TOP/tests/installed.sh" out counts)" = "0 passed, 1 failed, 0 skipped" ]
}

@test "rooms.sh notices an include that crosses a border" {
  mkdir -p kernels/common kernels/engine kernels/fun kernels/qr src/cpu/qr src/cpu/common src/common src/fun src/qr src/ranks \
    oct/common oct/pages oct/sparse oct/arrays oct/ranks
  for line in kernels/qr/a.cu:common/pages.cuh kernels/qr/a.cu:engine/engine.cuh kernels/qr/a.cu:row.h kernels/qr/a.cu:eig/job.h \
    kernels/qr/a.cu:threads/pool.h kernels/qr/a.cu:qr/qr_run.h src/cpu/qr/a.c:qr/qr_run.h src/array.c:auto/start.h \
    src/cpu/qr/a.c:cpu/common/carve.h src/cpu/engine.h:cpu/qr/qr.h oct/pages/a.cc:gpulinalg.h \
    oct/pages/a.cc:common/gla_octave.h oct/sparse/a.cc:arrays/gpu_value.h oct/pages/a.cc:common/shared_call.h oct/ranks/a.cc:pages/qr_block.h oct/ranks/a.cc:common/shared_call.h \
    oct/common/gla_octave.h:common/host_memory.h src/ranks/a.c:ranks/group.h src/common/a.c:threads/pool.h \
    src/qr/qr.c:batch/queue.h; do
    echo "#include \"${line#*:}\"" >>"${line%%:*}"
  done
  run sh "$TOP/tests/rooms.sh"
  echo "$output"
  [ "$status" -eq 0 ]
  for line in kernels/qr/b.cu:gsvd/gsvd_plan.cuh kernels/qr/b.cu:backend.h kernels/common/b.cuh:engine/engine.cuh \
    kernels/engine/b.cuh:qr/qr_plan.cuh kernels/qr/b.cu:context.h src/cpu/qr/b.c:cpu/gsvd/gsvd.h \
    src/cpu/qr/b.c:auto/choose.h src/cpu/common/b.h:qr/qr_run.h src/common/b.c:qr/qr_run.h src/common/b.c:context.h \
    oct/pages/b.cc:backend.h oct/pages/b.cc:threads/pool.h src/b.c:cpu/engine.h src/b.c:qr/qr_run.h src/qr/b.c:ranks/group.h src/qr/b.c:arrays/arrays_types.h src/qr/b.c:cpu/fun/fun.h \
    src/fun/b.c:cpu/fun/fun.h src/fun/b.c:cpu/isa.h kernels/fun/b.cu:eig/eig.cuh oct/b.cc:common/gla_octave.h oct/pages/b.cc:sparse/spmv.h \
    oct/sparse/b.cc:arrays/gpu_join.h oct/arrays/b.cc:pages/pages.h oct/common/b.cc:ranks/ranks.h oct/pages/b.cc:ranks/ranks.h oct/sparse/b.cc:ranks/ranks.h \
    oct/ranks/b.cc:arrays/gpu_value.h oct/common/b.cc:common/host_memory.h; do
    echo "#include \"${line#*:}\"" >"${line%%:*}"
    run sh "$TOP/tests/rooms.sh"
    echo "$output"
    [ "$status" -ne 0 ]
    [[ "$output" == *"${line%%:*}:1: ${line#*:}"* ]]
    rm "${line%%:*}"
  done
}

@test "rooms.sh notices calls of the system outside of system.h" {
  mkdir -p src/common src/auto kernels/qr oct/pages
  printf '#include <unistd.h>\n#if defined(__linux__)\n#endif\n' >src/common/system_posix.c
  echo '#include "common/system.h"' >oct/pages/a.cc
  run sh "$TOP/tests/rooms.sh"
  echo "$output"
  [ "$status" -eq 0 ]
  for line in '#include <unistd.h>' '#include <sys/mman.h>' '# include <dlfcn.h>' '#include <windows.h>' '#ifdef __linux__' \
    '#if defined(_WIN32)' '#elif defined __APPLE__' '  pthread_create (&t, NULL, work, NULL);' 'x = dlsym (y, "z");' \
    '  nanosleep (&nap, NULL);' 'p = aligned_alloc (64, n);'; do
    for file in src/auto/b.c kernels/qr/b.cu oct/pages/b.cc src/common/b.h; do
      echo "$line" >"$file"
      run sh "$TOP/tests/rooms.sh"
      echo "$output"
      [ "$status" -ne 0 ]
      [[ "$output" == *"$file:1:$line"* ]]
      rm "$file"
    done
  done
}

@test "sizes.sh notices a function of 81 lines and one of 9 parameters" {
  mkdir -p src oct kernels/qr tests
  cp "$TOP/tests/files.sh" tests/
  body() {
    printf 'namespace\n{\n// A comment.\n%s\n%s{\n' "$1" "$3"
    yes '  x++;' | head -n "$2"
    printf '%s}\n\n}\n' "$3"
  }
  body 'static void f (int x)' 77 '' >src/a.c
  body '  GLA_DEVICE void f (int x)' 77 '  ' >kernels/qr/a.cuh
  body 'class f' 200 '' >oct/a.cc
  run sh "$TOP/tests/sizes.sh"
  echo "$output"
  [ "$status" -eq 0 ]
  body '  GLA_DEVICE void f (int x)' 78 '  ' >kernels/qr/a.cuh
  run sh "$TOP/tests/sizes.sh"
  echo "$output"
  [ "$status" -ne 0 ]
  [[ "$output" == *"kernels/qr/a.cuh:4: 81 lines"* ]]
  rm kernels/qr/a.cuh
  for head in 'void gemm (int a, int b, int c, int d, int e, int f, int g, int h, int i)' \
    'void f (int (*a) (int, int), b<c, d> e, int f, int g, int h, int i, int j)'; do
    body "$head" 3 '' >src/a.c
    sh "$TOP/tests/sizes.sh"
  done
  for head in 'void f (int a, int b, int c, int d, int e, int f, int g, int h, int i)' \
    'static inline __attribute__ ((always_inline)) void f (int a, int b, int c, int d, int e, int f,
  int g, int h, int i)' \
    '__global__ void __launch_bounds__ (32 * (N + 1)) f (int a, int b, int c, int d, int e, int f,
  int g, int h, int i)'; do
    body "$head" 3 '' >src/a.c
    run sh "$TOP/tests/sizes.sh"
    echo "$output"
    [ "$status" -ne 0 ]
    [[ "$output" == *"src/a.c:4: f has 9 parameters"* ]]
  done
  echo 'int f (int a, int b, int c, int d, int e, int f, int g, int h, int i) { return a; }' >src/a.c
  run sh "$TOP/tests/sizes.sh"
  [[ "$output" == *"src/a.c:1: f has 9 parameters"* ]]
}

# Both calls are of one of the two versions alone.
@test "octave_headers.sh notices what Octave 6 or Octave 11 does not have" {
  command -v xz >/dev/null || skip "there is no xz here"
  mkdir -p tests oct/common
  cp "$TOP/tests/octave_headers.sh" tests/
  cp -r "$TOP/tests/data" tests/
  mkdir src
  cp -r "$TOP"/src/*.h "$TOP/src/common" src/
  printf 'oct-files:\n\t@echo ../oct/common/newer.cc ../oct/common/older.cc\n' >src/Makefile
  cp "$TOP/oct/common/gla_octave.h" oct/common/
  printf '#include "gla_octave.h"\nbool f (const octave_value &v) { return v.isfield ("a"); }\n' >oct/common/newer.cc
  printf '#include "gla_octave.h"\n#include <octave/interpreter.h>\nbool g (octave::interpreter &i) { return i.initialized (); }\n' >oct/common/older.cc
  for version in 6 11; do
    run sh tests/octave_headers.sh $version
    echo "$output"
    case $output in *" 0 passed, 0 failed, 1 skipped") continue ;; esac # this is the Octave here
    [ "$status" -ne 0 ]
    [[ "$output" == *" 1 passed, 1 failed, 0 skipped" ]]
  done
  [[ "$output" == *"older.cc"* ]]
}

@test "a C test that runs in further ways says so in words that the checks know" {
  words=$(grep -h '^// Runs also:' "$TOP"/tests/c/*/test_*.c | cut -d : -f 2 | tr ' ' '\n' | sort -u | tr '\n' ' ')
  [ "$words" = " avx2 cuda guarded tsan " ]
  cd "$TOP"
  work=$BATS_TEST_TMPDIR/unused . tests/check_common.sh
  trap - EXIT HUP INT TERM
  [ "$(tests_also guarded | wc -l)" -ge 7 ]
  [ "$(tests_also avx2 | grep -cx svd)" -eq 1 ]
  rm -rf "$work"
}

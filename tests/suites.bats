#!/usr/bin/env bats
# suites.bats: suites fail where results are wrong or NaN, and make check counts what failed
# SPDX-License-Identifier: GPL-3.0-or-later

setup () {
  TOP=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
  cd "$BATS_TEST_TMPDIR"
}

# suite CALL: [passed, failed] of a call, with stand-ins from this folder before all else.
suite () {
  octave-cli --no-init-file --no-history --path "$TOP/tests/octave" --path . --eval "
    [p, f] = $1; printf ('%d passed, %d failed\n', p, f);" | tail -n 1
}

# batcheig by a loop over eig; the lines $1 then spoil D, or L where there are no vectors.
stand_in () {
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

@test "check_accuracy notices one eigenvalue that is NaN or wrong" {
  stand_in ""
  run suite 'check_accuracy ("cpu", [3, 8], {"qr"}, "d")'
  echo "$output"
  [[ "$output" =~ ^[1-9][0-9]*" passed, 0 failed"$ ]]
  for spoil in "if (P > 1) L(2,1,1) = NaN; endif" "L(2,1,end) += 1e-3;" "D(end,1,2) = NaN;" "V(1,2,3) = NaN;"; do
    stand_in "$spoil"
    run suite 'check_accuracy ("cpu", [3, 8], {"qr"}, "d")'
    echo "$spoil $output"
    [[ "$output" != *" 0 failed" ]]
  done
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

@test "jobs run side by side; what fails, ends early or does not count is a failure" {
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

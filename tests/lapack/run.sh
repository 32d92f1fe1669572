#!/bin/sh
# run.sh: LAPACK's test programs with the C library in place of LAPACK's drivers; make check-lapack
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: run.sh [LETTERS [SET]...]   {sdcz, all sets}
#
# Each set runs without build/shim.so, then with it by each method. A test that fails with it counts as
# failed unless the same set has it without. Debian's packages liblapack-test and libtmglib3 are used; where
# they are not installed they are downloaded with apt-get and unpacked in tests/lapack/build.
# Error exits are left out, as they test LAPACK's checks of arguments, and of LAPACK's block sizes the first
# is taken.

set -eu
cd "$(dirname "$0")"
letters=${1:-sdcz}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- sep se2 svd sg ev gsv gqr lse glm test
build=$(pwd)/build

fail () {
  echo "run.sh: $*" >&2
  exit 1
}

# The folder with xeigtsts, xlintsts and so on, and sep.in.
find_programs () {
  dpkg -L liblapack-test 2>/dev/null | grep -q /xeigtsts$ && ldconfig -p | grep -q libtmglib.so.3 && {
    dirname "$(dpkg -L liblapack-test | grep /xeigtsts$)"
    return
  }
  if ! [ -d "$build/debian" ]; then
    mkdir -p "$build/download"
    (cd "$build/download" && apt-get -q download liblapack-test libtmglib3 >/dev/null 2>&1) || return 0
    for package in "$build"/download/*.deb; do
      dpkg -x "$package" "$build/debian"
    done
  fi
  dirname "$(find "$build/debian" -name xeigtsts | head -n 1)"
}

make --no-print-directory -s all
programs=$(find_programs)
[ -x "$programs/xeigtsts" ] || fail "apt-get download liblapack-test libtmglib3 does not work here"
export LD_LIBRARY_PATH="$(dirname "$programs")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
export GLA_SHIM_METHOD GLA_SHIM_GSVD GLA_SHIM_COUNT

# Of a program's output: the tests run, and those that failed.
count_tests () {
  awk '
    { line = $0 }
    match(line, /[0-9]+ +out of +[0-9]+ +tests (run )?failed/) {
      split(substr(line, RSTART), word, " ")
      bad += word[1]
      run += word[4]
      next
    }
    match(line, /\( *[0-9]+ tests/) || match(line, /tests run: *[0-9]+/) || match(line, /[0-9]+ tests run/) {
      number = substr(line, RSTART, RLENGTH)
      gsub(/[^0-9]/, "", number)
      run += number
    }
    END { print run + 0, bad + 0 }' "$1"
}

# run_set SET LETTER LABEL SHIM: runs one program; sets run, bad, ours, left.
run_set () {
  case $1 in
    sg) input=$2sg program=xeigtst$2 ;;
    ev) input=$2ed program=xeigtst$2 ;;
    test) input=$2test program=xlintst$2 ;;
    *) input=$1 program=xeigtst$2 ;;
  esac
  out=$build/$2$1.$3
  sed -E 's/^T( +Put T to test the error exits)/F\1/; s/^5 ( *Number of (parameter values|values of NB))/1 \1/' \
    "$programs/$input.in" >"$out.in"
  rm -f "$out.count"
  GLA_SHIM_COUNT=$out.count
  status=0
  (cd "$build" && LD_PRELOAD="$4" timeout 900 "$programs/$program" <"$out.in" >"$out.out" 2>"$out.err") || status=$?
  set_counts $(count_tests "$out.out")
  ours=0
  [ -z "$4" ] || ours=$(awk '{ a += $2 } END { print a + 0 }' "$out.count" 2>/dev/null) || ours=0
  if [ $status -ne 0 ] || [ "$run" -eq 0 ] || { [ "$4" ] && [ "$ours" -eq 0 ]; }; then
    echo "FAILED  $2$1 $3: status $status, $run tests, $ours calls"
    tail -n 3 "$out.err"
    bad=$((bad + 1))
  fi
}
set_counts () { run=$1 bad=$2; }

passed=0 failed=0 skipped=0 calls=0
for set in "$@"; do
  case $set in
    gsv) methods="hz tangent" ;;
    sep|se2|sg|svd) methods="qr jacobi" ;;
    *) methods=auto ;;
  esac
  for letter in $(echo "$letters" | sed 's/./& /g'); do
    run_set "$set" "$letter" system ""
    all=$run known=$bad
    for method in $methods; do
      GLA_SHIM_METHOD=auto GLA_SHIM_GSVD=auto
      case $method in
        hz|tangent) GLA_SHIM_GSVD=$method ;;
        *) GLA_SHIM_METHOD=$method ;;
      esac
      run_set "$set" "$letter" "$method" "$build/shim.so"
      more=$((bad > known ? bad - known : 0))
      [ "$run" -ge "$all" ] || more=$((more + all - run)) # a program that ended early
      echo "$letter$set, $method: $run tests, $bad failed ($known of $all without the library), $ours calls"
      failed=$((failed + more))
      passed=$((passed + run - bad))
      skipped=$((skipped + bad - (more < bad ? more : bad)))
      calls=$((calls + ours))
    done
  done
done
echo "processor time, in seconds (the shell's, then the programs'):" && times
echo "lapack: $calls calls of LAPACK's drivers were done by the library"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]

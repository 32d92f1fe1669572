# check_common.sh: what check.sh, check_all.sh and check_night.sh share; sourced in the top folder
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Jobs run in parallel, as many as there are processors (tests/jobs.sh). ccache keeps objects in build/ccache,
# unless CCACHE_DIR is set, so that the same file with the same flags is compiled once: in the tree, for the tests
# and in the installed package.

work=$(mktemp -d)
. tests/jobs.sh
trap 'end_jobs; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
jobs=$limit
began=$(date +%s)
make="make --no-print-directory"
octave="octave-cli --no-init-file --no-history"

# With CCACHE_DEPEND ccache does not preprocess each file before the compiler does. nvcc calls the compiler
# without ccache, because kernels are compiled only once.
if command -v ccache >/dev/null 2>&1; then
  mkdir "$work/compilers"
  for compiler in gcc g++ clang aarch64-linux-gnu-gcc; do
    ! command -v "$compiler" >/dev/null 2>&1 || ln -s "$(command -v ccache)" "$work/compilers/$compiler"
  done
  export CCACHE_DIR="${CCACHE_DIR:-$PWD/build/ccache}" CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 CCACHE_PATH="${CCACHE_PATH:-$PATH}"
  NVCC_PREPEND_FLAGS="-ccbin $(command -v g++)"
  export NVCC_PREPEND_FLAGS
  PATH=$work/compilers:$PATH
fi

# bats_suite FILE...: runs bats and counts the lines of its TAP output.
bats_suite () {
  tap=$(mktemp "$work/tap.XXXXXX")
  bats --tap "$@" >"$tap" 2>&1
  cat "$tap"
  skip=$(grep -c -E '^ok .*# skip' "$tap")
  good=$(($(grep -c '^ok ' "$tap") - skip))
  bad=$(grep -c '^not ok ' "$tap")
  planned=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$tap" | head -n 1)
  [ $((good + bad + skip)) -eq "${planned:--1}" ] || bad=$((bad + 1))
  echo "bats: $good passed, $bad failed, $skip skipped"
  [ "$bad" -eq 0 ]
}

# all_tests: the names of the C tests, one for each tests/c/*/test_*.c.
all_tests () { for source in tests/c/*/test_*.c; do basename "$source" .c | cut -c 6-; done | sort; }

# tests_also WORD: the C tests that run in a further way. A test says so itself, in its line "Runs also:":
# avx2, with the kernels of AVX2; guarded, in memory that ends at a page without access; tsan, with
# ThreadSanitizer; cuda, with the plugin for GPUs, as they are tests of where work runs, of several threads
# and processes, and of memory.
tests_also () {
  grep -l "^// Runs also:.*\<$1\>" tests/c/*/test_*.c | sed 's,.*/test_\(.*\)\.c,\1,' | sort
}

# release_test NAME LABEL [VARIABLE=VALUE]...: tests/c/build/test_NAME, in guarded memory if it says so. That finds
# reads behind an array, also those of the BLAS.
release_test () {
  program=tests/c/build/test_$1 label=$2
  shift 2
  case " $(echo $(tests_also guarded)) " in
    *" ${program#tests/c/build/test_} "*) set -- LD_PRELOAD="$PWD/tests/c/build/guarded.so" "$@" ;;
  esac
  suite "$label" env "$@" "$program"
}

# random_calls SECONDS: random calls of all functions; the seed is of the date, and printed.
random_calls () {
  $octave --path src --path inst --path tests/octave --eval "random_calls ($1)" >"$work/random" 2>&1
  status=$?
  sed 's/^\(random calls: [0-9]* passed, [0-9]* failed\)$/\1, 0 skipped/' "$work/random"
  return $status
}

# digest: of all files of the tree. build/checked has it after a make check without failures.
digest () { sh tests/files.sh --new | LC_ALL=C xargs sha256sum | sha256sum | cut -d ' ' -f 1; }

finish () {
  await_all
  table
  echo "$(($(date +%s) - began)) s in all"
  [ -z "${records:-}" ] || sh tests/record.sh | grep '^NOT RUN'
  [ -z "${records:-}" ] || sh tests/versions.sh --check 2>/dev/null | grep 'is for other code'
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ]
  exit
}

# stop_without NAME: waits for that job and ends if it failed, because the other tests need its result.
stop_without () {
  await "$1" || finish
}

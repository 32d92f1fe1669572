#!/bin/sh
# nccl.sh: NCCL between the GPUs of ranks: the same bits as by way of the host, faults, and times
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: sh tests/nccl.sh [--no-times]   on a computer with two GPUs, Open MPI and NCCL, from the top folder
#
# Needs src/*.oct, tests/c/build/test_eigs_rows, and for times bench/bench_rank_gpus (make -C bench gpus).
# The library is the one that GPULINALG_NCCL names, or the loader finds, or Python has. Prints a line
# "nccl: <n> passed, <n> failed, <n> skipped"; what the ranks printed goes to nccl.log, times to
# nccl.tsv, in $OUT or here (columns as in bench/ranks/bench_rank_gpus.cc). Takes up to 4 minutes.

# shellcheck disable=SC2086 # commands with their arguments
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
out=${OUT:-.}
log=$out/nccl.log
: >"$log"
passed=0 failed=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMP_NUM_THREADS=8
export GPULINALG_CUDA_PLUGIN="${GPULINALG_CUDA_PLUGIN:-$PWD/src/__gpulinalg_cuda__.oct}"
export GPULINALG_MPI_PLUGIN="${GPULINALG_MPI_PLUGIN:-$PWD/src/__gpulinalg_mpi__.oct}"
# Nothing here needs multicast, which is another way for sums.
export NCCL_NVLS_ENABLE=0
library=${GPULINALG_NCCL:-}
if [ -z "$library" ]; then
  library=$(python3 -c 'import nvidia.nccl as n; print(list(n.__path__)[0] + "/lib/libnccl.so.2")' 2>/dev/null)
  [ -f "$library" ] || library=yes
fi
unset GPULINALG_NCCL
octave="octave-cli --no-init-file --no-history --quiet --path ${GPULINALG_BUILD:-src} --path inst"
links=tests/octave/check_rank_links.m

# check WHAT COMMAND...: counts whether it succeeds.
check () {
  what=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $what"
  fi
}

# ranks NAME [VARIABLE=VALUE...] COMMAND: sets status and seconds; its output in $tmp/NAME.txt.
ranks () {
  name=$1
  shift
  begun=$(date +%s)
  env "$@" >"$tmp/$name.txt" 2>&1
  status=$?
  seconds=$(($(date +%s) - begun))
  { echo "== $name: status $status, $seconds s" && cat "$tmp/$name.txt"; } >>"$log"
  echo "# $name: status $status, $seconds s, $(grep 'went by' "$tmp/$name.txt" | sort -u | head -n 1)"
}

run="timeout -k 5 60 mpirun --bind-to none"

# hashes NAME: the lines of bits, which those of other ranks may have run into.
hashes () { grep -oE 'bits [a-z]+ rank [0-9] of [0-9]: [0-9a-f]{32}' "$tmp/$1.txt" | sort; }

# bits A B: both runs have the same, of two ranks for each of five cases.
bits () {
  [ "$(hashes "$1" | wc -l)" -eq 10 ] && [ "$(hashes "$1")" = "$(hashes "$2")" ]
}

# went NAME N TEXT: N ranks say so.
went () { [ "$(grep -o "went by $3" "$tmp/$1.txt" | wc -l)" -eq "$2" ]; }

# ended: with an error, within 10 s of the signal, which comes 6 s after a start of at most 6 s, and
# no process is left.
ended () {
  sleep 1
  [ "$status" -ne 0 ] && [ "$seconds" -le 22 ] && ! pgrep -f "$links" >/dev/null
}

# --- right
ranks host $run -n 2 $octave $links
check "by the host" went host 2 host
ranks nccl GPULINALG_NCCL="$library" $run -n 2 $octave $links
check "by NCCL" went nccl 2 "nccl 2"
check "the same bits by NCCL" bits host nccl
ranks again GPULINALG_NCCL="$library" $run -n 2 $octave $links
check "the same bits again" bits host again
ranks sockets GPULINALG_NCCL="$library" NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1 $run -n 2 $octave $links
check "by sockets" went sockets 2 "nccl 2"
check "the same bits by sockets" bits host sockets
ranks shared GPULINALG_NCCL="$library" $run -n 3 $octave $links
check "three ranks on two GPUs" went shared 3 "host ranks 0 and 2 share a GPU"
ranks missing GPULINALG_NCCL=/nowhere/libnccl.so.2 $run -n 2 $octave $links
check "no library" went missing 2 "host rank 0: libnccl.so.2 cannot be opened"
check "the same bits without a library" bits host missing
ranks threads GPULINALG_NCCL="$library" timeout 60 tests/c/build/test_eigs_rows gpu
tail -n 1 "$tmp/threads.txt"
check "ranks that are threads" [ "$status" -eq 0 ]

# --- faults
for signal in KILL INT; do
  ranks dies_$signal GPULINALG_NCCL="$library" $run -n 2 $octave $links $signal
  check "a rank that gets $signal" ended
done

# --- times
if [ "$1" != --no-times ]; then
  bench=bench/bench_rank_gpus work="gpu 1000000 20"
  { ranks one timeout 60 $bench 1 $work && cat "$tmp/one.txt"
    ranks two $run -n 2 $bench mpi $work && cat "$tmp/two.txt"
    ranks linked GPULINALG_NCCL="$library" $run -n 2 $bench mpi $work && cat "$tmp/linked.txt"
    ranks linked_threads GPULINALG_NCCL="$library" timeout 60 $bench 2 $work && cat "$tmp/linked_threads.txt"
  } | tee "$out/nccl.tsv"
  check "eigenvalues by NCCL are timed" grep -q '^2	nccl	eigs' "$out/nccl.tsv"
fi
echo "nccl: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]

#!/bin/sh
# gpu_job.sh: one of the jobs that tests/gpu.sh runs in parallel
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: sh tests/gpu_job.sh program NAME [ARGUMENT...]   a program of tests/c
#        sh tests/gpu_job.sh accuracy PART SHARE        a share of a part of tests/octave/gpu_suite.m
#        sh tests/gpu_job.sh crowd COUNT               so many of tests/octave/crowd.m at the same time
#        sh tests/gpu_job.sh random COUNT SEED CALLS   COUNT busy processes with the same random calls, whose results
#                                                       must have the same digest
#        sh tests/gpu_job.sh session                   tests/octave/check_gpu_session.m
#        sh tests/gpu_job.sh ends COUNT                COUNT scripts that end while a GPU may be starting
#        sh tests/gpu_job.sh TOOL NAME=VALUE...         compute-sanitizer, with the variables of
#                                                       tests/octave/sanitizer_set.m
# Prints its output, a line "...: <n> passed, <n> failed, <n> skipped", and the seconds.

start=$(date +%s)
export GPULINALG_CUDA_PLUGIN="${GPULINALG_BUILD:-$PWD/src}/__gpulinalg_cuda__.oct"
octave="octave-cli --no-init-file --no-history --path ${GPULINALG_BUILD:-src} --path inst"
limit=400
[ -z "${GPULINALG_GPU_LABEL:-}" ] || limit=1500 # includes the time in which the driver compiles PTX
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export OMP_NUM_THREADS=2
case $1 in
  program)
    shift
    echo "== $*"
    program=$1
    shift
    timeout "$limit" "${GPULINALG_BUILD:-./tests/c/build}/$program" "$@"
    ;;
  accuracy)
    echo "== accuracy $2 $3"
    PART=$2 SHARE=$3 timeout "$limit" $octave tests/octave/gpu_suite.m
    ;;
  crowd)
    echo "== crowd of $2"
    for process in $(seq "$2"); do
      timeout "$limit" $octave tests/octave/crowd.m >"$log.$process" 2>&1 &
    done
    wait
    cat "$log".*
    # a process without its line has failed
    cat "$log".* | awk -v all="$2" '/^crowd: /{n++; p += $2; f += $4}
      END{printf "crowd: %d passed, %d failed, 0 skipped\n", p, f + all - n}'
    rm -f "$log".*
    ;;
  random)
    echo "== random $2 $3 $4"
    for process in $(seq "$2"); do
      GPULINALG_DEVICE=gpu timeout "$limit" $octave --path tests/octave --eval "random_calls (\"calls=$4\", $3)" >"$log.$process" 2>"$log.$process.errors" &
    done
    wait
    grep -h -A 3 '^FAILED' "$log".*
    # a process without its line of counts has failed, and so have all where there is more than one digest
    cat "$log".* | awk -v all="$2" '/^random calls: digest /{d[$4]++} /^random calls: .* passed, /{n++; p += $3; f += $5}
      END{for (k in d) digests++; f += all - n + (digests != 1)
        printf "random: %d digests; %d passed, %d failed, 0 skipped\n", digests, p + (digests == 1), f}'
    rm -f "$log".*
    ;;
  session)
    echo "== session"
    timeout "$limit" $octave --path tests/octave --eval "check_gpu_session ()"
    ;;
  ends)
    echo "== ends $2"
    passed=0
    for calls in $(seq "$2"); do
      if CALLS=$calls timeout -s KILL 30 $octave tests/octave/end_early.m >"$log" 2>&1 &&
        [ "$(cat "$log")" = ends ]; then
        passed=$((passed + 1))
      else
        echo "FAILED a script does not end well after $calls calls: $(head -n 3 "$log")"
      fi
    done
    echo "ends: $passed passed, $(($2 - passed)) failed, 0 skipped"
    ;;
  *)
    tool=$1
    shift
    echo "== compute-sanitizer $tool $*"
    # these two tools report errors in kernels of cuBLAS, which have one of the first two names; those of cuFFT
    # are not this package's either
    exclude=
    case $tool in
      racecheck | synccheck)
        exclude="--kernel-name-exclude kns=cublas --kernel-name-exclude kns=cutlass --kernel-name-exclude kns=fft"
        ;;
    esac
    passed=0
    # on a busy machine the tool may lose the exit status of a set that ended well; then once more
    for try in 1 2; do
      if env "$@" timeout "$limit" compute-sanitizer --tool "$tool" $exclude --error-exitcode 9 --print-limit 3 \
        --target-processes all $octave tests/octave/sanitizer_set.m >"$log" 2>&1 &&
        grep -q "sanitizer set done" "$log" && grep -q -E "SUMMARY: 0 (errors|hazards)" "$log"; then
        passed=1
      fi
      if [ "$passed" -eq 1 ] || ! grep -q "Error: couldn't find exit code" "$log"; then
        break
      fi
      echo "compute-sanitizer lost the exit status (try $try)"
    done
    if [ "$passed" -eq 0 ]; then
      echo "FAILED compute-sanitizer $tool $*"
      head -n 40 "$log"
    fi
    tail -n 2 "$log"
    echo "compute-sanitizer: $passed passed, $((1 - passed)) failed, 0 skipped"
    ;;
esac
echo "   $(($(date +%s) - start)) s"

# jobs.sh: functions that run checks in parallel, count and time them; sourced by other scripts
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Needs $work, an empty folder. At most $limit jobs run at a time. When a job has ended, one line is
# printed, and its output if it failed. `await` waits for one job, `await_all` for all.

limit=$(nproc 2>/dev/null || echo 2)
passed=0 failed=0 skipped=0
started=0 running=

skip () { # skip WHY
  skipped=$((skipped + 1))
  echo "skipped: $1"
}

has () { # has PROGRAM PACKAGES: whether it is there; otherwise something is skipped
  command -v "$1" >/dev/null 2>&1 || { skip "there is no $1 (Debian: $2)" && false; }
}

# step NAME COMMAND...: one check that passes or fails as a whole.
step () { start_job step "$@"; }

# suite NAME COMMAND...: a program that prints its own counts: "N passed, N failed, N skipped".
suite () { start_job suite "$@"; }

start_job () {
  new_kind=$1 new_name=$2
  shift 2
  while [ "$(echo $running | wc -w)" -ge "$limit" ]; do
    sleep 0.1
    collect
  done
  started=$((started + 1))
  running="$running $started"
  mkdir "$work/$started"
  echo "$new_name" >"$work/$started/name"
  echo "$new_kind" >"$work/$started/kind"
  run_job "$work/$started" "$@" &
  echo $! >"$work/$started/pid"
}

# The file "status" is written last, because it marks the end of the job.
run_job () {
  job=$1 began=$(date +%s)
  shift
  "$@" >"$job/log" 2>&1
  result=$?
  times >"$job/times"
  echo $(($(date +%s) - began)) >"$job/seconds"
  echo $result >"$job/result"
  mv "$job/result" "$job/status"
}

# Reports the jobs that have ended since the last call.
collect () {
  for number in $running; do
    if [ -e "$work/$number/status" ]; then
      running=$(echo " $running " | sed "s/ $number / /")
      report "$work/$number"
    fi
  done
}

report () {
  name=$(cat "$1/name") status=$(cat "$1/status")
  if [ "$(cat "$1/kind")" = step ]; then
    p=1 f=0 s=0 counts=
    [ "$status" -eq 0 ] || p=0 f=1
  else
    counts=$(grep -a -E '[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$1/log" | tail -n 1 \
      | sed -E 's/.*[^0-9]([0-9]+ passed, [0-9]+ failed, [0-9]+ skipped)$/\1/')
    # shellcheck disable=SC2046 # three words
    set -- "$1" $(echo "$counts" | tr -d 'a-z,')
    p=${2:-0} f=${3:-1} s=${4:-0}
    [ -n "$counts" ] || counts="no counts, status $status"
    [ "$status" -eq 0 ] || [ "$f" -gt 0 ] || f=1
  fi
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  if [ "$f" -gt 0 ]; then
    echo "FAILED  $name${counts:+: $counts}"
    grep -a -v '^ok ' "$1/log" | tail -n 60
  else
    echo "ok      $name${counts:+: $counts} ($(cat "$1/seconds") s)"
  fi
}

# await NAME: waits for the job of that name and returns its status.
await () {
  awaited=$(grep -lxF -- "$1" "$work"/*/name | tail -n 1)
  awaited=${awaited%/name}
  while [ ! -e "$awaited/status" ]; do
    sleep 0.1
  done
  collect
  return "$(cat "$awaited/status")"
}

await_all () {
  while [ -n "$(echo $running)" ]; do
    sleep 0.1
    collect
  done
}

# one_by_one: waits for all jobs; later ones run one at a time.
one_by_one () {
  await_all
  limit=1
}

# Ends all running jobs and their child processes.
end_jobs () {
  for number in $running; do
    end_tree "$(cat "$work/$number/pid")"
  done
  wait
}

end_tree () {
  for child in $(pgrep -P "$1"); do
    end_tree "$child"
  done
  kill "$1" 2>/dev/null
}

# Prints the seconds and processor seconds of every job of 2 s or more, the longest first.
table () {
  echo "   seconds  core-seconds"
  for job in "$work"/*/status; do
    job=${job%/status}
    core=$(awk 'NR == 2 { for (k = 1; k <= 2; k++) { split ($k, t, /[ms]/); sum += 60 * t[1] + t[2] } }
                END { printf "%.0f", sum }' "$job/times")
    [ "$(cat "$job/seconds")" -lt 2 ] || printf '%10d  %12d  %s\n' "$(cat "$job/seconds")" "$core" "$(cat "$job/name")"
  done | sort -rn
}

#!/bin/sh
# cold_start.sh: times calls with "device", "auto" in new processes
# SPDX-License-Identifier: GPL-3.0-or-later
#
# sh bench/cold_start.sh [NAME]: writes bench/results/NAME-cold.tsv {gpu}. Every number is from a new process.
# Takes about 80 s; jobs that would begin after SECONDS_MOST seconds {85} are left out.

cd "$(dirname "$0")" || exit 1
name=${1:-gpu}
most=${SECONDS_MOST:-85}
table=results/$name-cold.tsv
octave="${OCTAVE:-octave-cli --no-history} --no-init-file --path ../src --path ../inst cold_start.m"
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
begun=$(date +%s)

# seconds CACHE JOB PLACE: prints the two numbers of a job; NaN if the machine does not have the place, or
# if the process takes more than 30 s.
seconds () {
  env GPULINALG_CACHE="$1" timeout 30 $octave "$2" "$3" 2>/dev/null | grep -E '^[0-9.e+-]+	[0-9.e+-]*(Inf)?$' || printf 'NaN\tNaN\n'
}

mkdir -p results
env GPULINALG_CACHE="$cache" $octave train || exit 1
echo "trained: $(($(date +%s) - begun)) s" >&2
{
  env GPULINALG_CACHE= $octave header
  echo "# seconds in fresh processes: auto (without and with a file of costs), cpu and gpu; gpu warm: in a process that has used it"
  echo "# over the better: auto over the smaller of cpu and gpu warm, and 5 ms; cold: over the smaller of cpu and gpu, and 5 ms"
  printf 'kind\tjob\tauto\tauto with file\tcpu\tgpu\tgpu warm\tover the better\twith file\tcold\twith file\n'
} >"$table.new"
$octave list >"$cache/jobs"
tab=$(printf '\t')
while IFS=$tab read -r kind job; do
  if [ $(($(date +%s) - begun)) -ge "$most" ]; then
    echo "# left out: $job" >>"$cache/left_out"
    continue
  fi
  auto=$(seconds "" "$job" auto </dev/null | cut -f 1)
  kept=$(seconds "$cache" "$job" auto </dev/null | cut -f 1)
  cpu=$(seconds "" "$job" cpu </dev/null | cut -f 1)
  gpu=$(seconds "" "$job" gpu </dev/null)
  printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$kind" "$job" "$auto" "$kept" "$cpu" "$gpu"
  echo "$job: $(($(date +%s) - begun)) s" >&2
done <"$cache/jobs" | awk -F '\t' -v OFS='\t' '
  function smaller (a, b) { return a == "NaN" || (b != "NaN" && b + 0 < a + 0) ? b : a }
  function over (auto, better) { return sprintf ("%.3g", auto / (better + 0.005)) }
  NF < 7 { next }
  {
    warm = smaller($5, $7); cold = smaller($5, $6)
    print $0, over($3, warm), over($4, warm), over($3, cold), over($4, cold)
  }' >>"$table.new"
[ ! -f "$cache/left_out" ] || cat "$cache/left_out" >>"$table.new"
printf '# whole run: %s s\n' $(($(date +%s) - begun)) >>"$table.new"
mv "$table.new" "$table"
cat "$table"

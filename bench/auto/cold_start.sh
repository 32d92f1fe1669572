#!/bin/sh
# cold_start.sh: times calls with "device", "auto" in new processes
# SPDX-License-Identifier: GPL-3.0-or-later
#
# sh bench/auto/cold_start.sh [NAME]: writes bench/results/NAME-cold.tsv {gpu}. Every number is from a new process.
# Takes about 80 s; jobs that would begin after SECONDS_MOST seconds {85} are left out.

cd "$(dirname "$0")/.." || exit 1
name=${1:-gpu}
most=${SECONDS_MOST:-85}
table=results/$name-cold.tsv
octave="${OCTAVE:-octave-cli --no-history} --no-init-file --path ../src --path ../inst auto/cold_start.m"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
begun=$(date +%s)

# seconds JOB PLACE: prints the two numbers of a job; NaN if the machine does not have the place, or
# if the process takes more than 30 s.
seconds () {
  timeout 30 $octave "$1" "$2" 2>/dev/null | grep -E '^[0-9.e+-]+	[0-9.e+-]*(Inf)?$' || printf 'NaN\tNaN\n'
}

mkdir -p results
{
  $octave header
  echo "# seconds in fresh processes: auto, cpu and gpu; gpu warm: in a process that has used it"
  echo "# over the better: auto over the smaller of cpu and gpu warm, and 5 ms; cold: over the smaller of cpu and gpu, and 5 ms"
  printf 'kind\tjob\tauto\tcpu\tgpu\tgpu warm\tover the better\tcold\n'
} >"$table.new"
$octave list >"$work/jobs"
tab=$(printf '\t')
while IFS=$tab read -r kind job; do
  if [ $(($(date +%s) - begun)) -ge "$most" ]; then
    echo "# left out: $job" >>"$work/left_out"
    continue
  fi
  auto=$(seconds "$job" auto </dev/null | cut -f 1)
  cpu=$(seconds "$job" cpu </dev/null | cut -f 1)
  gpu=$(seconds "$job" gpu </dev/null)
  printf '%s\t%s\t%s\t%s\t%s\n' "$kind" "$job" "$auto" "$cpu" "$gpu"
  echo "$job: $(($(date +%s) - begun)) s" >&2
done <"$work/jobs" | awk -F '\t' -v OFS='\t' '
  function smaller (a, b) { return a == "NaN" || (b != "NaN" && b + 0 < a + 0) ? b : a }
  function over (auto, better) { return sprintf ("%.3g", auto / (better + 0.005)) }
  NF < 6 { next }
  {
    warm = smaller($4, $6); cold = smaller($4, $5)
    print $0, over($3, warm), over($3, cold)
  }' >>"$table.new"
[ ! -f "$work/left_out" ] || cat "$work/left_out" >>"$table.new"
printf '# whole run: %s s\n' $(($(date +%s) - begun)) >>"$table.new"
mv "$table.new" "$table"
cat "$table"

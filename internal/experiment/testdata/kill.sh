#!/usr/bin/env bash
# Kills each experiment's quick form three times at random moments (SIGKILL to the program alone; its workers have to end by
# themselves), starts it again, and lets it end the fourth time. Then every record must have the metrics that results/published has, to the
# bit, nothing may be left to do, and no process may be left. make check-kill
#
#	kill.sh OUT EXPERIMENT...
set -euo pipefail
out=$1 && shift
mkdir -p "$out"

say() { echo "$(date +%T) $*"; }
fail() { say "$*" && exit 1; }
descendants() { for child in $(pgrep -P $1); do echo $child && descendants $child; done; }
left() { # of what was there when $experiment was killed, and what has its name
	for process in $processes $(pgrep -f "bin/$experiment( |\$)"); do # a zombie has ended
		[[ $(ps -o stat= -p $process) == [^Z]* ]] && echo $process
	done
	true
}

published=$(bin/merge -replace "$out/merged.jsonl.gz" results/published 2>&1)
published=${published% in *} # as in "226545 records"; more together with others, or a conflict named, is a difference

for experiment; do
	rm -rf "${out:?}/$experiment"
	flags=(-out "$out/$experiment" -log "$out/$experiment.log")
	case $experiment in deletion | attention) [ ! -d "$out/corruption" ] || flags+=(-with "$out/corruption/records") ;; esac
	for try in 1 2 3; do
		"bin/$experiment" "${flags[@]}" >"$out/$experiment.out" 2>"$out/$experiment.err" &
		program=$!
		seconds=$((RANDOM % 30 + 3))
		sleep $seconds
		processes=$(descendants $program)
		if kill -9 $program 2>/dev/null; then
			wait $program 2>/dev/null || true
			for _ in $(seq 100); do [ -n "$(left)" ] || break; sleep 0.1; done
			[ -z "$(left)" ] || { ps -fp $(left) || true; fail "$experiment: 10 s after the program was killed these are left"; }
			say "$experiment killed after $seconds s, with $(wc -w <<<$processes) processes that it had started, and $(cat "$out/$experiment"/records/*.jsonl 2>/dev/null | wc -l) lines of records"
		fi
	done
	"bin/$experiment" "${flags[@]}" >"$out/$experiment.out" 2>"$out/$experiment.err" || fail "$experiment: exit code $?: $(tail -3 "$out/$experiment.err")"
	again=$("bin/$experiment" "${flags[@]}" 2>&1 >/dev/null)
	[[ $again == *" 0 to do"* ]] || fail "$experiment: a finished run has something to do: $again"
	counted=$(bin/merge -replace "$out/merged.jsonl.gz" "$out/$experiment/records" results/published 2>&1)
	[ "${counted% in *}" = "$published" ] || fail "$experiment: with results/published, which has $published: $counted"
	say "$experiment ended, $(cat "$out/$experiment"/records/*.jsonl | wc -l) lines of records, with the metrics of results/published"
done
rm "$out/merged.jsonl.gz"

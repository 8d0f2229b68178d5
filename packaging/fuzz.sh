#!/bin/sh
# Runs every fuzz target for so long and prints how often a second it ran:
# fuzz.sh [DURATION] [DIRECTORY...]. What is found is minimised in ten tries: by
# default Go takes up to a minute for each input that reaches new code, so that a
# target whose seeds have kilobytes ran six times a minute.
set -u
GO=${GO:-go}
duration=${1:-5s}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- agent analysis configs epilog packaging prolog reports
failed=0
out=$(mktemp)
trap 'rm -f "$out"' EXIT
for target in $(grep -rHo --include='*_test.go' '^func Fuzz[A-Za-z0-9]*' "$@" | sed 's|/[^/]*:func |/|' | sort); do
	name=${target##*/} dir=./${target%/*}
	if ! $GO test -run '^$' -fuzz "^$name\$" -fuzztime "$duration" -fuzzminimizetime 10x "$dir" >"$out" 2>&1; then
		cat "$out"
		failed=1
	fi
	printf '%s %s %s\n' "$dir" "$name" "$(sed -n 's/.*elapsed: \([0-9]*\)s, execs: \([0-9]*\) .*/\2 \1/p' "$out" | tail -1 | awk '{printf "%d runs, %.0f a second", $1, $1/($2?$2:1)}')"
done
exit $failed

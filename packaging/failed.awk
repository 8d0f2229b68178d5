#!/usr/bin/awk -f
# What failed, of what `go test` printed: a line per package, with the pattern
# that -run takes for its failed tests, or "." where none is named (it did not
# build, or took too long).
/^--- FAIL: / { names = names (names == "" ? "" : "|") $3 }
/^ok[ \t]/ { names = "" }
/^FAIL[ \t]/ { print $2, (names == "" ? "." : "^(" names ")$"); names = "" }

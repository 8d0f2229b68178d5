package job

import (
	"strings"
	"testing"
)

// TestArgumentsFingerprint compares fingerprints of pairs of command lines.
func TestArgumentsFingerprint(t *testing.T) {
	c := ArgumentsContext{Cluster: "local-a", UID: 1000, JobID: "4711", Node: "n17", WorkDir: "/home/a/w", PID: 31337}
	for _, x := range []struct {
		a, b string
		same bool
	}{
		{"solver 450", "solver 450", true},
		{"/opt/a/solver 450", "solver 450", true},
		{"solver 450", "solver 600", false},
		{"solver", "solver 450", false},
		{"solver a b", "solver a,b", false},
		{"python3 -c x=1", "python3 -c x=2", false},
		{"solver --out /home/a/w/out", "solver --out ./out", true},
		{"solver --out out.4711 -h n17", "solver --out out.% -h %", true},
		{"solver --out /tmp/tmp.AbC12", "solver --out /tmp/tmp.XyZ34", true},
		{"solver --log 2026-11-27T10:00:00", "solver --log 2026-11-28T11:30:00", true},
		{"solver --log run-20261127-1000.log", "solver --log run-20261128-1131.log", true},
		{"solver --seed 1795782000", "solver --seed 1795782099", true},
		{"solver --pid 31337", "solver --pid %", true},
		{"solver -n 47110", "solver -n 47111", false},
	} {
		a, b := ArgumentsFingerprint(strings.Fields(x.a), c), ArgumentsFingerprint(strings.Fields(x.b), c)
		if (a == b) != x.same || len(a) != 2*fingerprintBytes {
			t.Errorf("%q %s and %q %s: same is not %v", x.a, a, x.b, b, x.same)
		}
	}
	other := c
	other.UID = 1001
	if ArgumentsFingerprint([]string{"x", "1"}, c) == ArgumentsFingerprint([]string{"x", "1"}, other) {
		t.Error("two users have one fingerprint")
	}
}

func FuzzArgumentsFingerprint(f *testing.F) {
	f.Add("solver", "450", "n17", "/w")
	f.Fuzz(func(t *testing.T, a, b, node, dir string) {
		c := ArgumentsContext{Node: node, WorkDir: dir}
		if x := ArgumentsFingerprint([]string{a, b}, c); len(x) != 2*fingerprintBytes {
			t.Errorf("fingerprint %q", x)
		}
	})
}

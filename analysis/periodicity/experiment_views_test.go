package periodicity_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// profile writes n samples at 200 Hz of a loop of 80 samples with dips.
func profile(t *testing.T, seed uint64, n int) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	b.WriteString("t_s,ipc\n")
	for i := range n {
		v := 1.2
		if k := i % 80; k < 10 || k > 30 && k < 42 {
			v = 0.4
		}
		fmt.Fprintf(&b, "%.3f,%.4f\n", float64(i)*0.005, v+0.02*rng.NormFloat64())
	}
	path := filepath.Join(t.TempDir(), fmt.Sprintf("run%d.csv", seed))
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestViews checks each view on synthetic profiles, and that other arguments are refused.
func TestViews(t *testing.T) {
	a, b, c := profile(t, 1, 16000), profile(t, 2, 8000), profile(t, 3, 8000)
	for _, v := range []struct {
		args []string
		want []string
	}{
		{[]string{"table", "-method", "track", a, b}, []string{"#rp(#i)[#pa]", "80.00  1(", "40.00  1("}},
		{[]string{"duration", "-excerpts", "2", a}, []string{"period 80.0 samples", "       1         2 "}},
		{[]string{"reproduce", a, b, c}, []string{"3 of 3 pairs agree"}},
	} {
		var out strings.Builder
		if err := runExperiment(v.args, &out); err != nil {
			t.Fatalf("%v: %v", v.args[0], err)
		}
		for _, w := range v.want {
			if !strings.Contains(out.String(), w) {
				t.Errorf("%s: no %q in\n%s", v.args[0], w, out.String())
			}
		}
	}
	for _, args := range [][]string{nil, {"table"}, {"dance", a}, {"duration", a, b}, {"reproduce", a},
		{"table", "-method", "x", a}} {
		if err := runExperiment(args, &strings.Builder{}); !errors.Is(err, errUsage) {
			t.Errorf("%v: %v", args, err)
		}
	}
}

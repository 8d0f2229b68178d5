package league

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// undisturbed is the least share of a CPU for each rank from which every run must be right. The table of the league
// counts a run that gets .85 of a CPU as quiet; some of these find nothing, since other work changes their steps.
const undisturbed = .95

// Two of the league in each run of the tests, quiet and crowded. A machine that
// others use may leave so little CPU that nothing is found, so what holds
// everywhere is that no wrong claim is loud; and that a run that got its CPU is
// right, where code addresses can be sampled.
func TestLive(t *testing.T) {
	bin := os.Getenv("JOBGAIT_BIN")
	if bin == "" {
		t.Skip("JOBGAIT_BIN does not name the built programs: run make test")
	}
	l := league{bin: bin, cache: t.TempDir(), budget: 3, limit: 15 * time.Second}
	for name, needs := range map[string][]string{
		"lammps-lj": {"lmp", "-help"},
		"numpy-sgd": {"/usr/bin/python3", "-c", "import numpy"},
	} {
		if err := exec.Command(needs[0], needs[1:]...).Run(); err != nil {
			t.Logf("%s NOT RUN: %v: %v", name, needs, err)
			continue
		}
		chosen, err := choose(applications(), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, crowded := range []bool{false, true} {
			a := chosen[0]
			o, err := l.live(t.Context(), a, crowded, filepath.Join(l.cache, key(a, crowded, l.budget, 1)))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if truth := intervals(o.Marks, a.levels); len(truth) == 0 {
				t.Logf("%s got %.2f CPUs and logged too little to judge", name, o.Answer.CPUs)
			} else if got := o.judge(a); got.verdict == "loud" ||
				o.Answer.CPUs >= undisturbed*float64(a.ranks) && o.Answer.Hz > 0 && got.verdict != "right" {
				t.Errorf("%s, crowded %v, got %.2f CPUs: %s: log %v, told %v", name, crowded, o.Answer.CPUs, got.verdict, truth,
					o.Answer.claims())
			}
		}
	}
}

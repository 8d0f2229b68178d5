package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"jobgait/agent/job"
	"jobgait/agent/profile"
	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// An agent that cannot keep within next to nothing gives up its code addresses, and
// what is made of its profile does not call a busy job idle: it says when there were
// no addresses any more and takes CPU time from what counted all of the run.
func TestBusyJobWithoutAddressesIsNotIdle(t *testing.T) {
	needPerf(t)
	dir := runDirOf(t, job.Run{Exclusive: true, Job: jobOfUser(os.Getuid())})
	// Interrupts next to free, so that addresses are planned; then the agent's own
	// time is more than all that it may cost.
	cheap := measured{InterruptNS: 200, CILoNS: 150, CIHiNS: 250, Level: 0.95, Pairs: 30}
	if err := cheap.store(spoolOf(dir)); err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(t.TempDir(), "jobgait.toml")
	if err := os.WriteFile(settings, []byte("[agent]\nbudget_pct = 0.12\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		busy(t, fmt.Sprint(os.Getpid()), "while :; do /bin/true; done")
	}
	a := startAgent(t, dir, "JOBGAIT_CONFIG="+settings)
	waitUntil(t, "addresses were given up", func() bool {
		l, err := profile.Load(dir.Profile(), profile.SetParams{})
		return err == nil && slices.ContainsFunc(l.Header.Notes, func(n note.Note) bool { return n.Code == note.AddressesEnded }) &&
			l.Totals[0].Part() < 0.9
	})
	a.end(t)
	l, err := profile.Load(dir.Profile(), profile.SetParams{})
	if err != nil || l.Footer == nil || !has(l.Footer.Notes, note.AddressesEnded) || has(l.Header.Notes, note.AddressesEnded) {
		t.Fatalf("footer %+v, header %v, %v", l.Footer, l.Header.Notes, err)
	}
	r := summary.NodeRecord{Node: "n1", ElapsedS: l.End(), Quality: l.Quality, Counters: l.Totals}
	if r, err = summary.Analyse(r, l.Set, summary.Default()); err != nil || has(r.Notes, note.Idle) {
		t.Errorf("notes %v, %v", r.Notes, err)
	}
	s := summary.Merge([]summary.NodeRecord{r}, []string{"n1"}, summary.Default())
	if b := s.Nodes[0].BusyCPUs; b == nil || *b < summary.Default().IdleCPUs {
		t.Errorf("busy CPUs %+v of counters %+v", s.Nodes, r.Counters)
	}
}

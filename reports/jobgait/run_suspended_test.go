package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"jobgait/agent/job/jobtest"
	"jobgait/analysis/note"
	"jobgait/analysis/phase"
	"jobgait/reports/job"
)

// cadenceS is a period that no clock has, and cadences how many there are.
const cadenceS, cadences = 0.2337, 50

// cadence says who it is and works for a fifth of each period. What it was
// suspended for it does not make up.
func cadence() {
	fmt.Println(os.Getpid())
	const every = time.Duration(cadenceS * 1e9)
	began := time.Now()
	for range cadences {
		work(every / 5)
		jobtest.WorkloadPause(every - time.Since(began)%every)
	}
}

// A program that another process stops for 4 s has its usual rhythm, no iteration of 4 s, and a report that
// mentions the suspension. At a load of 20 on two CPUs it has no rhythm, stopped or not; then only the
// suspension is checked (analysis/summary tests the rhythm of a simulated run).
func TestSuspendedProgramIsNotSlow(t *testing.T) {
	t.Parallel()
	for range 2 {
		if p := stoppedFor4S(t); p != nil {
			// A period found on such a busy machine may be a multiple.
			if v := p.Period.Value; v == nil {
				t.Errorf("no value of %+v", p.Period)
			} else if math.Abs(*v/cadenceS/max(1, math.Round(*v/cadenceS))-1) > 0.05 {
				t.Errorf("period %v (%d instances), want %v", *v, p.Instances, cadenceS)
			}
			for _, s := range slow(p) {
				if s.LengthS > 2 {
					t.Errorf("a cycle of %v s", s.LengthS)
				}
			}
			return
		}
	}
	t.Log("no period on a machine as busy as this")
}

// slow returns the iterations that stand out.
func slow(p *job.Pattern) []phase.SlowCycle {
	if p.Drift == nil {
		return nil
	}
	return p.Drift.Slow
}

// stoppedFor4S runs it and returns its pattern, nil without one.
func stoppedFor4S(t *testing.T) *job.Pattern {
	b := newBox(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b.env = append(b.env, accountRole+"=cadence")
	cmd := b.command("run", "--", self)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := 0
	if _, err := fmt.Fscan(bufio.NewReader(out), &pid); err != nil || pid < 2 {
		t.Fatalf("process %d: %v", pid, err)
	}
	for _, x := range []struct {
		wait time.Duration
		send syscall.Signal
	}{{5 * time.Second, syscall.SIGSTOP}, {4 * time.Second, syscall.SIGCONT}} {
		jobtest.WorkloadPause(x.wait)
		if err := syscall.Kill(pid, x.send); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return told(t, b)
}

// told checks the suspension in the report, and returns its pattern.
func told(t *testing.T, b box) *job.Pattern {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(b.work, "jobgait-*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("reports %v, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var r job.Report
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	if r.Job.SuspendedS < 3 || r.Job.SuspendedS > r.Job.ElapsedS-cadenceS*cadences*0.9 {
		t.Errorf("suspended for %v s of %v", r.Job.SuspendedS, r.Job.ElapsedS)
	}
	if !slices.ContainsFunc(r.Notes, func(n job.Note) bool { return n.Code == note.Suspended }) {
		t.Errorf("notes %v", r.Notes)
	}
	if !slices.ContainsFunc(r.Rhythm.Phases, func(p job.RunPhase) bool { return p.Kind == phase.Suspended }) {
		t.Errorf("phases %+v", r.Rhythm.Phases)
	}
	if len(r.Rhythm.Patterns) == 0 {
		t.Logf("no period: %v", r.Rhythm.Why)
		return nil
	}
	return &r.Rhythm.Patterns[0]
}

package main

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/perf"
	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/profile"
	"jobgait/analysis/note"
	"jobgait/analysis/summary"
	"jobgait/configs"
)

// agentHere starts an agent in this process.
func agentHere(t testing.TB, dir job.RunDir, c configs.Agent, p prices) *agent {
	t.Helper()
	r, err := dir.ReadRun()
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	in, err := openInputs(host{proc: "/proc", sys: "/sys", program: self, open: perf.Open}, r, c, p)
	if err != nil {
		t.Fatal(err)
	}
	a := newAgent(r, in, func(err error) { t.Log(err) })
	a.dir = dir
	if err := a.begin(dir.ProfilePath(), c); err != nil {
		t.Fatal(err)
	}
	return a
}

// lives runs the agent until end is called.
func (a *agent) lives(t testing.TB) (end func()) {
	stop, ended := make(chan os.Signal, 1), make(chan error)
	go func() { ended <- a.runLoop(stop, time.Hour) }()
	return func() {
		stop <- unix.SIGTERM
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := a.in.close(); err != nil {
			t.Error(err)
		}
	}
}

// An agent with a budget near zero stops sampling code addresses. The analysis of its profile does not call a
// busy job idle: it reports when code addresses ended and uses the CPU time of the counters that covered the
// whole run.
func TestBusyJobWithoutAddressesIsNotIdle(t *testing.T) {
	needPerf(t)
	dir := runDirOf(t, job.Run{Exclusive: true, Job: jobOfUser(os.Getuid())})
	for range 2 {
		busy(t, fmt.Sprint(os.Getpid()), "while :; do /bin/true; done")
	}
	// The agent expects interrupts to cost almost nothing and therefore plans addresses; then its measured cost
	// exceeds the budget.
	c := configs.Default().Agent
	c.BudgetPct = 0.12
	end := agentHere(t, dir, c, prices{interruptNS: 200}).lives(t)
	jobtest.Until(t, "addresses were given up", func() bool {
		l, err := profile.Load(dir.ProfilePath())
		return err == nil && slices.ContainsFunc(l.Header.Notes, func(n note.Note) bool {
			return n.Code == note.AddressesEnded
		}) &&
			l.Totals[0].Part() < 0.9
	})
	end()
	l, err := profile.Load(dir.ProfilePath())
	if err != nil || l.Footer == nil || !has(l.Footer.Notes, note.AddressesEnded) ||
		has(l.Header.Notes, note.AddressesEnded) {
		t.Fatalf("footer %+v, header %v, %v", l.Footer, l.Header.Notes, err)
	}
	r := summary.NodeRecord{Node: "n1", ElapsedS: l.EndS(), Quality: l.Quality, Counters: l.Totals}
	if r, err = summary.Analyse(r, l.Set, summary.Default()); err != nil || has(r.Notes, note.Idle) {
		t.Errorf("notes %v, %v", r.Notes, err)
	}
	s := summary.Merge([]summary.NodeRecord{r}, []string{"n1"})
	if b := s.Nodes[0].BusyCPUs; b == nil || *b < 0.01 {
		t.Errorf("busy CPUs %+v of counters %+v", s.Nodes, r.Counters)
	}
}

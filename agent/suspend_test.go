package main

import (
	"fmt"
	"jobgait/analysis/run"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/profile"
)

// The real agent detects that a job is stopped and continued: the reported interval contains the whole
// suspension.
func TestSeesASuspendedJob(t *testing.T) {
	dir := runDirOf(t, job.Run{Exclusive: true, Job: jobOfUser(os.Getuid())})
	r, err := dir.ReadRun()
	if err != nil {
		t.Fatal(err)
	}
	p := busy(t, fmt.Sprint(os.Getpid()), "while :; do :; done").Process
	a := startAgent(t, dir)
	since := func() float64 { _, mono := job.Clock(); return mono - r.StartMono }
	send := func(s unix.Signal) (at float64) {
		if err := p.Signal(s); err != nil {
			t.Fatal(err)
		}
		return since()
	}
	ran := since()
	jobtest.Until(t, "the process has used CPU time", func() bool { return since() > ran+1 && cpuSeconds(p.Pid) > 0.3 })
	stopped := send(unix.SIGSTOP)
	suspended := func() (intervals []run.Interval, end float64) {
		l, err := profile.Load(dir.ProfilePath())
		if err != nil {
			return nil, 0
		}
		return l.Suspensions(), l.EndS()
	}
	jobtest.Until(t, "the agent sees the stop", func() bool { got, _ := suspended(); return len(got) == 1 })
	before, used := since(), cpuSeconds(p.Pid)
	send(unix.SIGCONT)
	again := since()
	jobtest.Until(t, "it ran again", func() bool { return since() > again+1.5 && cpuSeconds(p.Pid) > used+0.3 })
	jobtest.Until(t, "the agent sees that it runs", func() bool {
		got, end := suspended()
		return len(got) == 1 && got[0].EndS < end
	})
	a.end(t)
	got, end := suspended()
	if len(got) != 1 || got[0].StartS > stopped || got[0].EndS < before || got[0].StartS < ran-1 || got[0].EndS >= end {
		t.Fatalf("suspended %v, stopped from %v to %v, samples to %v", got, stopped, before, end)
	}
}

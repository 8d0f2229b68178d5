package main

import (
	"os"
	"slices"
	"testing"

	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/peek/peektest"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// A process whose memory lock is held forever, of another user or of the job, costs no samples: the agent sees
// what another process of the job uses, and seals the profile when it is stopped, with its lock free at once.
func TestLockedProcesses(t *testing.T) {
	needPerf(t)
	const stranger, user = 65533, 65534
	for name, owner := range map[string]uint32{"of another user": stranger, "of the job": user} {
		t.Run(name, func(t *testing.T) {
			id := run.JobID(os.Getpid())*10 + run.JobID(owner%10)
			environ := []string{"SLURM_JOB_ID=" + id.String()}
			peektest.Start(t, owner, environ...)
			r := job.Run{Key: run.Key{Cluster: "test", JobID: id}, Job: run.Job{UID: user, GID: user}}
			agent := startAgent(t, runDirOf(t, r))
			size := func() int64 {
				info, err := os.Stat(agent.dir.ProfilePath())
				if err != nil {
					t.Fatal(err)
				}
				return info.Size()
			}
			atFirst := size()
			jobtest.Until(t, "the profile grows", func() bool { return size() > atFirst })
			p := agent.end(t)
			if p.Footer == nil || p.Footer.Reason != "stopped" {
				t.Errorf("footer %+v", p.Footer)
			}
			if lock, err := agent.dir.TryLock(); err != nil {
				t.Errorf("the run is still locked: %v", err)
			} else {
				_ = lock.Close()
			}
			told := p.Footer != nil && slices.ContainsFunc(p.Footer.Notes, func(n note.Note) bool {
				return n.Code == note.Unreadable
			})
			if told && owner == stranger {
				t.Error("the child was left behind by a process that is not the job's")
			}
		})
	}
}

package watch

import (
	"testing"
	"time"

	"jobgait/agent/live"
	"jobgait/analysis/tracker"
)

// In a job of several nodes, an agent knows only what its own node does, and the text says so.
func TestStallOnOneOfSeveralNodes(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for nodes, want := range map[int]string{
		1: `job 7 on n1, 9:00 after its start
STALLED: none of its own code has run for 40.0 s, its processes are waiting in MPI
2 of 2 tasks wait in MPI_Recv.
`,
		2: `job 7 on n1, 9:00 after its start
STALLED on this node: none of its own code has run for 40.0 s, its processes are waiting in MPI
2 of 2 tasks wait in MPI_Recv.
`,
	} {
		s := live.State{JobID: 7, Node: "n1", At: now, ElapsedS: 540, State: tracker.Stalled, Job: live.Job{NNodes: nodes},
			Stalled: &live.Stalled{Since: now.Add(-40 * time.Second), Doing: tracker.WaitingInMPI,
				Summary: "2 of 2 tasks wait in MPI_Recv."}}
		if got := Text(s, true, now); got != want {
			t.Errorf("%d nodes:\n%s\nwant:\n%s", nodes, got, want)
		}
	}
}

// What is said of the end, in words.
func TestPaceWords(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := func(s int) time.Time { return now.Add(time.Duration(s) * time.Second) }
	limit, late, between := at(3000), at(9000), at(3700)
	for _, c := range []struct {
		p    live.Pace
		want string
	}{
		{live.Pace{CyclesUsual: 1000, Runs: 4, EndsAt: at(3600), EndsLo: at(3500), EndsHi: at(3800)},
			"it ends at 13:00:00 (12:58:20 to 13:03:20) if it makes 1,000 cycles, as your last 4 runs did"},
		{live.Pace{CyclesUsual: 1000, EndsAt: at(3600), EndsLo: at(3500), EndsHi: at(3800), LimitAt: &late},
			"it ends at 13:00:00 (12:58:20 to 13:03:20) if it makes 1,000 cycles, as you say"},
		{live.Pace{CyclesUsual: 1000, EndsAt: at(3600), EndsLo: at(3500), EndsHi: at(3800), LimitAt: &limit,
			LimitFirst: true},
			"it ends at 13:00:00 (12:58:20 to 13:03:20) if it makes 1,000 cycles, as you say\nITS TIME LIMIT COMES FIRST, at " +
				"12:50:00"},
		{live.Pace{CyclesUsual: 1000, EndsAt: at(3600), EndsLo: at(3500), EndsHi: at(3800), LimitAt: &between},
			"it ends at 13:00:00 (12:58:20 to 13:03:20) if it makes 1,000 cycles, as you say\nits time limit may come first, " +
				"at 13:01:40"},
		{live.Pace{CyclesUsual: 1000, Runs: 3, EndsAt: at(86400), EndsLo: at(86000), EndsHi: at(87000)},
			"it ends at 2026-03-02 12:00 (2026-03-02 11:53 to 2026-03-02 12:10) if it makes 1,000 cycles, as your last 3 " +
				"runs did"},
	} {
		if got := paceWords(c.p, now); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

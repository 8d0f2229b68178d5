package finish

import (
	"fmt"
	"strings"
	"testing"

	"jobgait/agent/job"
	"jobgait/agent/profile/profiletest"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// A node whose clock is two minutes behind the controller's loses neither state nor exit code, and the report
// mentions the difference. A requeued job is still distinguished from it.
func TestNodeClockThatIsBehind(t *testing.T) {
	for name, c := range map[string]struct {
		start, end float64 // of the scheduler, seconds after the Prolog
		restarts   string
		state      string
		note       note.Code
	}{
		"two minutes behind":  {120, 140, "Restarts=0", "TIMEOUT", note.ClockSkew},
		"behind at the start": {120, 20, "Restarts=0", "", note.NoScheduler},
		"two hours behind":    {7200, 7220, "Restarts=0", "TIMEOUT", note.ClockSkew},
		"ten minutes ahead":   {-600, -580, "Restarts=0", "TIMEOUT", note.ClockSkew},
		"the same":            {-1, 19, "Restarts=0", "TIMEOUT", ""},
		"requeued":            {120, 140, "Restarts=1", "", note.NoScheduler},
		"no number of runs":   {120, 140, "", "", note.NoScheduler},
		"another duration":    {120, 3720, "Restarts=0", "", note.NoScheduler},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			dir := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 5, Seal: true}, false)
			r, err := dir.ReadRun()
			must(t, err)
			s.cfg.Slurm.Scontrol = s.command("scontrol", fmt.Sprintf("/bin/echo 'JobId=7 JobName=x UserId=u(0) "+
				"JobState=COMPLETING Reason=TimeLimit ExitCode=0:15 %s StartTime=%d EndTime=%d'\n", c.restarts,
				int64(r.StartReal+c.start), int64(r.StartReal+c.end)))
			must(t, WriteEnd(dir, RunEnd{Real: r.StartReal + 20, Mono: r.StartMono + 20, BootID: r.BootID, Exit: &run.Exit{},
				Job: r.Job}))
			must(t, s.finisher("n1").Finish(t.Context(), dir))
			got := s.stored("7")
			found := codes(got.Notes)
			if got.State != c.state || c.note != "" && !strings.Contains(found, string(c.note)) ||
				strings.Contains(found, string(note.ClockSkew)) != (c.note == note.ClockSkew) {
				t.Errorf("state %q, notes %v", got.State, got.Notes)
			}
			if c.state != "" && (got.Exit == nil || got.Exit.Signal != 15) {
				t.Errorf("exit %v", got.Exit)
			}
		})
	}
}

// Hooks run shortly after the scheduler's times: this is no difference of the clocks.
func TestClockSkew(t *testing.T) {
	at := func(s int64) *int64 { return &s }
	r, s := job.Run{StartReal: 1000}, summary.Summary{End: 1100}
	for _, c := range []struct {
		start, end *int64
		want       float64
	}{
		{at(999), at(1099), 0}, {at(950), at(1045), 0}, {at(1003), at(1103), 0}, {nil, at(1100), 0}, {at(1000), nil, 0},
		{at(1120), at(1220), -120}, {at(800), at(1090), 0}, {at(800), at(900), 200}, {at(1000), at(1050), 0},
	} {
		if got := clockSkew(job.Details{Start: c.start, End: c.end}, r, s); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

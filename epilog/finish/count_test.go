package finish

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jobgait/agent/profile/profiletest"
	"jobgait/analysis/run"
)

// The work of a node is counted once per run, however often it is tried again, and each report has one line.
func TestRunsAreCounted(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.cfg.Health.Textfile = filepath.Join(s.root, "textfile")
	must(t, os.Mkdir(s.cfg.Health.Textfile, 0o755))
	var info []string
	f := s.finisher("n1")
	f.Info = func(format string, args ...any) { info = append(info, fmt.Sprintf(format, args...)) }
	for id := range run.JobID(3) {
		key := run.Key{Cluster: "test", JobID: id + 1}
		o := profiletest.SyntheticRun{Seconds: 10, PeriodS: 0.4, Seal: id != 1}
		dir := s.run("n1", "n1", key, o, true)
		for range 2 {
			must(t, f.Finish(context.Background(), dir))
		}
	}
	b, err := os.ReadFile(filepath.Join(s.cfg.Health.Textfile, "jobgait-n1.prom"))
	must(t, err)
	for _, want := range []string{"jobgait_runs_total{node=\"n1\"} 3", "jobgait_reports_total{node=\"n1\"} 3",
		"jobgait_failures_total{node=\"n1\",code=\"agent_died\"} 1"} {
		if !strings.Contains(string(b), want+"\n") {
			t.Errorf("%s is not in\n%s", want, b)
		}
	}
	if len(info) != 3 || !strings.Contains(info[0], "report in "+s.work) {
		t.Errorf("%q", info)
	}
	if os.Getuid() != 0 {
		return
	}
	// Root writes into no directory that another account can change.
	must(t, os.Chown(s.cfg.Health.Textfile, 65534, 65534))
	var log []string
	f.Log = func(format string, args ...any) { log = append(log, fmt.Sprintf(format, args...)) }
	must(t, f.Finish(context.Background(),
		s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 10, Seal: true}, true)))
	if after, err := os.ReadFile(filepath.Join(s.cfg.Health.Textfile, "jobgait-n1.prom")); err != nil ||
		string(after) != string(b) || !strings.Contains(strings.Join(log, ""), "uid 65534") {
		t.Errorf("written all the same, log %q", log)
	}
}

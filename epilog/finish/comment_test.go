package finish

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jobgait/agent/job/jobtest"
	"jobgait/agent/job/slurm"
	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// With slurm.admin_comment a digest goes into the accounting, but not over the comment of another tool. Whatever
// sacctmgr does, one line is logged and the history has the runs and their states.
func TestCommentsInTheAccounting(t *testing.T) {
	for name, c := range map[string]struct{ manager, logged string }{
		"written":        {"/bin/cat >>$0.read\n", ""},
		"no rights":      {"/bin/cat >/dev/null; /bin/echo ' Access/permission denied'; exit 1\n", "permission denied"},
		"fails silently": {"exit 3\n", "exit status 3"},
		"missing":        {"", "no such file or directory"},
		"hangs":          {"/bin/sleep 600 & echo $! >$0.child; wait\n", "did not end within"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			at := int64(time.Now().Unix() - 3600)
			s.put(1, 1000, float64(at), float64(at)+60, nil)
			s.put(2, 1000, float64(at), float64(at)+60, nil)
			sacct := s.command("sacct", fmt.Sprintf(`case "$*" in
*AdminComment*) /bin/echo '1|'; /bin/echo '2|ticket 4711' ;;
*) /bin/echo '1|1000|%[1]d|%[2]d|COMPLETED|0:0|100|n1|u'; /bin/echo '2|1000|%[1]d|%[2]d|COMPLETED|0:0|100|n1|u' ;;
esac
`, at, at+60))
			manager := filepath.Join(s.root, "sacctmgr")
			if c.manager != "" {
				manager = s.command("sacctmgr", c.manager)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if name == "hangs" {
				go func() {
					jobtest.Poll(time.Minute, func() bool {
						b, _ := os.ReadFile(manager + ".child")
						return len(b) > 0
					})
					cancel()
				}()
			}
			f := s.finisher("n1")
			f.Scheduler = slurm.Scheduler{Sacct: sacct, Sacctmgr: manager, AdminComment: true}
			var lines []string
			f.Log = func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
			info := ""
			f.Info = func(format string, args ...any) { info += fmt.Sprintf(format+"\n", args...) }
			if _, err := f.QueryEndStates(ctx); err != nil {
				t.Error(err)
			}
			text := strings.Join(lines, "\n")
			want := 1 // what failed: the comment of another tool is no problem
			if name == "written" {
				want = 0
			}
			if strings.Count(info, "\n") != 1 || !strings.Contains(info, "1 admin comment of other tools left unchanged") {
				t.Errorf("the comment of another tool: %q", info)
			}
			if len(lines) != want || strings.Count(text, "\n") != max(0, want-1) || !strings.Contains(text, c.logged) {
				t.Errorf("logged %q, want %q", lines, c.logged)
			}
			for _, id := range []string{"1", "2"} {
				if got := s.stored(id); got.State != "COMPLETED" {
					t.Errorf("job %s is %q in the history", id, got.State)
				}
			}
			read, _ := os.ReadFile(manager + ".read")
			if name == "written" && (!strings.HasPrefix(string(read), `modify job where JobID=1 set AdminComment="JG1:`) ||
				strings.Contains(string(read), "JobID=2")) {
				t.Errorf("sacctmgr read %q", read)
			}
		})
	}
}

// A run whose state the scheduler knew when the run was stored gets its digest too. If sacctmgr fails, or reports
// success and the accounting shows no comment, the next query tries again.
func TestCommentsOfRunsStoredWithTheirState(t *testing.T) {
	s := newSite(t)
	at := int64(time.Now().Unix() - 3600)
	db, err := history.Open(t.Context(), s.cfg.History.Path)
	must(t, err)
	must(t, db.Put(t.Context(), summary.Summary{Schema: summary.Schema, Key: run.Key{Cluster: "test", JobID: 7},
		Start: float64(at), End: float64(at) + 60, ElapsedS: 60, State: "COMPLETED", Job: run.Job{User: "u", UID: 1000},
		Nodes: []summary.Node{{Name: "n1", Reported: true}}}, history.Ingest{}))
	must(t, db.Close())
	sacct := s.command("sacct", fmt.Sprintf(`case "$*" in
*AdminComment*) if [ -e ${0%%sacct}shown ]; then /bin/echo '7|JG1:x'; else /bin/echo '7|'; fi ;;
*) /bin/echo '7|1000|%d|%d|COMPLETED|0:0|100|n1|u' ;;
esac
`, at, at+60))
	manager := s.command("sacctmgr", "[ -e $0.works ] || exit 3; /bin/cat >>$0.read\n")
	f := s.finisher("n1")
	f.Scheduler = slurm.Scheduler{Sacct: sacct, Sacctmgr: manager, AdminComment: true}
	f.Log = t.Logf
	for k, want := range []int{0, 1, 2, 3, 3} {
		if k == 1 {
			must(t, os.WriteFile(manager+".works", nil, 0o644))
		}
		if k == 3 {
			must(t, os.WriteFile(filepath.Join(filepath.Dir(sacct), "shown"), nil, 0o644))
		}
		if _, err := f.QueryEndStates(t.Context()); err != nil {
			t.Fatal(err)
		}
		read, _ := os.ReadFile(manager + ".read")
		if got := strings.Count(string(read), "JobID=7 set"); got != want {
			t.Errorf("after query %d the comment was written %d times, want %d: %q", k+1, got, want, read)
		}
	}
}

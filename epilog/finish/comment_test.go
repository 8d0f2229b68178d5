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
)

// With slurm.admin_comment a digest goes into the accounting, but not over the comment of another tool. Whatever
// sacctmgr does, one line is logged and the history has the runs and their states.
func TestCommentsInTheAccounting(t *testing.T) {
	for name, c := range map[string]struct{ manager, logged string }{
		"written":        {"/bin/cat >>$0.read\n", "1 admin comment of another tool kept"},
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
			if _, err := f.QueryStates(ctx); err != nil {
				t.Error(err)
			}
			text := strings.Join(lines, "\n")
			want := 2 // what failed, and the comment of another tool
			if name == "written" {
				want = 1
			}
			if len(lines) != want || strings.Count(text, "\n") != want-1 || !strings.Contains(text, c.logged) {
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

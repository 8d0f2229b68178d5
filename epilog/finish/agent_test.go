package finish

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jobgait/agent/job"
	"jobgait/agent/profile/profiletest"
	"jobgait/analysis/summary"
)

// An agent is found by its process (in a tree that looks like /proc), and no other:
// not that of another job or node, none of another program, none whose run has ended,
// and as root none that is another account's or works in another account's directory.
func TestFindAgent(t *testing.T) {
	const program = "/usr/libexec/jobgait/jobgait-agent"
	must := func(err error) {
		t.Helper()
		must(t, err)
	}
	for _, c := range []struct {
		name   string
		change func(proc string, dir job.RunDir, now *job.Run)
		root   bool // only root looks
		found  bool
	}{
		{name: "the agent", found: true},
		{name: "after an upgrade", found: true, change: func(proc string, _ job.RunDir, _ *job.Run) {
			must(os.Remove(proc + "/exe"))
			must(os.Symlink(program+" (deleted)", proc+"/exe"))
		}},
		{name: "after a requeue", found: true, change: func(_ string, _ job.RunDir, now *job.Run) { now.Key.Restart = 1 }},
		{name: "another job", change: func(_ string, _ job.RunDir, now *job.Run) { now.Key.JobID = 70 }},
		{name: "another node", change: func(_ string, _ job.RunDir, now *job.Run) { now.Node = "n2" }},
		{name: "another program", change: func(proc string, _ job.RunDir, _ *job.Run) {
			must(os.Remove(proc + "/exe"))
			must(os.Symlink("/home/mallory/jobgait-agent", proc+"/exe"))
		}},
		{name: "no argument", change: func(proc string, _ job.RunDir, _ *job.Run) {
			must(os.WriteFile(proc+"/cmdline", []byte(program+"\x00--run-dir"), 0o444))
		}},
		{name: "ended", change: func(_ string, dir job.RunDir, _ *job.Run) { must(WriteEnd(dir, End{})) }},
		{name: "process of another", change: func(proc string, _ job.RunDir, _ *job.Run) {
			must(os.WriteFile(proc+"/status", []byte("Name:\tjobgait-agent\nUid:\t65534\t0\t0\t0\n"), 0o444))
		}},
		{name: "of another name", change: func(proc string, _ job.RunDir, _ *job.Run) {
			must(os.WriteFile(proc+"/status", []byte(fmt.Sprintf("Name:\tmallory\nUid:\t%[1]d\t%[1]d\t%[1]d\t%[1]d\n", os.Geteuid())), 0o444))
		}},
		{name: "directory of another", root: true, change: func(_ string, dir job.RunDir, _ *job.Run) { must(os.Chown(string(dir), 65534, -1)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.root && os.Geteuid() != 0 {
				t.Skip("only root looks at who owns what")
			}
			s := newSite(t)
			dir := s.run("n1", "n1", seven, profiletest.Options{}, false)
			proc := filepath.Join(s.root, "proc", "123")
			must(os.MkdirAll(proc, 0o755))
			must(os.Symlink(program, proc+"/exe"))
			must(os.WriteFile(proc+"/status", []byte(fmt.Sprintf("Name:\tjobgait-agent\nUid:\t%[1]d\t%[1]d\t%[1]d\t%[1]d\n", os.Geteuid())), 0o644))
			args := []string{program, "--lock-fd", "3", "--run-dir", string(dir), ""}
			must(os.WriteFile(proc+"/cmdline", []byte(strings.Join(args, "\x00")), 0o644))
			now := job.Run{Key: summary.RunKey{Cluster: "test", JobID: 7}, Node: "n1"}
			if c.change != nil {
				c.change(proc, dir, &now)
			}
			found, run := FindAgent(filepath.Dir(proc), program, now)
			if (found == dir) != c.found || c.found && run.Key != seven {
				t.Errorf("found %q, %+v", found, run.Key)
			}
		})
	}
}

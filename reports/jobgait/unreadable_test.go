package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// aUser runs `jobgait args...` as an ordinary user of a cluster; ingest is the
// setting of its site, whose history is at path.
func aUser(t *testing.T, ingest, path string, args ...string) result {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can make what a user may not read")
	}
	home, err := os.MkdirTemp("", "jobgait-user-") // one that another account can walk to
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	settings := fmt.Sprintf("[history]\npath = %q\ningest = %q\n", path, ingest)
	err = errors.Join(os.WriteFile(filepath.Join(home, "jobgait.toml"), []byte(settings), 0o644),
		os.Chown(home, accountUID, accountUID))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Dir, cmd.Env = home, []string{accountRole + "=jobgait", "HOME=" + home, "JOBGAIT_CONFIG=" +
		filepath.Join(home, "jobgait.toml")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: accountUID, Gid: accountUID}}
	return end(t, cmd)
}

// A history that exists but is not readable for the user is not reported as one without runs. If another host
// has it, the message says so.
func TestHistoryThatIsNotTheUsers(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	path := filepath.Join(site, "history.db")
	db, err := history.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	s := summary.Summary{Schema: summary.Schema, Key: run.Key{Cluster: "c", JobID: 1}, Start: 1.79e9, End: 1.79e9 + 1,
		ElapsedS: 1}
	if err := errors.Join(db.Put(t.Context(), s, history.Ingest{}), db.Close()); err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "absent", "history.db")
	// others see that it is absent
	if err := os.Chmod(filepath.Dir(filepath.Dir(filepath.Dir(elsewhere))), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"list"}, {"list", "--json"}, {"show", "1"}, {"changes"}, {"scaling"},
		{"compare", "1", "1"},
		{"compare", "--like", "1", "1"}, {"dashboard", "-o", "page.html"}} {
		for _, c := range []struct{ ingest, path, says string }{
			{"here", path, "you may not read the site's history " + path + ": your reports lie beside"},
			{"spool", path, "you may not read the site's history " + path + ": your reports lie beside"},
			{"spool", elsewhere, "the site's history is on another host, this one has no " + elsewhere},
			{"here", elsewhere, "no run was stored yet"},
		} {
			r := aUser(t, c.ingest, c.path, args...)
			if r.status.ExitStatus() != 1 || r.out != "" || !strings.Contains(r.complaint, c.says) ||
				strings.Count(r.complaint, "\n") != 1 {
				t.Errorf("%v, %s of %s: %d %q %q", args, c.ingest, c.path, r.status.ExitStatus(), r.out, r.complaint)
			}
		}
		named := aUser(t, "here", elsewhere, append(args, "--history", path)...)
		if named.status.ExitStatus() != 1 ||
			!strings.Contains(named.complaint, "you may not read the history "+path) {
			t.Errorf("%v --history: %d %q", args, named.status.ExitStatus(), named.complaint)
		}
	}
}

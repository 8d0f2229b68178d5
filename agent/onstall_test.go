package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jobgait/agent/as"
	"jobgait/agent/job"
	"jobgait/agent/live"
	"jobgait/analysis/run"
	"jobgait/analysis/tracker"
	"jobgait/configs"
)

// rootsDir returns a directory that, like all its parents, only root can change; so it is not below the
// directory of temporary files.
func rootsDir(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root has programs that no other account can change")
	}
	dir, err := os.MkdirTemp("/", "jobgait-stall-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Skipf("no directory of root's own: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// programOf is a shell script.
func programOf(t *testing.T, dir, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(dir, "program")
	if err := errors.Join(os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o600), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOnlyRootsProgramsAreStarted(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(dir, program string) (string, error)
		want string
	}{
		{"as it should be", func(_, p string) (string, error) { return p, nil }, ""},
		{"another's program", func(_, p string) (string, error) {
			return p, os.Chown(p, 65534, 65534)
		}, "does not belong to root"},
		{"writable by its group", func(_, p string) (string, error) {
			return p, os.Chmod(p, 0o775)
		}, "other than root can change"},
		{"writable by others", func(_, p string) (string, error) {
			return p, os.Chmod(p, 0o757)
		}, "other than root can change"},
		{"in a directory of others", func(d, p string) (string, error) {
			return p, os.Chown(d, 65534, 65534)
		}, "does not belong to root"},
		{"in a directory for all", func(d, p string) (string, error) {
			return p, os.Chmod(d, 0o1777)
		}, "other than root can change"},
		{"no program", func(_, p string) (string, error) { return p, os.Chmod(p, 0o644) }, "not an executable file"},
		{"a directory", func(d, _ string) (string, error) { return d, nil }, "not an executable file"},
		{"a link", func(d, p string) (string, error) { return d + "/link", os.Symlink(p, d+"/link") },
			"not an executable file"},
		{"a path with ..", func(d, p string) (string, error) {
			return d + "/../" + filepath.Base(d) + "/program", nil
		}, "want an absolute path"},
		{"gone", func(d, _ string) (string, error) { return d + "/none", nil }, "no such file"},
	} {
		dir := rootsDir(t)
		path, err := c.do(dir, programOf(t, dir, "", 0o755))
		if err != nil {
			t.Fatal(err)
		}
		err = checkProgram(path)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestNoProgramIsStartedAsRoot(t *testing.T) {
	program := programOf(t, rootsDir(t), "", 0o755)
	o := newOnStall(configs.Live{OnStall: program, Account: "root"}, job.Run{Job: run.Job{NNodes: 1}}, self(t))
	o.startOnce(live.State{}, "alice", 1000)
	if err := <-o.ended; err == nil || !strings.Contains(err.Error(), "set live.account") {
		t.Error(err)
	}
}

// The recipient is a program of the site, on the first node of a job of a cluster.
func TestRecipientsOfAStall(t *testing.T) {
	one := job.Run{Node: "n1", Job: run.Job{NNodes: 1, NodeList: "n1"}}
	own := one
	own.RootPID = 9
	second := job.Run{Node: "n2", Job: run.Job{NNodes: 2, NodeList: "n[1-2]"}}
	firstOf2 := job.Run{Node: "n1", Job: second.Job}
	set := configs.Live{OnStall: "/p", Account: "a"}
	for name, c := range map[string]struct {
		live configs.Live
		run  job.Run
		told bool
	}{
		"nothing set": {configs.Live{}, one, false}, "set": {set, one, true}, "jobgait run": {set, own, false},
		"the second node": {set, second, false}, "the first of two": {set, firstOf2, true},
	} {
		if got := newOnStall(c.live, c.run, "self") != nil; got != c.told {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The program runs with the account's rights, has nothing in its environment except what a shell sets, and
// reads the state as its input. The second stall of a run starts no program.
func TestStallIsReportedOnce(t *testing.T) {
	dir := rootsDir(t)
	to := filepath.Join(dir, "told")
	if err := errors.Join(os.Mkdir(to, 0o700), os.Chown(to, 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	program := programOf(t, dir, "cat > "+to+"/input\nid -u > "+to+"/id\nenv > "+to+"/env\necho >> "+to+"/times\n", 0o755)
	o := newOnStall(configs.Live{OnStall: program, Account: "nobody"}, job.Run{Job: run.Job{NNodes: 1}}, self(t))
	state := live.State{Schema: live.Schema, JobID: 7, State: tracker.Stalled,
		Stalled: &live.Stalled{Doing: tracker.Sleeping}}
	o.startOnce(state, "alice", 1000)
	o.startOnce(state, "alice", 1000)
	if err := <-o.ended; err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(to, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	var got stallReport
	if err := json.Unmarshal([]byte(read("input")), &got); err != nil || got.JobID != 7 || got.User != "alice" ||
		got.UID != 1000 || got.Stalled == nil {
		t.Errorf("%q, %v", read("input"), err)
	}
	for _, v := range strings.Fields(read("env")) {
		if name, _, _ := strings.Cut(v, "="); name != "PWD" && name != "SHLVL" && name != "_" && name != "OLDPWD" {
			t.Errorf("environment: %s", v)
		}
	}
	if read("id") != "65534\n" || read("times") != "\n" {
		t.Errorf("%q %q", read("id"), read("times"))
	}
	if err := o.takeError(); err != nil {
		t.Errorf("reported twice: %v", err)
	}
}

// A hanging program is abandoned when its time is over, and no process waits for it.
func TestHangingProgramIsLeftBehind(t *testing.T) {
	dir := rootsDir(t)
	account, err := as.Lookup(t.Context(), "nobody")
	if err != nil {
		t.Skip(err)
	}
	o := newOnStall(configs.Live{OnStall: programOf(t, dir, "exec sleep 3600\n", 0o755), Account: "nobody"},
		job.Run{Job: run.Job{NNodes: 1}}, self(t))
	tell := o.notify
	o.notify = func(ctx context.Context, text []byte) error {
		ctx, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		defer cancel()
		return tell(ctx, text)
	}
	o.startOnce(live.State{}, "alice", 1000)
	if err := <-o.ended; !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v as %+v", err, account)
	}
}

// self is this program, which is the child too.
func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

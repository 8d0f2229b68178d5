package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"jobgait/agent/job/jobtest"
	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// mailing is a history with a job that has just ended, and a program that says it is sendmail: it keeps its
// arguments and its input.
func mailing(t *testing.T, sendmail string) (env []string, sent func() string) {
	t.Helper()
	dir := t.TempDir()
	db, err := history.Open(t.Context(), filepath.Join(dir, "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	now := float64(time.Now().Unix())
	s := summary.Summary{Schema: summary.Schema, Key: run.Key{Cluster: "c1", JobID: 8},
		Job: run.Job{Name: "x", User: "alice",
			UID: 1000, NNodes: 1}, Start: now - 100, End: now, ElapsedS: 100, Exit: &run.Exit{},
		Quality: run.Quality{Scope: "job"}}
	if err := db.Put(t.Context(), s, history.Ingest{}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if sendmail == "" {
		sendmail = filepath.Join(dir, "sendmail")
		script := fmt.Sprintf("#!/bin/sh\n# A fake: it says that it is sendmail.\n{ echo \"$@\"; cat; } >%s/sent\n", dir)
		if err := jobtest.WriteProgram(sendmail, []byte(script)); err != nil {
			t.Fatal(err)
		}
	}
	settings := filepath.Join(dir, "jobgait.toml")
	text := fmt.Sprintf("[history]\npath = %q\n[slurm]\nsacct = \"\"\n[mail]\nsendmail = %q\nwait_s = 3.0\n",
		filepath.Join(dir, "history.db"), sendmail)
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"HOME=" + dir, "JOBGAIT_CONFIG=" + settings}, func() string {
		b, _ := os.ReadFile(filepath.Join(dir, "sent"))
		_ = os.Remove(filepath.Join(dir, "sent"))
		return string(b)
	}
}

func TestMailWithTheReport(t *testing.T) {
	env, sent := mailing(t, "")
	ended := "Slurm Job_id=8 Name=x Ended, Run time 00:01:40, COMPLETED, ExitCode 0"
	got := askIn(env, "mail", "-s", ended, "alice")
	text := sent()
	if got.status != 0 || got.complaint != "" ||
		!strings.HasPrefix(text, "-i -t\nTo: alice\nSubject: "+ended+"\n") ||
		!strings.Contains(text, "\n\n=== jobgait") || !strings.Contains(text, " IN SHORT\n") {
		t.Errorf("%+v\n%s", got, text)
	}
	// The usual mail: a job that begins, an unknown job, another user's job with that id.
	for _, c := range []struct {
		subject string
		more    []string
	}{
		{"Slurm Job_id=8 Name=x Began, Queued time 00:00:01", nil},
		{"Slurm Job_id=9 Name=x Ended, Run time 00:01:40, COMPLETED, ExitCode 0", nil},
		{ended, []string{"SLURM_JOB_USER=bob"}},
		{"Something else", nil},
	} {
		got := askIn(append(c.more, env...), "mail", "-s", c.subject, "alice")
		if text := sent(); got.status != 0 || !strings.Contains(text, "Subject: "+c.subject+"\n") ||
			strings.Contains(text, "jobgait") {
			t.Errorf("%s: %+v\n%s", c.subject, got, text)
		}
	}
	for _, bad := range []string{"alice\nBcc: mallory", "alice\r\n\r\nbody", "", "-oQ/tmp", "Jane <jane"} {
		got := askIn(env, "mail", "-s", ended, "--", bad)
		if text := sent(); got.status != 0 || strings.Count(got.complaint, "\n") != 1 || text != "" {
			t.Errorf("%q: %+v\n%s", bad, got, text)
		}
	}
}

// Without a mail system, with one that fails and with one that hangs it prints one line, and the controller sees
// success. What the mail system started is killed with it.
func TestMailWithoutSendmail(t *testing.T) {
	dir := t.TempDir()
	program := func(name, script string) string {
		path := filepath.Join(dir, name)
		if err := jobtest.WriteProgram(path, []byte("#!/bin/sh\n"+script+"\n")); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ended := "Slurm Job_id=8 Name=x Ended, Run time 00:01:40, COMPLETED"
	if _, err := os.Stat(defaultMailProgram); err == nil {
		ended = "" // it would send a mail
	}
	child := filepath.Join(dir, "child")
	for _, c := range []struct{ sendmail, want string }{
		{filepath.Join(dir, "absent"), "neither mail.sendmail ("},
		{program("fails", "cat >/dev/null; echo queue; echo full >&2; exit 75"), "fails failed: exit status 75: queue full"},
		{program("deaf", "exit 0"), ""},
		{dir, "permission denied"},
		{program("mailx", "cat >/dev/null; echo \"mail: invalid option -- 't'\" >&2; exit 64"),
			"mailx failed: it does not know the options -i -t (mail: invalid option -- 't'); " + defaultMailProgram},
		{program("hangs", "sleep 600 & echo $! >"+child+"; wait"), "hangs did not end within"},
	} {
		if ended == "" && (c.want == "neither mail.sendmail (" || strings.HasSuffix(c.want, defaultMailProgram)) {
			continue
		}
		env, _ := mailing(t, c.sendmail)
		ctx, cancel := context.WithCancel(t.Context())
		if strings.HasSuffix(c.sendmail, "hangs") {
			go func() {
				jobtest.Poll(time.Minute, func() bool { return exists(child) })
				cancel()
			}()
		}
		var out, complaint bytes.Buffer
		status := runJobgait(ctx, env, []string{"jobgait", "mail", "-s", ended, "alice"}, &out, &complaint)
		cancel()
		lines := strings.Count(complaint.String(), "\n")
		if status != 0 || out.Len() > 0 || c.want == "" && lines > 0 ||
			c.want != "" && (lines != 1 || !strings.Contains(complaint.String(), c.want)) {
			t.Errorf("%s: %d, %q, %q", c.sendmail, status, &out, &complaint)
		}
	}
	pid, err := os.ReadFile(child)
	if err != nil {
		t.Fatal(err)
	}
	jobtest.Until(t, "the child of sendmail is gone", func() bool {
		b, err := os.ReadFile(filepath.Join("/proc", strings.TrimSpace(string(pid)), "cmdline"))
		return err != nil || len(b) == 0 // gone, or a zombie that init has not reaped yet
	})
}

// exists reports whether a file exists and has content.
func exists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() > 0
}

// Ten thousand recipients get their mail as they would without jobgait; more than an argument can hold are one line.
func TestMailToMany(t *testing.T) {
	env, sent := mailing(t, "")
	list := make([]string, 10000)
	for i := range list {
		list[i] = fmt.Sprintf("u%d@x.org", i)
	}
	got := askIn(env, "mail", "-s", "Slurm Job_id=8 Name=x Began, Queued time 00:00:01", strings.Join(list[:9000], ","))
	text := sent()
	arguments, message, _ := strings.Cut(text, "\n")
	if got.status != 0 || got.complaint != "" || arguments != "-i -t" || strings.Count(message, "@x.org") != 9000 {
		t.Errorf("%d, %.200s, arguments %.100q, %d recipients", got.status, got.complaint, arguments,
			strings.Count(message, "@x.org"))
	}
	for line := range strings.Lines(message) {
		if len(line) > 998 { // RFC 5322
			t.Fatalf("a line of %d bytes", len(line))
		}
	}
	got = askIn(env, "mail", "-s", "x", strings.Join(append(list, list[0]+strings.Repeat("y", 70000)), ","))
	if text := sent(); got.status != 0 || strings.Count(got.complaint, "\n") != 1 || text != "" {
		t.Errorf("%d, %.200s", got.status, got.complaint)
	}
}

// An account that may only read the history, as that of the controller, gets the report: SQLite would create files in
// the history's directory, where the account may not write.
func TestMailOfAReadOnlyHistory(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can run a program as another account")
	}
	env, _ := mailing(t, "")
	dir := strings.TrimPrefix(env[0], "HOME=")
	sent := filepath.Join(dir, "sent")
	for path, end := dir, filepath.Clean(os.TempDir()); path != end && path != "/"; path = filepath.Dir(path) {
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Chmod(filepath.Join(dir, "history.db"), 0o644), os.WriteFile(sent, nil, 0o666),
		os.Chmod(sent, 0o666), os.Chmod(filepath.Join(dir, "jobgait.toml"), 0o644)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe", "mail", "-s", "Slurm Job_id=8 Name=x Ended, Run time 00:01:40, COMPLETED",
		"alice")
	cmd.Dir, cmd.Env = "/", append(env[1:], accountRole+"=jobgait") // slurmctld has no HOME
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: accountUID, Gid: accountUID}}
	r := end(t, cmd)
	text, err := os.ReadFile(sent)
	if err != nil || r.status.ExitStatus() != 0 || r.complaint != "" || !strings.Contains(string(text), " IN SHORT\n") {
		t.Errorf("%v, %d, %q, the mail is\n%s", err, r.status.ExitStatus(), r.complaint, text)
	}
}

// TestMailBySystem is run by hand where a mail system delivers to root: JOBGAIT_MAIL names the file of root's mails.
func TestMailBySystem(t *testing.T) {
	box := os.Getenv("JOBGAIT_MAIL")
	if box == "" {
		t.Skip("run by hand: JOBGAIT_MAIL=/var/mail/root where sendmail delivers there")
	}
	env, _ := mailing(t, "/usr/sbin/sendmail")
	name := fmt.Sprintf("test-%d", time.Now().UnixNano())
	got := askIn(env, "mail", "-s", "Slurm Job_id=8 Name="+name+" Ended, Run time 00:01:40, COMPLETED", "root")
	if got.status != 0 || got.complaint != "" {
		t.Fatalf("%+v", got)
	}
	jobtest.Until(t, box+" has a mail of "+name, func() bool {
		b, _ := os.ReadFile(box)
		_, mail, is := strings.Cut(string(b), name)
		return is && strings.Contains(mail, " IN SHORT\n")
	})
}

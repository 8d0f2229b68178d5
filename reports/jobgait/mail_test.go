package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
		if err := os.WriteFile(sendmail, []byte(script), 0o755); err != nil {
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
		!strings.HasPrefix(text, "-i -- alice\nTo: alice\nSubject: "+ended+"\n") ||
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
	for _, bad := range []string{"alice\nBcc: mallory", "", "-oQ/tmp"} {
		got := askIn(env, "mail", "-s", ended, "--", bad)
		if text := sent(); got.status != 0 || strings.Count(got.complaint, "\n") != 1 || text != "" {
			t.Errorf("%q: %+v\n%s", bad, got, text)
		}
	}
}

// Without a mail system it says so in one line and fails nothing.
func TestMailWithoutSendmail(t *testing.T) {
	if _, err := os.Stat(defaultMailProgram); err == nil {
		t.Skip(defaultMailProgram + " is here and would send a mail")
	}
	env, _ := mailing(t, filepath.Join(t.TempDir(), "sendmail"))
	got := askIn(env, "mail", "-s", "Slurm Job_id=8 Name=x Ended, Run time 00:01:40", "alice")
	if got.status != 0 || strings.Count(got.complaint, "\n") != 1 || !strings.Contains(got.complaint, "no mail was sent") {
		t.Errorf("%+v", got)
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

package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/job/slurm"
	"jobgait/agent/profile/profiletest"
	"jobgait/analysis/run"
	"jobgait/configs"
	"jobgait/epilog/finish"
)

// accountUID is the account of the child processes of root in these tests.
const accountUID = 65534

// accountsSite returns a node whose collection directory and history belong to the account nobody, and its
// settings.
func accountsSite(t testing.TB) (env map[string]string, cfg configs.Config) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can become another account")
	}
	dir, err := os.MkdirTemp("", "jobgait-epilog-")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	must(t, os.Chmod(dir, 0o755))
	for _, d := range []string{"/collect", "/lib"} {
		must(t, os.Mkdir(dir+d, 0o700))
		must(t, os.Chown(dir+d, accountUID, accountUID))
	}
	config := dir + "/jobgait.toml"
	must(t, os.WriteFile(config, []byte("[spool]\ndir = \""+dir+"/spool\"\n[collect]\ndir = \""+dir+
		"/collect\"\naccount = \"nobody\"\n"+
		"[history]\npath = \""+dir+"/lib/history.db\"\ningest = \"spool\"\n[slurm]\nscontrol = \"\"\nsacct = "+
		"\"\"\n[report]\nmin_elapsed_s = 0\n"), 0o600))
	env = map[string]string{"JOBGAIT_CONFIG": config}
	_, cfg, err = loadSettings(func(name string) string { return env[name] })
	must(t, err)
	return env, cfg
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// finishRun leaves the record of a run for the writer of the history.
func finishRun(t testing.TB, cfg configs.Config) {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	key := run.Key{Cluster: "test", JobID: 100}
	dir := job.Dir(cfg.Spool.Dir, "n1", key)
	real, mono := job.Clock()
	r := job.Run{Key: key, Node: "n1", BootID: job.BootID(), StartReal: real - 20, StartMono: mono - 20,
		Job: run.Job{UID: accountUID, GID: accountUID, NNodes: 1, NodeList: "n1", WorkDir: cfg.Collect.Dir}}
	must(t, errors.Join(job.MakeNodeDir(cfg.Spool.Dir, "n1"), dir.Make(), dir.WriteRun(r),
		profiletest.Write(dir.ProfilePath(),
			profiletest.SyntheticRun{Key: key, Node: "n1", Seconds: 4, PeriodS: 0.4, Seal: true}),
		finish.WriteEnd(dir, finish.RunEnd{Real: real, Mono: mono, BootID: r.BootID})))
	f := finish.Finisher{Config: cfg, Spool: job.NodeDir(cfg.Spool.Dir, "n1"), Program: self, Scheduler: slurm.Scheduler{},
		Log: t.Logf}
	must(t, f.Finish(t.Context(), dir))
}

// ingestInUnit returns a function that runs the ingest as its unit does, and returns status, output and messages.
func ingestInUnit(t *testing.T, env map[string]string, cfg configs.Config) func() (int, string, string) {
	t.Helper()
	program := filepath.Join(filepath.Dir(cfg.Spool.Dir), "program") // where the account may execute it
	must(t, jobtest.CopyTestProgram(program))
	must(t, os.Chmod(env["JOBGAIT_CONFIG"], 0o644))
	return func() (int, string, string) {
		var out, complaint bytes.Buffer
		cmd := jobtest.UnitCommand(t, "../configs/systemd/jobgait-ingest.service", program, "--ingest")
		cmd.Env, cmd.Stdout, cmd.Stderr = []string{"JOBGAIT_CONFIG=" + env["JOBGAIT_CONFIG"]}, &out, &complaint
		if err := cmd.Run(); cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return cmd.ProcessState.ExitCode(), out.String(), complaint.String()
	}
}

// The ingest's unit writes the site's figures only to a directory that its account or root alone can change; the job
// record reaches the history all the same.
func TestIngestWritesTheSitesFiguresToItsOwnDirectory(t *testing.T) {
	for name, c := range map[string]struct {
		owner int
		mode  os.FileMode
		says  string // "" if the figures are written
	}{
		"the account's":     {accountUID, 0o755, ""},
		"another account's": {4711, 0o755, "belongs to uid 4711"},
		"every account's":   {accountUID, 0o777, "has mode 0777"},
	} {
		t.Run(name, func(t *testing.T) {
			env, cfg := accountsSite(t)
			finishRun(t, cfg)
			dir := filepath.Join(filepath.Dir(cfg.Spool.Dir), "prom")
			must(t, errors.Join(os.Mkdir(dir, 0o755), os.Chmod(dir, c.mode), os.Chown(dir, c.owner, c.owner)))
			settings, err := os.ReadFile(env["JOBGAIT_CONFIG"])
			must(t, err)
			settings = append(settings, "[health]\nsite_textfile = \""+dir+"\"\n"...)
			must(t, os.WriteFile(env["JOBGAIT_CONFIG"], settings, 0o600))
			status, out, complaint := ingestInUnit(t, env, cfg)()
			if !strings.Contains(out, "1 job record written") {
				t.Errorf("output %q", out)
			}
			_, err = os.Stat(filepath.Join(dir, "jobgait-site.prom"))
			if c.says == "" && (status != 0 || complaint != "" || err != nil) {
				t.Errorf("status %d, %q, %v", status, complaint, err)
			}
			if c.says != "" && (status != 1 || strings.Count(complaint, "\n") != 1 || !strings.Contains(complaint, c.says) ||
				!strings.Contains(complaint, "health.site_textfile") || err == nil) {
				t.Errorf("status %d, %q, %v", status, complaint, err)
			}
		})
	}
}

// Root neither reads what the account wrote nor leaves it a history that the account cannot write; messages to
// the account on damaged records contain no escapes.
func TestIngestIsTheAccounts(t *testing.T) {
	env, cfg := accountsSite(t)
	finishRun(t, cfg)
	damaged := filepath.Join(cfg.Collect.Dir, "jobs", "x\x1b[31m.json.gz")
	must(t, errors.Join(os.WriteFile(damaged, []byte("x"), 0o600), os.Chown(damaged, accountUID, accountUID),
		os.Chmod(env["JOBGAIT_CONFIG"], 0o644)))
	status, out, complaint := call(t, env, "--ingest")
	if status != 1 || out != "" || strings.Count(complaint, "\n") != 1 ||
		!strings.Contains(complaint, "runuser -u nobody -- ") {
		t.Errorf("root: %d %q %q", status, out, complaint)
	}
	if _, err := os.Stat(cfg.History.Path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("root made a history: %v", err)
	}
	ingest := ingestInUnit(t, env, cfg)
	status, out, complaint = ingest()
	if status != 1 || !strings.Contains(out, "1 job record written") || !strings.Contains(out, "1 set aside") ||
		strings.Contains(out+complaint, "\x1b") || strings.Count(complaint, "\n") != 1 {
		t.Errorf("%d %q %q", status, out, complaint)
	}
	must(t, os.Chown(filepath.Dir(cfg.History.Path), 0, 0))
	if status, _, complaint := ingest(); status != 1 || !strings.Contains(complaint, "permission") {
		t.Errorf("where the directory is root's: %d %q", status, complaint)
	}
}

package check

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jobgait/agent/job"
	"jobgait/analysis/summary"
	"jobgait/configs"
	"jobgait/epilog/finish"
)

// site is an installation in which everything is right but that it lies on one
// machine.
type site struct {
	Node
	t   *testing.T
	dir string
}

const slurmConfig = `Configuration data as of 2026-11-20T12:00:00
Epilog                  = @/epilog
Prolog                  = @/prolog
PrologFlags             = Alloc,Contain
TaskProlog              = (null)
`

func newSite(t *testing.T) *site {
	t.Helper()
	dir := t.TempDir()
	s := &site{t: t, dir: dir}
	s.Name, s.Program, s.Settings = "n1", dir+"/jobgait/jobgait-epilog", dir+"/jobgait.toml"
	s.Config = configs.Default()
	s.Config.Spool.Dir, s.Config.Collect = dir+"/spool", configs.Collect{Dir: dir + "/collect"}
	s.Config.History.Path, s.Config.Slurm.Scontrol = dir+"/history/history.db", dir+"/scontrol"
	for _, name := range []string{"jobgait-prolog", "jobgait-agent", "jobgait-epilog", "prolog", "epilog"} {
		s.write("jobgait/"+name, "#!/bin/sh\n", 0o755)
	}
	s.write("jobgait.toml", "", 0o644)
	s.scontrol(slurmConfig)
	if err := os.Mkdir(dir+"/collect", 0o700); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *site) write(path, text string, mode os.FileMode) {
	s.t.Helper()
	path = filepath.Join(s.dir, path)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(text), mode)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// scontrol prints a configuration.
func (s *site) scontrol(config string) {
	s.write("scontrol", "#!/bin/sh\n/bin/cat <<'E'\n"+strings.ReplaceAll(config, "@", s.dir+"/jobgait")+"E\n", 0o755)
}

// ended leaves a run that ended so long ago and is not finished.
func (s *site) ended(ago time.Duration) {
	s.t.Helper()
	if err := job.MakeNodeDir(s.Config.Spool.Dir, "n1"); err != nil {
		s.t.Fatal(err)
	}
	d := job.Dir(s.Config.Spool.Dir, "n1", summary.RunKey{Cluster: "c", JobID: 7})
	end := finish.End{Real: float64(time.Now().Add(-ago).Unix())}
	if err := errors.Join(d.Make(), d.WriteRun(job.Run{}), finish.WriteEnd(d, end)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) findings() (text string, bad []string) {
	for _, f := range s.Findings(s.t.Context()) {
		text += fmt.Sprintf("%s %s: %s\n", f.Verdict, f.Subject, f.Text)
		if f.Verdict == Wrong {
			bad = append(bad, f.Subject+": "+f.Text)
		}
	}
	return text, bad
}

// What is right is not called wrong, in either kind of history, and nothing is left
// behind but the node's part of the spool.
func TestAllIsWell(t *testing.T) {
	s := newSite(t)
	for _, ingest := range []string{"here", "spool"} {
		s.Config.History.Ingest = ingest
		text, bad := s.findings()
		if len(bad) > 0 || !strings.Contains(text, "look collect:") || strings.Count(text, "look") != 1 {
			t.Errorf("history %s:\n%s", ingest, text)
		}
	}
	for _, dir := range []string{"spool/n1", "collect"} {
		if entries, err := os.ReadDir(filepath.Join(s.dir, dir)); err != nil || len(entries) != 0 {
			t.Errorf("left in %s: %v, %v", dir, entries, err)
		}
	}
	if _, err := os.Stat(s.dir + "/history"); err == nil {
		t.Error("it has made a history")
	}
}

// Each thing that is wrong is the only one that is called so, in words that say
// what to do.
func TestWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		name, says string
		spoil      func(s *site)
	}{
		{"settings", "settings: line 3", func(s *site) { s.Unusable = errors.New("line 3: no number") }},
		{"no agent", "programs: stat", func(s *site) { os.Remove(s.dir + "/jobgait/jobgait-agent") }},
		{"agent that is no program", "jobgait-agent is no program", func(s *site) { os.Chmod(s.dir+"/jobgait/jobgait-agent", 0o644) }},
		{"spool that is a file", "spool: make spool", func(s *site) { s.write("spool", "", 0o644) }},
		{"collection directory missing", "no such file or directory: collect.dir has to be there", func(s *site) { os.Remove(s.dir + "/collect") }},
		{"collection directory for all", "collect: " + "", func(s *site) { os.Chmod(s.dir+"/collect", 0o755) }},
		{"history that is none", "not an SQLite database", func(s *site) { s.write("history/history.db", strings.Repeat("x", 5000), 0o644) }},
		{"history below a file", "not a directory", func(s *site) { s.write("history", "", 0o644) }},
		{"no Prolog", "slurm.conf has no Prolog, so nothing is called: Prolog=", func(s *site) {
			s.scontrol(strings.Replace(slurmConfig, "= @/prolog", "= (null)", 1))
		}},
		{"Epilog that is not there", "is no program on this node", func(s *site) {
			s.scontrol(strings.Replace(slurmConfig, "@/epilog", "/no/jobgait/epilog", 1))
		}},
		{"no flags", "neither Alloc nor Contain", func(s *site) { s.scontrol(strings.Replace(slurmConfig, "Alloc,Contain", "(null)", 1)) }},
		{"scontrol that fails", "exit status 1: fatal", func(s *site) { s.write("scontrol", "#!/bin/sh\necho trying >&2; echo fatal >&2; exit 1\n", 0o755) }},
		{"no scontrol", "no such file", func(s *site) { os.Remove(s.dir + "/scontrol") }},
		{"runs left over", "1 have ended and are not finished, the first for 3h0m0s", func(s *site) { s.ended(3 * time.Hour) }},
		{"nobody ingests", "1 job records wait, the first for 5h0m0s", func(s *site) {
			s.Config.History.Ingest = "spool"
			s.write("collect/jobs/a.json.gz", "", 0o600)
			old := time.Now().Add(-5 * time.Hour)
			os.Chtimes(s.dir+"/collect/jobs/a.json.gz", old, old)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSite(t)
			c.spoil(s)
			text, bad := s.findings()
			if len(bad) == 0 || !strings.Contains(bad[0], c.says) || len(bad) > 1 && c.name != "spool that is a file" {
				t.Errorf("want one WRONG with %q:\n%s", c.says, text)
			}
		})
	}
}

// What a site does in its own way is to be looked at, not wrong.
func TestHooksOfTheSite(t *testing.T) {
	s := newSite(t)
	s.scontrol("Prolog[0] = /etc/slurm/prolog.d/*\nProlog[1] = /x\nEpilog[0] = @/epilog\nPrologFlags = Contain\n")
	text, bad := s.findings()
	if len(bad) > 0 || !strings.Contains(text, "look slurm: Prolog=/etc/slurm/prolog.d/*, /x: it has to call "+s.dir+"/jobgait/prolog") {
		t.Error(text)
	}
}

// A program that another account can change is not one that root should run.
func TestProgramsOfOthers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root is warned")
	}
	s := newSite(t)
	if err := os.Chown(s.dir+"/jobgait/jobgait-agent", 65534, -1); err != nil {
		t.Fatal(err)
	}
	if text, bad := s.findings(); len(bad) != 1 || !strings.Contains(bad[0], "can be changed by others than root (uid 65534") {
		t.Error(text)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(slurmConfig))
	f.Add([]byte("Prolog[0] = a\nProlog[1] = b\n"))
	f.Add([]byte("=\nA=\x1b[2J\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, finding := range judge(parse(b), "/d") {
			if strings.ContainsAny(finding.Text, "\n\x1b\x00") {
				t.Errorf("%q", finding.Text)
			}
		}
	})
}

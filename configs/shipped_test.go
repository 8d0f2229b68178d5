package configs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"jobgait/agent/job/jobtest"
)

// libexec is where the hooks and their programs are installed.
const libexec = "/usr/libexec/jobgait"

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Shipped files that name a path or an account agree with the defaults.
func TestShippedFilesAgree(t *testing.T) {
	c := Default()
	for path, lines := range map[string][]string{
		"slurm/slurm.conf.example": {"Prolog=" + libexec + "/prolog", "Epilog=" + libexec + "/epilog",
			"PrologFlags=Alloc"},
		"slurm/plugstack.conf.example":  {"optional jobgait.so"},
		"systemd/jobgait-sweep.service": {"ExecStart=" + libexec + "/jobgait-epilog --sweep"},
		"systemd/jobgait-ingest.service": {"ExecStart=" + libexec + "/jobgait-epilog --ingest", "User=" + c.Collect.Account,
			"StateDirectory=" + strings.TrimPrefix(filepath.Dir(c.History.Path), "/var/lib/")},
		"systemd/jobgait-prune.service": {"ExecStart=" + libexec + "/jobgait prune", "User=" + c.Collect.Account},
		"systemd/jobgait-prune.timer":   {"WantedBy=timers.target"},
		"systemd/jobgait-sweep.timer":   {"WantedBy=timers.target"},
		"systemd/jobgait-ingest.timer":  {"WantedBy=timers.target"},
		"sysusers.d/jobgait.conf":       {"u " + c.Collect.Account + " "},
		"tmpfiles.d/jobgait.conf": {"d " + c.Spool.Dir + " ", "d " + c.Collect.Dir + " 0700 " + c.Collect.Account +
			" "},
	} {
		text := "\n"
		for line := range strings.Lines(read(t, path)) {
			text += strings.Join(strings.Fields(line), " ") + " \n"
		}
		for _, line := range lines {
			if !strings.Contains(text, "\n"+line) {
				t.Errorf("%s has no line %q", path, line)
			}
		}
	}
	for path := range map[string]bool{"slurm/prolog": true, "slurm/epilog": true} {
		if text := read(t, path); !strings.Contains(text, " "+libexec+" ") {
			t.Errorf("%s does not look into %s", path, libexec)
		}
	}
}

// No unit has the idle class of disk I/O: its requests wait for as long as others write.
func TestUnitsAreNotStarvedOfTheDisk(t *testing.T) {
	units, err := filepath.Glob("systemd/*.service")
	if err != nil || len(units) == 0 {
		t.Fatal(units, err)
	}
	for _, unit := range units {
		if strings.Contains(read(t, unit), "IOSchedulingClass=idle") {
			t.Errorf("%s: IOSchedulingClass=idle", unit)
		}
	}
}

// The wrappers end with 0 whatever becomes of the program, without PATH.
func TestWrappersAlwaysSucceed(t *testing.T) {
	for _, hook := range []string{"prolog", "epilog"} {
		for name, program := range map[string]string{
			"works":    "#!/bin/sh\necho \"ran $*\"\n",
			"fails":    "#!/bin/sh\necho ran; exit 7\n",
			"killed":   "#!/bin/sh\necho ran; kill -9 $$\n",
			"is none":  "#!/no/such/interpreter\n",
			"is empty": "",
			"missing":  "-",
		} {
			t.Run(hook+" "+name, func(t *testing.T) {
				dir := t.TempDir()
				wrapper := filepath.Join(dir, hook)
				if err := jobtest.WriteProgram(wrapper, []byte(read(t, "slurm/"+hook))); err != nil {
					t.Fatal(err)
				}
				if program != "-" {
					if err := jobtest.WriteProgram(filepath.Join(dir, "jobgait-"+hook), []byte(program)); err != nil {
						t.Fatal(err)
					}
				}
				cmd := exec.Command(wrapper, "an argument")
				cmd.Env = []string{"SLURM_JOB_ID=17"}
				out, err := cmd.CombinedOutput() // waits for the pipe's end, as slurmd does
				if err != nil {
					t.Errorf("%v: %s", err, out)
				}
				if strings.Contains(program, "echo") && !strings.HasPrefix(string(out), "ran") {
					t.Errorf("the program did not run: %s", out)
				}
				if _, err := os.Stat(libexec); err == nil {
					return // an installed program is found instead
				}
				if program == "-" && !strings.Contains(string(out), "job 17") {
					t.Errorf("no word of a missing program: %q", out)
				}
			})
		}
	}
}

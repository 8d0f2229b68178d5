package testcluster

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The output of doctor on a node of a working cluster with the real scontrol: no failure, and only the warnings
// that such a cluster causes, which is one machine without cgroups for its jobs.
func TestNodeIsSetUp(t *testing.T) {
	t.Parallel()
	c := use(t)
	cmd := exec.Command(c.path("bin", "jobgait"), "doctor", "--json")
	cmd.Env = append(c.env(account{name: "root", home: "/root"}), "SLURMD_NODENAME=n1")
	out, err := cmd.Output()
	var d struct {
		Node     string
		Findings []struct {
			Subject, Verdict, Text string
			Seen                   bool
		}
	}
	if jerr := json.Unmarshal(out, &d); err != nil || jerr != nil || d.Node != "n1" {
		t.Fatalf("%v, %v\n%s", err, jerr, out)
	}
	says := map[string]string{"slurm.conf": c.path("etc", "slurm.conf") + " equals the controller's", "prolog": "Prolog=" +
		c.path("libexec"),
		"epilog": "Epilog=" + c.path("libexec"), "flags": "PrologFlags=Alloc", "timeout": "Slurm's limits are longer",
		"spank":   c.path("lib", "jobgait.so") + ", named by " + c.path("etc", "plugstack.conf"),
		"collect": c.path("collect") + " can be written by jobgait-test",
		"clock":   "as that of the controller and the file server", "versions": "all are "}
	for _, f := range d.Findings {
		if want, ok := says[f.Subject]; ok && !strings.Contains(f.Text, want) {
			t.Errorf("%s: %q does not say %q", f.Subject, f.Text, want)
		}
		delete(says, f.Subject)
		if f.Verdict != "ok" && !slices.Contains([]string{"cgroup", "collect", "timers", "perf"}, f.Subject) ||
			f.Verdict == "failure" || !f.Seen {
			t.Errorf("%+v", f)
		}
	}
	if len(says) > 0 {
		t.Errorf("nothing is said of %v:\n%s", says, out)
	}
}

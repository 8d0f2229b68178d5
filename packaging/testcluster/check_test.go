package testcluster

import (
	"os/exec"
	"strings"
	"testing"
)

// What a node says of itself where all is well: nothing is wrong, and slurm.conf,
// read by the real scontrol, names both hooks.
func TestNodeIsSetUp(t *testing.T) {
	t.Parallel()
	c := use(t)
	cmd := exec.Command(c.path("libexec", "jobgait", "jobgait-epilog"), "--check")
	cmd.Env = append(c.env(account{name: "root", home: "/root"}), "SLURMD_NODENAME=n1")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "WRONG") {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"slurm     Prolog=" + c.path("libexec"), "slurm     Epilog=" + c.path("libexec"), "PrologFlags=",
		"collect   " + c.path("collect") + " can be written by jobgait-test"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
}

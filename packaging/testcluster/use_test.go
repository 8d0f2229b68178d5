package testcluster

import (
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// `make cluster` prints how to use the cluster. The commands are executed as they are printed: they submit a job, print
// its report and list it.
func TestClusterSaysHowToUseIt(t *testing.T) {
	t.Parallel()
	c := use(t)
	var commands []string
	for line := range strings.Lines(c.printed) {
		if strings.HasPrefix(line, "  ") {
			commands = append(commands, strings.TrimSpace(line))
		}
	}
	if len(commands) == 0 || !strings.Contains(c.printed, "cluster.sh down "+c.prefix) {
		t.Fatalf("no commands, or none to remove the cluster, in\n%s", c.printed)
	}
	cmd := exec.Command("timeout", strconv.Itoa(int(limit.Seconds())), "bash", "-e", "-c", strings.Join(commands, "\n"))
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "HOME=/root"}
	out, err := cmd.CombinedOutput()
	for _, want := range []string{`Submitted batch job \d+`, `=== jobgait report`, `exit code 0`, `(?m)^ *\d+ .*wrap`} {
		if !regexp.MustCompile(want).Match(out) {
			t.Errorf("%q is not printed", want)
		}
	}
	if err != nil || t.Failed() {
		t.Errorf("%v\n%s", err, out)
	}
}

package modern

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// tree is the root of the source tree.
const tree = "../.."

// settingsFile is where a cluster has its settings.
const settingsFile = "/etc/jobgait/jobgait.toml"

// slow are the settings that only an emulated machine needs: its interrupts cost
// some thirty times as much, and a test's jobs are short. MEASURED.md has them.
var slow = []struct{ section, key, value string }{
	{"agent", "rate_hz", "50"},
	{"agent", "address_hz", "100"},
	{"agent", "budget_pct", "40.0"},
	{"report", "min_elapsed_s", "5.0"},
}

// TestInstall does what the README says, to the letter, and then sets what this
// slow machine needs.
func TestInstall(t *testing.T) {
	c := use(t)
	for _, s := range treeSteps(t, tree) {
		t.Run(fmt.Sprintf("line %d", s.line), func(t *testing.T) {
			if s.builds() {
				c.install(t, s)
			} else {
				c.follow(t, s)
			}
		})
	}
	for _, g := range c.nodes {
		for _, s := range slow {
			g.set(t, s.section, s.key, s.value)
		}
	}
	c.idle(t)
}

// treeSteps are the steps that a source tree's README has.
func treeSteps(t *testing.T, source string) []step {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(source, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	return readSteps(string(text))
}

// install does a step in the image, and puts what came of it onto the nodes.
func (c *cluster) install(t *testing.T, s step) {
	began := time.Now()
	archive := c.build(t, tree, "new.tar", s.script)
	for _, g := range c.nodes {
		g.unpack(t, archive)
	}
	c.check(t, s.title(), "in the image", "", began, "")
}

// title is the step's name in the table.
func (s step) title() string {
	return fmt.Sprintf("README line %d: %s", s.line, strings.TrimPrefix(s.script, s.where))
}

// build runs commands in a source tree in the image and returns the archive of
// what they changed.
func (c *cluster) build(t *testing.T, source, name, script string) (archive string) {
	t.Helper()
	archive = filepath.Join(c.run, name)
	cmd := exec.Command("./build.sh", c.cache, source, archive)
	cmd.Stdin = strings.NewReader(script)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build in the image: %v\n%.8000s", err, out)
	}
	return archive
}

// follow does a step on its hosts, in the source tree once the step that builds it has put it there.
func (c *cluster) follow(t *testing.T, s step) {
	began := time.Now()
	nodes := c.nodes[:1]
	if s.where == everyNode {
		nodes = c.nodes[:]
	}
	var said, wrong string
	for _, g := range nodes {
		out, err := g.try(answer, "set -ex; cd /root; [ ! -d jobgait ] || cd jobgait\n"+s.script)
		said = out
		if err != nil {
			wrong = err.Error()
		}
	}
	c.check(t, s.title(), strings.TrimPrefix(s.where, "# "), said, began, wrong)
}

// set changes one of jobgait's settings on a node.
func (g guest) set(t *testing.T, section, key, value string) {
	t.Helper()
	old := g.do(t, "cat "+settingsFile)
	g.do(t, fmt.Sprintf("cat >%s <<'END'\n%sEND\n", settingsFile, withSetting(old, section, key, value)))
}

// withSetting is a settings file in which a key has a value.
func withSetting(file, section, key, value string) string {
	var out strings.Builder
	in, done := false, false
	for line := range strings.Lines(file) {
		name, _, _ := strings.Cut(line, "=")
		if in && strings.TrimSpace(name) == key {
			continue
		}
		out.WriteString(line)
		if strings.HasPrefix(line, "[") {
			in = strings.TrimSpace(line) == "["+section+"]"
			if in && !done {
				done = true
				fmt.Fprintf(&out, "%s = %s\n", key, value)
			}
		}
	}
	if !done {
		fmt.Fprintf(&out, "[%s]\n%s = %s\n", section, key, value)
	}
	return out.String()
}

func TestWithSetting(t *testing.T) {
	got := withSetting("", "agent", "rate_hz", "50")
	got = withSetting(got, "report", "min_elapsed_s", "5.0")
	got = withSetting(got, "agent", "budget_pct", "40.0")
	got = withSetting(got, "agent", "rate_hz", "60")
	if want := "[agent]\nrate_hz = 60\nbudget_pct = 40.0\n[report]\nmin_elapsed_s = 5.0\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// idle waits until both nodes can take jobs.
func (c *cluster) idle(t *testing.T) {
	t.Helper()
	if !c.n1().wait(3*time.Minute, `[ "$(sinfo -h -N -p main -o %T | sort -u)" = idle ]`) {
		t.Fatalf("the nodes are not idle:\n%s",
			c.n1().do(t, "sinfo -N -l; scontrol show nodes; tail -n 20 /var/log/slurm/slurmctld.log"))
	}
}

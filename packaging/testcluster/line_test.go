package testcluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// withSetting replaces a line of the cluster's settings until the test ends. Tests that use it are not
// parallel.
func (c *cluster) withSetting(t *testing.T, old, replacement string) {
	t.Helper()
	path := c.path("etc", "jobgait.toml")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(good), old) {
		t.Fatalf("the settings have no %q", old)
	}
	t.Cleanup(func() {
		if err := os.WriteFile(path, good, 0o644); err != nil {
			t.Error(err)
		}
	})
	if err := os.WriteFile(path, []byte(strings.Replace(string(good), old, replacement, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// With report.stdout_line the job's output has one line more, the last, written with the user's rights, in a
// directory that only he enters.
func TestLineInTheOutput(t *testing.T) {
	c := use(t)
	c.withSetting(t, "[report]\n", "[report]\nstdout_line = true\n")
	dir := c.dir(t, c.alice)
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	j := c.sbatch(t, c.alice, dir, "srun -n2 bash -c 'echo line; sleep 2'; printf 'no end'", "-N2", "-n2", "-w", "n[1-2]",
		"-o", "out")
	j.mustEnd(t, "COMPLETED")
	c.check(t, j.expects("n1", "n2"))
	var text string
	poll(t, func() string {
		b, err := os.ReadFile(filepath.Join(dir, "out"))
		text = string(b)
		if err != nil || !strings.Contains(text, "jobgait: ") {
			return "no line in the output: " + text
		}
		return ""
	})
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) != 4 || strings.Join(lines[:3], "|") != "line|line|no end" ||
		!strings.HasPrefix(lines[3], "jobgait: job ") || !strings.HasSuffix(lines[3], filepath.Join(dir, j.name()+".txt")) {
		t.Errorf("the output is %q", text)
	}
	t.Log(lines[len(lines)-1])
	// /dev/null, and a link that the job put in the place of its output, are left alone, and the report is there.
	before, err := os.ReadFile("/etc/passwd")
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{"/dev/null", "link"} {
		j := c.sbatch(t, c.alice, dir, "sleep 1; if [ -f link ]; then rm link; ln -s /etc/passwd link; fi", "-N1", "-n1",
			"-w", "n1", "-o", out)
		j.mustEnd(t, "COMPLETED")
		c.check(t, j.expects("n1"))
	}
	if after, err := os.ReadFile("/etc/passwd"); err != nil || string(after) != string(before) {
		t.Errorf("/etc/passwd changed, %v", err)
	}
}

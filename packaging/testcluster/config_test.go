package testcluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An unknown key in the configuration: the hooks say so in one line each and
// let the job run. This test has the cluster to itself: it is not parallel, and
// those that are wait for it.
func TestUnknownConfigKey(t *testing.T) {
	c := use(t)
	path := c.path("etc", "jobgait.toml")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append([]byte("intervall = 5\n"), good...), 0o644); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := os.WriteFile(path, good, 0o644); err != nil {
			t.Error(err)
		}
	}()
	dir := c.dir(t, c.alice)
	j := c.sbatch(t, c.alice, dir, "echo ran", "-N1", "-n1", "-w", "n1", "-o", "out")
	j.mustEnd(t, "COMPLETED")
	if b, err := os.ReadFile(filepath.Join(dir, "out")); err != nil || string(b) != "ran\n" {
		t.Errorf("the job printed %q, %v", b, err)
	}
	if err := c.quiet(); err != nil {
		t.Error(err)
	}
	for _, hook := range []string{"jobgait-prolog", "jobgait-epilog"} {
		if lines := c.complaints(hook, "intervall"); len(lines) != 1 {
			t.Errorf("%s: %d lines on the unknown key, want 1: %q", hook, len(lines), lines)
		}
	}
}

// complaints finds lines of a hook in the logs of the nodes, of jobgait and of Slurm.
func (c *cluster) complaints(hook, about string) []string {
	var found []string
	for _, pattern := range []string{c.path("log", "slurmd-*.log"), c.path("log", "*", "*.log"),
		c.path("spool", "*", "*.log")} {
		paths, _ := filepath.Glob(pattern)
		for _, p := range paths {
			b, _ := os.ReadFile(p)
			for line := range strings.Lines(string(b)) {
				if strings.Contains(line, hook) && strings.Contains(line, about) {
					found = append(found, line)
				}
			}
		}
	}
	return found
}

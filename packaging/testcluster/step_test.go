package testcluster

import (
	"testing"
	"time"
)

// srun and salloc make jobs without an output file: the report goes to the
// directory where they were started.
func TestInteractive(t *testing.T) {
	t.Parallel()
	c := use(t)
	for _, at := range []struct {
		name, command string
		args          []string
		nodes         int
	}{
		{"srun 1", "srun", []string{"-N1", "-n1", "-w", "n1", "sleep", "2"}, 1},
		{"srun 4", "srun", []string{"-N4", "-n4", "sleep", "2"}, 4},
		{"salloc 1", "salloc", []string{"-N1", "-n1", "-w", "n1", "srun", "sleep", "2"}, 1},
		{"salloc 4, step on one", "salloc", []string{"-N4", "-n4", "srun", "-N1", "-n1", "-w", "n1", "sleep", "2"}, 4},
		{"salloc 4, no step", "salloc", []string{"-N4", "-n4", "sleep", "2"}, 4},
	} {
		t.Run(at.name, func(t *testing.T) {
			t.Parallel()
			j, cmd := c.interactive(t, c.alice, c.dir(t, c.alice), at.command, at.args...)
			if code := cmd.ProcessState.ExitCode(); code != 0 {
				t.Errorf("%s ended with %d", at.command, code)
			}
			j.mustEnd(t, "COMPLETED")
			w := j.expects(fourNodes[:at.nodes]...)
			w.atLeast = 2 * time.Second
			c.check(t, w)
		})
	}
}

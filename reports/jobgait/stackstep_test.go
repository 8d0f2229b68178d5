package main

import (
	"os"
	"slices"
	"testing"

	"jobgait/agent/job"
)

// The job's user can read the environment of the step that root starts: it has none of root's secrets.
func TestStepOfRootHasNoSecrets(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root starts steps of other users")
	}
	step := job.StepLaunch{Command: []string{"/bin/true"}, UID: 65534, GID: 65534,
		Environ: []string{"SECRET=x", "SLURM_JWT=y", "SSH_AUTH_SOCK=z", "PATH=/root/bin", "SLURM_CONF=/etc/slurm.conf"}}
	want := []string{"PATH=/usr/bin:/bin", "SLURM_CONF=/etc/slurm.conf"}
	if got := stepProgram(t.Context(), step).Env; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

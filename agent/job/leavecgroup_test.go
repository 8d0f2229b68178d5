package job

import (
	"strings"
	"testing"
)

func TestPlacesOutsideTheJob(t *testing.T) {
	for path, want := range map[string]string{
		"/system.slice/slurmstepd.scope/job_5/step_extern/slurm": "/system.slice / /system.slice/jobgait.agents",
		"/system.slice/n1_slurmstepd.scope/s5K1KKYAYG5D00":       "/system.slice / /system.slice/jobgait.agents",
		"/slurm/uid_1000/job_5/step_extern":                      "/ /jobgait.agents",
		"/slurm_n1/uid_1000/job_5":                               "/ /jobgait.agents",
		"/docker/x/system.slice/slurmstepd.scope/job_5/step_0": "/docker/x/system.slice /docker/x /docker / " +
			"/docker/x/system.slice/jobgait.agents",
		"/system.slice/slurmd.service":   "",
		"/user.slice/user-0.slice/job_5": "",
	} {
		if got := strings.Join(groupsOutsideJob(path), " "); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

package packages

import (
	"os/exec"
	"strings"
	"testing"
)

// The exposure that systemd computes for the services, in tenths.
func TestExposure(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("no systemd-analyze: the units were not judged")
	}
	if help, _ := exec.Command(analyze, "--help").CombinedOutput(); !strings.Contains(string(help), "--offline") {
		t.Skip("this systemd-analyze knows no --offline: the units were not judged")
	}
	for unit, maxExposure := range map[string]string{"jobgait-ingest.service": "30", "jobgait-prune.service": "30",
		"jobgait-sweep.service": "50"} {
		cmd := exec.Command(analyze, "security", "--no-pager", "--offline=true", "--threshold="+maxExposure,
			"../../configs/systemd/"+unit)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "Overall exposure level") {
			t.Errorf("%s: %v\n%s", unit, err, out)
		}
	}
}

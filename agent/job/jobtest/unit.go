package jobtest

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

var boundingSet = regexp.MustCompile(`(?m)^CapabilityBoundingSet=(.*)$`)

// UnitCommand returns a command that runs with only the capabilities that a systemd unit allows, and cannot
// gain others. Its environment is empty. The test is skipped without root or setpriv (util-linux).
func UnitCommand(t testing.TB, unit, program string, args ...string) *exec.Cmd {
	t.Helper()
	setpriv, err := exec.LookPath("setpriv")
	if err != nil || os.Geteuid() != 0 {
		t.Skip("needs root and setpriv")
	}
	text, err := os.ReadFile(unit)
	if err != nil {
		t.Fatal(err)
	}
	m := boundingSet.FindSubmatch(text)
	if m == nil {
		t.Fatalf("%s has no CapabilityBoundingSet", unit)
	}
	set := "-all"
	for _, name := range strings.Fields(string(m[1])) {
		set += ",+" + strings.ToLower(strings.TrimPrefix(name, "CAP_"))
	}
	limits := []string{"--no-new-privs", "--inh-caps=-all", "--bounding-set=" + set, program}
	cmd := exec.CommandContext(t.Context(), setpriv, append(limits, args...)...)
	cmd.Env = []string{}
	return cmd
}

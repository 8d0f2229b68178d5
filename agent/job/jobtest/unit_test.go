package jobtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A command of each unit has the unit's capabilities, account and read-only directories.
func TestUnitCommand(t *testing.T) {
	units, err := filepath.Glob("../../../configs/systemd/*.service")
	if err != nil || len(units) < 3 {
		t.Fatalf("units %v, %v", units, err)
	}
	const look = `id -u; grep -E "^Cap(Eff|Bnd)|^NoNewPrivs" /proc/self/status
touch /usr/x /etc/x /sys/x /proc/sys/kernel/core_pattern 2>&1; ls /dev; ls -d /proc/1; echo end`
	for _, unit := range units {
		out, err := UnitCommand(t, unit, "/bin/sh", "-c", look).CombinedOutput()
		said := string(out)
		if err != nil || !strings.Contains(said, "NoNewPrivs:\t1") || !strings.Contains(said, "end") {
			t.Fatalf("%s: %v\n%s", unit, err, said)
		}
		uid, caps := "65534\n", "CapEff:\t0000000000000000"
		if strings.Contains(unit, "sweep") { // SETUID SETGID KILL SYS_PTRACE DAC_READ_SEARCH
			uid, caps = "0\n", "CapEff:\t00000000000800e4"
		}
		if !strings.HasPrefix(said, uid) || !strings.Contains(said, caps) {
			t.Errorf("%s: want uid %sand %s:\n%s", unit, uid, caps, said)
		}
		for _, dir := range []string{"/usr/x", "/etc/x"} {
			if _, err := os.Stat(dir); err == nil {
				os.Remove(dir)
				t.Errorf("%s: %s was written", unit, dir)
			}
		}
		if strings.Contains(said, "kmsg") || strings.Contains(said, "vda") ||
			uid != "0\n" && strings.Contains(said, "\n/proc/1\n") {
			t.Errorf("%s: devices or processes are visible:\n%s", unit, said)
		}
	}
}

// A setting that tests do not apply is an error, not an unnoticed difference.
func TestUnknownSettingOfAUnit(t *testing.T) {
	for text, want := range map[string]string{
		"[Service]\nCapabilityBoundingSet=\nProtectHome=yes\n":                 "ProtectHome=yes",
		"[Service]\nCapabilityBoundingSet=\nProtectSystem=strict\n":            "ProtectSystem=strict",
		"[Service]\nNoNewPrivileges=yes\n":                                     "CapabilityBoundingSet",
		"[Unit]\nProtectHome=yes\n[Service]\nCapabilityBoundingSet=CAP_KILL\n": "",
	} {
		_, _, err := unitSandbox(text)
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

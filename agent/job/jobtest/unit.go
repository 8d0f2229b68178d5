package jobtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// UnitCommand returns a command that runs under the restrictions of a systemd unit, without systemd: its
// account (65534 stands for it), its capabilities and no way to gain others, and its view of files, devices and
// processes. Its environment is empty and its
// directory is /. A setting of the unit that the command neither applies nor knows to be
// out of reach here fails the test, so that unit and tests cannot part. The test is skipped without root or the
// programs of util-linux.
func UnitCommand(t testing.TB, unit, program string, args ...string) *exec.Cmd {
	t.Helper()
	for _, tool := range []string{"unshare", "setpriv", "mount", "mknod"} {
		if _, err := exec.LookPath(tool); err != nil || os.Geteuid() != 0 {
			t.Skip("needs root and " + tool)
		}
	}
	text, err := os.ReadFile(unit)
	if err != nil {
		t.Fatal(err)
	}
	limits, script, err := unitSandbox(string(text))
	if err != nil {
		t.Fatalf("%s: %v", unit, err)
	}
	line := []string{"--mount", "--uts", "--propagation", "private", "/bin/sh", "-c", script, "sh", "setpriv"}
	line = append(append(line, limits...), program)
	cmd := exec.CommandContext(t.Context(), "unshare", append(line, args...)...)
	cmd.Dir, cmd.Env = "/", []string{}
	return cmd
}

// unitSandbox translates the [Service] section of a unit: limits are the options of setpriv(1), and script is a shell
// script that makes the unit's view of the file system in a mount namespace of its own and executes its arguments. It
// returns an error for a setting that is neither translated nor among unappliedSettings.
func unitSandbox(text string) (limits []string, script string, err error) {
	settings := serviceSettings(text)
	caps, found := settings["CapabilityBoundingSet"]
	if !found {
		return nil, "", fmt.Errorf("CapabilityBoundingSet is missing")
	}
	set := "-all"
	for _, name := range strings.Fields(caps) {
		set += ",+" + strings.ToLower(strings.TrimPrefix(name, "CAP_"))
	}
	limits = []string{"--inh-caps=-all", "--bounding-set=" + set}
	var steps []string
	for key, value := range settings {
		switch commands, known := sandboxSteps[key+"="+value]; {
		case known:
			steps = append(steps, commands)
		case key == "NoNewPrivileges" && value == "yes":
			limits = append(limits, "--no-new-privs")
		case key == "User":
			limits = append(limits, "--reuid=65534", "--regid=65534", "--clear-groups")
		case !slices.Contains(unappliedSettings, key) && key != "CapabilityBoundingSet":
			return nil, "", fmt.Errorf("%s=%s is not applied in tests", key, value)
		}
	}
	slices.Sort(steps) // devices before /proc and /sys: the order of the numbers
	return limits, "set -e; PATH=/usr/sbin:/usr/bin:/sbin:/bin\n" + strings.Join(steps, "") + `exec "$@"`, nil
}

// sandboxSteps are the shell commands that apply settings. The number in the first line orders them.
var sandboxSteps = map[string]string{
	"ProtectSystem=full":    "#1\n" + mountReadOnly("/usr", "/boot", "/etc"),
	"PrivateDevices=yes":    "#2\n" + privateDevices,
	"ProtectClock=yes":      "#3\nrm -f /dev/rtc*\n",
	"ProtectKernelLogs=yes": "#4\nrm -f /dev/kmsg\n[ ! -e /proc/kmsg ] || mount --bind /dev/null /proc/kmsg\n",
	// The new /proc covers what was mounted there, so it comes before the read-only parts.
	"ProtectProc=invisible":     "#30\nmount -t proc -o hidepid=2 proc /proc\n",
	"ProtectKernelTunables=yes": "#5\n" + mountReadOnly("/proc/sys", "/sys"),
	"ProtectControlGroups=yes":  "#6\n" + mountReadOnly("/sys/fs/cgroup"),
	"ProtectKernelModules=yes": "#7\nfor d in /usr/lib/modules /lib/modules; do " +
		"[ ! -d $d ] || mount -t tmpfs -o mode=000,ro none $d; done\n",
	"ProtectHostname=yes": "#8\n", // by unshare --uts
}

// unappliedSettings are settings that need a filter of system calls or systemd itself, say when and how fast the
// unit runs, or, as PrivateTmp, would hide the files of tests.
var unappliedSettings = []string{"SystemCallFilter", "SystemCallArchitectures", "SystemCallErrorNumber",
	"RestrictAddressFamilies", "RestrictNamespaces", "RestrictRealtime", "RestrictSUIDSGID", "MemoryDenyWriteExecute",
	"LockPersonality", "RemoveIPC", "PrivateTmp", "StateDirectory", "Type", "ExecStart", "Nice", "IOSchedulingClass",
	"IOSchedulingPriority", "TimeoutStartSec"}

// privateDevices makes a /dev with the devices that programs expect and no others.
const privateDevices = `d=$(mktemp -d); mount -t tmpfs -o mode=755 none $d
mknod -m 666 $d/null c 1 3; mknod -m 666 $d/zero c 1 5; mknod -m 666 $d/full c 1 7
mknod -m 666 $d/random c 1 8; mknod -m 666 $d/urandom c 1 9
mkdir $d/shm; mount --move $d /dev; rmdir $d
`

// mountReadOnly returns commands that make directories and all file systems below them read-only.
func mountReadOnly(dirs ...string) string {
	return "for d in " + strings.Join(dirs, " ") + "; do if [ -d $d ]; then mount --rbind $d $d; " +
		"for m in $(awk -v d=$d '$5==d || index($5, d \"/\")==1 {print $5}' /proc/self/mountinfo); do " +
		"mount -o remount,bind,ro $m 2>/dev/null || :; done; fi; done\n"
}

// serviceSettings returns the last value of each setting in the [Service] section of a unit.
func serviceSettings(text string) map[string]string {
	settings, inService := map[string]string{}, false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			inService = line == "[Service]"
		}
		if key, value, ok := strings.Cut(line, "="); ok && inService && !strings.HasPrefix(key, "#") {
			settings[key] = value
		}
	}
	return settings
}

// TestsUnderUnit runs tests of this test program, named by a regular expression, under the restrictions of a
// systemd unit (UnitCommand) in a directory. It fails if one of them fails or is skipped, or if fewer than minTests
// have passed.
func TestsUnderUnit(t *testing.T, unit, dir, pattern string, minTests int) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "tests")
	err := errors.Join(CopyTestProgram(program), os.Chmod(filepath.Dir(filepath.Dir(program)), 0o755))
	if err != nil {
		t.Fatal(err) // other accounts must be able to execute it
	}
	cmd := UnitCommand(t, unit, program, "-test.v", "-test.run="+pattern)
	cmd.Dir, cmd.Env = dir, []string{"HOME=/", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"}
	out, err := cmd.CombinedOutput()
	said := string(out)
	if n := strings.Count(said, "\n--- PASS"); err != nil || n < minTests || strings.Contains(said, "--- SKIP") {
		t.Errorf("under %s: %d tests passed, want %d; %v\n%s", filepath.Base(unit), n, minTests, err, said)
	}
}

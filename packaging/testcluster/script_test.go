package testcluster

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The plugin's parser has its own tests, in C.
func TestSpankOption(t *testing.T) {
	for _, tool := range []string{"make", "cc"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	cmd := exec.Command("make", "-s", "-C", "../../spank", "BUILD="+t.TempDir(), "test")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// A second cluster beside one that runs is refused in one line, and leaves
// nothing behind.
func TestRefusesSecond(t *testing.T) {
	t.Parallel()
	c := use(t)
	second := filepath.Join(t.TempDir(), "second")
	out, err := exec.Command("./cluster.sh", "up", second).CombinedOutput()
	if err == nil || strings.Count(string(out), "\n") != 1 || !strings.Contains(string(out), "down "+c.prefix) {
		t.Errorf("%v: %s", err, out)
	}
	if _, err := os.Lstat(second); err == nil {
		t.Errorf("%s was made", second)
	}
}

// `down` touches nothing that `up` did not make.
func TestDownSparesOthers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("./cluster.sh", "down", dir).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := exec.Command("./cluster.sh", "up", dir).CombinedOutput(); err == nil {
		t.Errorf("a directory that is in use was taken: %s", out)
	}
	if _, err := os.Lstat(file); err != nil {
		t.Error(err)
	}
}

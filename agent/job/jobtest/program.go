package jobtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// InstallProgram puts a program of the tree at path, whose last part is its name: a copy of the one that `make test`
// has built in JOBGAIT_BIN, else a new build of the package, with environ added to the environment.
func InstallProgram(t testing.TB, path, pkg string, environ ...string) {
	t.Helper()
	if bin := os.Getenv("JOBGAIT_BIN"); bin != "" {
		text, err := os.ReadFile(filepath.Join(bin, filepath.Base(path)))
		if err == nil {
			err = os.WriteFile(path, text, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	build := exec.Command("go", "build", "-o", path, pkg)
	build.Env = append(os.Environ(), environ...)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", pkg, err, out)
	}
}

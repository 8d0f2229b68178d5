package jobtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// InstallProgram puts a program of the tree at path, whose last part is its name: a copy of the one that `make test`
// has built in JOBGAIT_BIN, else a new build of the package, with environ added to the environment.
func InstallProgram(t testing.TB, path, pkg string, environ ...string) {
	t.Helper()
	if bin := os.Getenv("JOBGAIT_BIN"); bin != "" {
		text, err := os.ReadFile(filepath.Join(bin, filepath.Base(path)))
		if err == nil {
			err = WriteProgram(path, text)
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

// WriteProgram writes a program that this process executes. It excludes the forks of other tests meanwhile: a child
// forked while the file is open for writing keeps it open until it executes its own program, and until then the
// kernel refuses to execute the new one (ETXTBSY, "text file busy").
func WriteProgram(path string, text []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, text, 0o755)
}

// CopyTestProgram writes a copy of the running test program to path, as WriteProgram does: where another account may
// execute it, or under another name.
func CopyTestProgram(path string) error {
	text, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		return err
	}
	return WriteProgram(path, text)
}

package checks

import (
	"debug/elf"
	"os"
	"path/filepath"
	"testing"
)

// The agent and the Prolog need nothing that a node may lack or a job's environment may name: no loader and no
// library. A separate program calls the library for GPUs. The program of reports has a loader, which shows that
// the test detects one.
func TestStaticPrograms(t *testing.T) {
	bin := os.Getenv("JOBGAIT_BIN")
	if bin == "" {
		t.Skip("JOBGAIT_BIN does not name the built programs: run make test")
	}
	for name, wanted := range map[string]bool{"jobgait-agent": true, "jobgait-prolog": true, "jobgait": false} {
		f, err := elf.Open(filepath.Join(bin, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		libraries, err := f.ImportedLibraries()
		if err != nil {
			t.Fatal(err)
		}
		loader := false
		for _, p := range f.Progs {
			loader = loader || p.Type == elf.PT_INTERP
		}
		if static := !loader && len(libraries) == 0; static != wanted {
			t.Errorf("%s: static %v, want %v: a loader %v, libraries %q", name, static, wanted, loader, libraries)
		}
	}
}

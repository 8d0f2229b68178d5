package reports

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func pageOf(t *testing.T, name string) []byte {
	t.Helper()
	for _, run := range runs() {
		if run.name == name {
			var b bytes.Buffer
			if err := HTML(&b, New(run.s, run.past, options())); err != nil {
				t.Fatal(err)
			}
			return b.Bytes()
		}
	}
	t.Fatalf("no fixture %q", name)
	return nil
}

func TestDump(t *testing.T) {
	dir := os.Getenv("DUMP")
	if dir == "" {
		t.Skip()
	}
	for _, run := range runs() {
		os.WriteFile(filepath.Join(dir, run.name+".html"), pageOf(t, run.name), 0o644)
	}
}

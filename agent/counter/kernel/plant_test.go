package kernel

import (
	"os"
	"path/filepath"
	"testing"
)

// plant writes files below a new root, by path and content. A path that ends in a slash is a directory.
func plant(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		put(t, root, name, content)
	}
	return root
}

func put(t testing.TB, root, name, content string) {
	t.Helper()
	path := filepath.Join(root, name)
	dir := filepath.Dir(path)
	if name[len(name)-1] == '/' {
		dir = path
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if dir == path {
		return
	}
	// Truncated and rewritten, because files stay open between readings.
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// clock returns a clock that advances by a microsecond with each call.
func clock() func() int64 {
	now := int64(1e9)
	return func() int64 { now += 1e3; return now }
}

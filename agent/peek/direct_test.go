package peek

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestOpenRegular(t *testing.T) {
	dir := t.TempDir()
	file, pipe, link := filepath.Join(dir, "file"), filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	must(t, os.WriteFile(file, []byte("text"), 0o600))
	must(t, unix.Mkfifo(pipe, 0o600))
	must(t, os.Symlink(file, link))
	for path, want := range map[string]bool{file: true, link: true, pipe: false, dir: false, "/dev/null": false,
		filepath.Join(dir, "none"): false} {
		var st unix.Stat_t
		_ = unix.Stat(path, &st) // none
		f, err := OpenRegular(path, HasInode(st.Ino))
		if (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
		if err == nil {
			b := make([]byte, 5)
			if n, _ := f.Read(b); string(b[:n]) != "text" {
				t.Errorf("%s: read %q", path, b[:n])
			}
			must(t, f.Close())
		}
		if _, err := OpenRegular(path, HasInode(st.Ino+1)); err == nil {
			t.Errorf("%s: opened with another inode", path)
		}
	}
	if _, err := mappedPath(filepath.Join(dir, "none"), Area{}); err == nil {
		t.Error("no error without maps")
	}
}

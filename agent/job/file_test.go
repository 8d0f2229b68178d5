package job

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/agent/job/jobtest"
)

// A sparse file of any size costs nothing to refuse, and a file of the kernel, whose size is unknown, is read up to the
// limit. Pipes, links and directories are refused without waiting.
func TestReadPlainLimitsWhatItReads(t *testing.T) {
	dir := t.TempDir()
	sparse, pipe, link := filepath.Join(dir, "sparse"), filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(sparse, []byte("text"), 0o600), os.Truncate(sparse, 1<<40),
		unix.Mkfifo(pipe, 0o600), os.Symlink(sparse, link)); err != nil {
		t.Fatal(err)
	}
	if text, info, err := ReadPlain(sparse, 1<<20); !errors.Is(err, ErrTooLarge) || len(text) > 0 || info.Size() != 1<<40 {
		t.Errorf("%d bytes of a sparse file were read, %v", len(text), err)
	}
	if text, _, err := ReadPlain("/proc/self/status", 100); !errors.Is(err, ErrTooLarge) || len(text) != 101 {
		t.Errorf("%d bytes of a file without a size were read, %v", len(text), err)
	}
	if text, _, err := ReadPlain("/proc/self/status", 1<<20); err != nil || len(text) < 101 {
		t.Errorf("%d bytes of a file without a size were read, %v", len(text), err)
	}
	for _, path := range []string{pipe, link, dir} {
		if _, _, err := ReadPlain(path, 1<<20); err == nil {
			t.Errorf("%s was read", path)
		}
	}
}

// OpenPlain and what uses it neither wait for an irregular file nor change the target of a link.
func TestIrregularFilesAreNotOpened(t *testing.T) {
	for name, create := range jobtest.Irregular() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := RunDir(t.TempDir())
			path, target := dir.Path("file"), dir.Path("file.target")
			jobtest.ReplaceByIrregular(t, path, create)
			for _, flags := range []int{os.O_RDONLY, os.O_WRONLY | os.O_CREATE, os.O_RDWR | os.O_CREATE,
				os.O_WRONLY | os.O_TRUNC} {
				if f, err := OpenPlain(path, flags, 0o600); !errors.Is(err, ErrIrregular) {
					t.Errorf("opened with flags %#x: %v, %v", flags, f, err)
				}
			}
			var run Run
			if err := dir.ReadJSON("file", &run); !errors.Is(err, ErrIrregular) {
				t.Errorf("read: %v", err)
			}
			if err := dir.Mark("file"); !errors.Is(err, ErrIrregular) {
				t.Errorf("marked: %v", err)
			}
			if _, err := os.Lstat(target); err == nil {
				t.Error("the target of the link was made")
			}
		})
	}
}

package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ErrForeign is returned to root for a history that another account can change. SQLite opens the log's index beside the
// database for writing and gives it the database's owner: a link there leads both to a file of root's.
var ErrForeign = errors.New("root does not open a database that another account can change")

// checkOwner refuses, for root, a database and a directory of it that belong to another account or that another
// account can write. A file or directory that does not exist yet is no error.
func checkOwner(path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	paths := []string{filepath.Dir(path), path}
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		paths = append(paths, filepath.Dir(resolved))
	}
	for _, p := range paths {
		info, err := os.Stat(p)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if !info.IsDir() && !info.Mode().IsRegular() {
			continue // stat refuses it
		}
		if err := checkRootOnly(p, info); err != nil {
			return err
		}
	}
	return nil
}

// checkRootOnly returns ErrForeign if a file or directory does not belong to root, or if its group or others can write
// to it.
func checkRootOnly(path string, info fs.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case ok && st.Uid != 0:
		return fmt.Errorf("%s belongs to uid %d: %w: run this command as that account", path, st.Uid, ErrForeign)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("%s has mode %04o, with which other accounts can write to it: %w: type chmod go-w %[1]s", path,
			info.Mode().Perm(), ErrForeign)
	}
	return nil
}

package live

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"jobgait/agent/acl"
	"jobgait/agent/job"
)

// indexName is the file with the names of a user's runs. The user cannot list the directory, which root owns
// and other users must not list either.
const indexName = "runs"

// maxIndex is the longest index that is read, in bytes.
const maxIndex = 1 << 20

// writeIndex writes the index of a user's runs: the names of the directories in the user's directory of, one on each
// line. Agents of the user's other runs may do the same at the same time, so it repeats the write until the index
// names all directories.
func writeIndex(of string, uid int) error {
	listed, err := subdirectories(of)
	for err == nil {
		temporary := filepath.Join(of, "."+indexName+"."+strconv.Itoa(os.Getpid()))
		if err = replace(temporary, filepath.Join(of, indexName), []byte(strings.Join(listed, "\n")), uid); err != nil {
			break
		}
		var now []string
		if now, err = subdirectories(of); slices.Equal(now, listed) {
			break
		}
		listed = now
	}
	return err
}

// replace writes a new file that this account owns and the user can read, and renames it to path. An existing
// temporary file is an error.
func replace(temporary, path string, text []byte, uid int) error {
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o400)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, job.Cause(err))
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = allowUser(temporary, uid, acl.Read)
	}
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		_ = os.Remove(temporary)
		return fmt.Errorf("write %s: %w", path, job.Cause(err))
	}
	return nil
}

// allowUser gives a user rights to a file of root by an ACL. It does nothing unless this process is root and
// the user is not: under jobgait run the files are the user's own.
func allowUser(path string, uid int, rights uint16) error {
	if os.Geteuid() != 0 || uid == 0 {
		return nil
	}
	return acl.Allow(path, uid, rights)
}

// subdirectories returns the names of the directories in dir.
func subdirectories(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// Runs returns the names of a user's runs, sorted; from the index if the directory cannot be listed. Without a
// directory it returns nil.
func Runs(dir string, uid int) ([]string, error) {
	of := filepath.Join(dir, strconv.Itoa(uid))
	runs, err := subdirectories(of)
	if errors.Is(err, fs.ErrPermission) {
		runs, err = readIndex(filepath.Join(of, indexName))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return runs, err
}

// readIndex returns the names in an index, without those that are not plain file names.
func readIndex(path string) ([]string, error) {
	text, _, err := job.ReadPlain(path, maxIndex)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(strings.Split(string(text), "\n"), func(n string) bool {
		return !filepath.IsLocal(n) || filepath.Base(n) != n || n == "."
	}), nil
}

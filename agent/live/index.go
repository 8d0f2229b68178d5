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

// indexName is a file of the names of a user's runs. He cannot list the directory,
// which is root's and which others are not to list either.
const indexName = "runs"

// maxIndex is the longest index that is read, in bytes.
const maxIndex = 1 << 20

// writeIndex writes which runs a user has. Agents of his other runs may do the same at this moment: the one that
// replaces the file last has checked after that whether it names all.
func writeIndex(of string, uid int) error {
	listed, err := directories(of)
	for err == nil {
		temporary := filepath.Join(of, "."+indexName+"."+strconv.Itoa(os.Getpid()))
		if err = replace(temporary, filepath.Join(of, indexName), []byte(strings.Join(listed, "\n")), uid); err != nil {
			break
		}
		var now []string
		if now, err = directories(of); slices.Equal(now, listed) {
			break
		}
		listed = now
	}
	return err
}

// replace makes a new file that stays this account's and that the user can read, and gives it the name of the old one.
func replace(temporary, path string, text []byte, uid int) error {
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o400)
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), job.Cause(err))
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = letIn(temporary, uid, acl.Read)
	}
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		_ = os.Remove(temporary)
		return fmt.Errorf("write %s: %w", filepath.Base(path), job.Cause(err))
	}
	return nil
}

// letIn gives a user rights to what is root's; under jobgait run the files are the user's own.
func letIn(path string, uid int, rights uint16) error {
	if os.Geteuid() != 0 || uid == 0 {
		return nil
	}
	return acl.Allow(path, uid, rights)
}

// directories are the names of those in one.
func directories(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// Runs are the directories of a user's runs, by name; none is no error.
func Runs(dir string, uid int) ([]string, error) {
	of := filepath.Join(dir, strconv.Itoa(uid))
	runs, err := directories(of)
	if errors.Is(err, fs.ErrPermission) {
		runs, err = indexed(filepath.Join(of, indexName))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return runs, err
}

// indexed reads an index; what is no name of a directory below it is left out.
func indexed(path string) ([]string, error) {
	text, _, err := job.ReadPlain(path, maxIndex)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(strings.Split(string(text), "\n"), func(n string) bool {
		return !filepath.IsLocal(n) || filepath.Base(n) != n || n == "."
	}), nil
}

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

	"jobgait/agent/job"
)

// indexName is a file of the names of a user's runs. He cannot list the directory,
// which is root's and which others are not to list either.
const indexName = "runs"

// maxIndex is the longest index that is read, in bytes.
const maxIndex = 1 << 20

// index tells the user which runs he has. Agents of his other runs may do the same at
// this moment: whoever replaces the file last has looked after that whether he told
// all.
func (p *Place) index() error {
	of := filepath.Dir(p.dir)
	told, err := directories(of)
	for err == nil {
		if err = p.replace(filepath.Join(of, "."+indexName+"."+strconv.Itoa(os.Getpid())), filepath.Join(of, indexName), []byte(strings.Join(told, "\n"))); err != nil {
			break
		}
		var now []string
		if now, err = directories(of); slices.Equal(now, told) {
			break
		}
		told = now
	}
	return err
}

// replace makes a new file of the user's and gives it the name of the old one.
func (p *Place) replace(temporary, path string, text []byte) error {
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o400)
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), job.Cause(err))
	}
	_, err = f.Write(text)
	if os.Geteuid() == 0 {
		err = errors.Join(err, f.Chown(p.uid, p.gid))
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		_ = os.Remove(temporary)
		return fmt.Errorf("write %s: %w", filepath.Base(path), job.Cause(err))
	}
	return nil
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

package kernel

import (
	"errors"
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/polled"
)

// movingFiles are files of one directory, which may appear late, disappear, and come back under another path.
type movingFiles struct {
	locate func() (dir string, ok bool)
	dir    string
	names  []string
	files  []*file
}

// newMovingFiles returns files with these names in the directory that locate returns.
func newMovingFiles(locate func() (string, bool), names ...string) *movingFiles {
	p := &movingFiles{locate: locate, names: names}
	for range names {
		p.files = append(p.files, newRecord(""))
	}
	return p
}

// fixedDir returns a locate function for a directory that always exists.
func fixedDir(dir string) func() (string, bool) { return func() (string, bool) { return dir, true } }

// read reads the i-th file; polled.ErrAbsent while the directory does not exist.
func (p *movingFiles) read(i int) ([]byte, error) {
	dir, ok := p.locate()
	if !ok {
		_ = p.close()
		return nil, polled.ErrAbsent
	}
	if dir != p.dir {
		_ = p.close()
		p.dir = dir
		for k, name := range p.names {
			p.files[k].path = filepath.Join(dir, name)
		}
	}
	b, err := p.files[i].read()
	if isGone(err) && !exists(p.dir) {
		return nil, polled.ErrAbsent
	}
	return b, err
}

// isGone reports whether an error means that a file does not exist, or that its cgroup was removed while it was
// open.
func isGone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENODEV) }

// readNumber reads the i-th file as one number.
func (p *movingFiles) readNumber(i int) (uint64, error) {
	b, err := p.read(i)
	if err != nil {
		return 0, err
	}
	v, _, ok := cutNumber(b)
	if !ok {
		return 0, p.malformed(i)
	}
	return v, nil
}

// readKey returns the number of the line with this key in the first file.
func (p *movingFiles) readKey(key string) (uint64, error) {
	b, err := p.read(0)
	if err != nil {
		return 0, err
	}
	v, ok := findKey(b, key)
	if !ok {
		return 0, p.malformed(0)
	}
	return v, nil
}

// malformed returns the error for a file with an unknown format.
func (p *movingFiles) malformed(i int) error {
	return &fs.PathError{Op: "parse", Path: p.files[i].path, Err: errUnexpectedFormat}
}

// close closes all files.
func (p *movingFiles) close() error { return closeAll(p.files...) }

package kernel

import (
	"errors"
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/polled"
)

// places are files of one directory, which may appear late, go away and come
// back under another name.
type places struct {
	locate func() (dir string, ok bool)
	dir    string
	names  []string
	files  []*file
}

func newPlaces(locate func() (string, bool), names ...string) *places {
	p := &places{locate: locate, names: names}
	for range names {
		p.files = append(p.files, newRecord(""))
	}
	return p
}

// fixed is a directory that is always there.
func fixed(dir string) func() (string, bool) { return func() (string, bool) { return dir, true } }

// read reads the i-th file; polled.ErrAbsent while the directory is not there.
func (p *places) read(i int) ([]byte, error) {
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
	if gone(err) && !exists(p.dir) {
		return nil, polled.ErrAbsent
	}
	return b, err
}

// gone tells whether there is no such file: never was, or its cgroup was removed
// while we held it open.
func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENODEV) }

// number reads the i-th file as one number.
func (p *places) number(i int) (uint64, error) {
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

// key reads one line of the first file.
func (p *places) key(key string) (uint64, error) {
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

func (p *places) malformed(i int) error {
	return &fs.PathError{Op: "parse", Path: p.files[i].path, Err: errFormat}
}

func (p *places) close() error { return closeAll(p.files...) }

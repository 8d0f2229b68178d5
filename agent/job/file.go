package job

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// writeJSON replaces a file by v as indented JSON, mode 0600.
func writeJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("internal error, please report it: write %s: %w", path, err)
	}
	return writeFile(path, append(b, '\n'))
}

// Cause returns the error inside the first fs.PathError or os.LinkError of err, without its path, and other
// errors unchanged. It is for paths that are temporary or must not be shown.
func Cause(err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &l):
		return l.Err
	}
	return err
}

// writeFile replaces a file, mode 0600. It does not sync to disk, which can take longer than the Prolog may. A
// sweep makes lost files again after a crash of the node; only env.json is synced, by the agent (SyncRun).
func writeFile(path string, b []byte) error { return Replace(path, b, 0o600, false) }

// TemporaryPrefix is the prefix of the files that Replace renames. A killed process may leave one.
const TemporaryPrefix = ".new-"

// Replace writes a file by a temporary name and a rename, so that readers see all of it or the old content.
// With sync it is synced to disk before the rename.
func Replace(path string, b []byte, mode fs.FileMode, sync bool) error {
	f, err := os.CreateTemp(filepath.Dir(path), TemporaryPrefix+"*") // 0600
	if err != nil {
		return fmt.Errorf("write %s: %w", path, Cause(err))
	}
	_, err = f.Write(b)
	if err == nil && mode != 0o600 {
		err = f.Chmod(mode)
	}
	if err == nil && sync {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("write %s: %w", path, Cause(err))
	}
	return nil
}

// maxJSON limits the size of a JSON file in a run directory, in bytes: the end of a job on 10,000 nodes has 400 KB.
const maxJSON = 64 << 20

// readJSON decodes the JSON in a file into v.
func readJSON(path string, v any) error {
	b, _, err := ReadPlain(path, maxJSON)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("read %s: the file is damaged or of another version of jobgait: %w", path, err)
	}
	return nil
}

// ErrIrregular is returned for a path that must be a regular file and is a directory, link, pipe, socket or device.
var ErrIrregular = errors.New("want a regular file, not a directory, link, pipe or device: remove it or name another")

// OpenPlain opens a file that any account may have created. It follows no link in the last part of the path and never
// blocks: it returns ErrIrregular for what is not a regular file, and EWOULDBLOCK for a file under a lease. Flags and
// mode are those of os.OpenFile.
func OpenPlain(path string, flags int, mode fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOCTTY, mode)
	if err != nil {
		// A pipe without a reader, a socket, a device without a driver, a directory and a link have errors of their own.
		if info, serr := os.Lstat(path); serr == nil && !info.Mode().IsRegular() {
			err = &fs.PathError{Op: "open", Path: path, Err: ErrIrregular}
		}
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrIrregular}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// ReadPlain reads a file of at most maxBytes bytes that any account may have created, and returns
// its file information. It opens the file as OpenPlain does and returns ErrTooLarge for a larger file. With ErrTooLarge
// it also returns the file information, and reads nothing of a file whose size says so.
func ReadPlain(path string, maxBytes int64) (text []byte, info fs.FileInfo, err error) {
	f, err := OpenPlain(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, nil, err
	}
	tooLarge := &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("%w: want at most %d bytes", ErrTooLarge, maxBytes)}
	if info.Size() > maxBytes { // a sparse file is not read up to the limit
		return nil, info, tooLarge
	}
	text, err = io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err == nil && int64(len(text)) > maxBytes {
		err = tooLarge
	}
	return text, info, err
}

// ErrTooLarge is returned for a file that is larger than it may be.
var ErrTooLarge = errors.New("the file is too large and is not used")

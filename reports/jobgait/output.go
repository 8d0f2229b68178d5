package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

var errNoOutput = errors.New("- is no file to write into: name one, /dev/stdout if need be")

// writeFile writes a file that nobody sees half written: beside its place, then
// moved there. What is there and no ordinary file (a terminal, a pipe) is
// written to as it is.
func writeFile(path string, draw func(io.Writer) error) (err error) {
	if path == "-" { // of a reader's file it is standard input; nobody wants a file of that name
		return usageError{errNoOutput}
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("write %s: %w", path, err)
		}
	}()
	if asItIs(path) {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		return draw(f)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // a link stays one
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".jobgait-*")
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err // without a name that nobody has given
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	if err = draw(f); err == nil {
		err = f.Chmod(0o644)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// asItIs is whether a path is written to where it is: a terminal, a pipe, and
// /dev/stdout, which may lead to an ordinary file. What is moved to /dev would
// replace the link there.
func asItIs(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return err == nil
	}
	return slices.ContainsFunc([]string{"/dev/std", "/dev/fd/", "/proc/"}, func(p string) bool { return strings.HasPrefix(filepath.Clean(path), p) })
}

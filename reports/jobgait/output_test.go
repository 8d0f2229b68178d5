package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// A link to a file stays a link, and the file behind it is written.
func TestWriteFileThroughLink(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "page.html"), filepath.Join(dir, "latest.html")
	if err := os.WriteFile(file, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("page.html", link); err != nil {
		t.Fatal(err)
	}
	err := writeFile(link, func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err })
	if err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(link); err != nil || to != "page.html" {
		t.Errorf("the link is %q, %v", to, err)
	}
	if text, err := os.ReadFile(file); string(text) != "new" {
		t.Errorf("%q %v", text, err)
	}
}

// What is written to /dev/stdout goes where standard output goes, and /dev stays.
func TestWriteFileToDevice(t *testing.T) {
	before, err := os.Readlink("/dev/stdout")
	if err != nil {
		t.Skip("there is no /dev/stdout here")
	}
	file := filepath.Join(t.TempDir(), "out")
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	path := filepath.Join("/dev/fd", strconv.Itoa(int(out.Fd())))
	if err := writeFile(path, func(w io.Writer) error { _, err := io.WriteString(w, "page"); return err }); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); string(text) != "page" {
		t.Errorf("%q %v", text, err)
	}
	if after, _ := os.Readlink("/dev/stdout"); after != before {
		t.Errorf("/dev/stdout is %q now", after)
	}
}

// A new file has the mode that the umask gives, and one that is replaced keeps its mode.
func TestModeOfWrittenFiles(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o077))
	dir := t.TempDir()
	page := func(w io.Writer) error { _, err := io.WriteString(w, "page"); return err }
	for name, c := range map[string]struct{ before, want os.FileMode }{"new": {0, 0o600}, "private": {0o600, 0o600},
		"public": {0o644, 0o644}} {
		path := filepath.Join(dir, name)
		if c.before != 0 {
			if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chmod(path, c.before)); err != nil {
				t.Fatal(err)
			}
		}
		if err := writeFile(path, page); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != c.want || info.Size() != 4 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// A link of another account, at the name or in the path, does not make root overwrite one of its own files.
func TestLinksOfOthersAreRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root makes links for others")
	}
	shared, own := t.TempDir(), t.TempDir()
	precious := filepath.Join(own, "precious")
	if err := errors.Join(os.Chmod(shared, 0o777|os.ModeSticky),
		os.WriteFile(precious, []byte("kept"), 0o644)); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"file": precious, "directory": own, "dangling": filepath.Join(own, "new")} {
		link := filepath.Join(shared, name)
		if err := errors.Join(os.Symlink(to, link), os.Lchown(link, 12345, 12345)); err != nil {
			t.Fatal(err)
		}
		path := link
		if name == "directory" {
			path = filepath.Join(link, "precious")
		}
		if err := writeFile(path, func(io.Writer) error { return nil }); !errors.Is(err, errForeignLink) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if text, err := os.ReadFile(precious); string(text) != "kept" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := os.Lstat(filepath.Join(own, "new")); err == nil {
		t.Error("a file was made where another account's link leads")
	}
}

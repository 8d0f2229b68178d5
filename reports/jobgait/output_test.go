package main

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
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

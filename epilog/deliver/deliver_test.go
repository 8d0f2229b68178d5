package deliver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"jobgait/agent/as"
	"jobgait/analysis/summary"
	"jobgait/reports/job"
)

// request is a report with real, marked files.
func request(t *testing.T, dirs ...string) Request {
	t.Helper()
	r := job.New(summary.Summary{}, nil, job.Options{})
	var text, json bytes.Buffer
	if err := errors.Join(job.Text(&text, r), job.JSON(&json, r)); err != nil {
		t.Fatal(err)
	}
	return Request{Dirs: dirs, Files: []File{
		{Name: "jobgait-7.txt", Data: text.Bytes()}, {Name: "jobgait-7.json", Data: json.Bytes()},
	}}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestWriteAndReplaceOwn(t *testing.T) {
	dir := t.TempDir()
	for range 2 { // a second report replaces the first
		if res := Write(request(t, dir)); res.Dir != dir || len(res.Refused) != 0 {
			t.Fatalf("result %+v", res)
		}
	}
	if got := names(t, dir); strings.Join(got, " ") != "jobgait-7.json jobgait-7.txt" {
		t.Errorf("there is %v", got)
	}
}

// A file at the path of a report is kept, and all files of the report go to the next directory.
func TestNothingForeignIsTouched(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, plant := range map[string]func(path string) error{
		"foreign file":  func(p string) error { return os.WriteFile(p, []byte("secret"), 0o644) },
		"empty file":    func(p string) error { return os.WriteFile(p, nil, 0o644) },
		"link":          func(p string) error { return os.Symlink(secret, p) },
		"dangling link": func(p string) error { return os.Symlink(p+".nowhere", p) },
		"pipe":          func(p string) error { return syscall.Mkfifo(p, 0o644) },
		"directory":     func(p string) error { return os.Mkdir(p, 0o755) },
	} {
		t.Run(name, func(t *testing.T) {
			first, second := t.TempDir(), t.TempDir()
			path := filepath.Join(first, "jobgait-7.json")
			if err := plant(path); err != nil {
				t.Fatal(err)
			}
			before, err := os.Lstat(path)
			if err != nil {
				t.Fatal(err)
			}
			res := Write(request(t, first, second))
			if res.Dir != second || len(res.Refused) != 1 {
				t.Fatalf("result %+v", res)
			}
			after, err := os.Lstat(path)
			if err != nil || !os.SameFile(before, after) || before.Size() != after.Size() {
				t.Errorf("what was in the way changed: %v", err)
			}
			if got := names(t, first); len(got) != 1 {
				t.Errorf("half a report: %v", got)
			}
			if read(t, secret) != "secret" {
				t.Error("a link was followed")
			}
		})
	}
}

// Files that a killed attempt left are removed; files that another attempt may be writing, or that a user has
// created, are kept.
func TestTemporaryFilesDoNotStay(t *testing.T) {
	old := time.Now().Add(-time.Hour)
	for name, c := range map[string]struct {
		plant func(path string) error
		stays bool
	}{
		"left by a kill": {func(p string) error {
			return errors.Join(os.WriteFile(p, []byte("half"), 0o640), os.Chtimes(p, old, old))
		}, false},
		"being written": {func(p string) error { return os.WriteFile(p, []byte("half"), 0o640) }, true},
		"pipe": {func(p string) error {
			return errors.Join(syscall.Mkfifo(p, 0o640), os.Chtimes(p, old, old))
		}, true},
		"link": {func(p string) error { return os.Symlink("/etc/passwd", p) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := c.plant(filepath.Join(dir, ".jobgait-7.json.new")); err != nil {
				t.Fatal(err)
			}
			if res := Write(request(t, dir)); res.Dir != dir {
				t.Fatalf("result %+v", res)
			}
			want := "jobgait-7.json jobgait-7.txt"
			if c.stays {
				want = ".jobgait-7.json.new " + want
			}
			if got := strings.Join(names(t, dir), " "); got != want {
				t.Errorf("there is %s", got)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	good := t.TempDir()
	missing := filepath.Join(good, "missing")
	res := Write(request(t, missing, "relative", good))
	want := []string{missing + " does not exist", "relative: its path is relative, want an " +
		"absolute path"}
	if res.Dir != good || strings.Join(res.Refused, "|") != strings.Join(want, "|") {
		t.Errorf("result %+v", res)
	}
	if res := Write(request(t)); res.Dir != "" {
		t.Errorf("no directory gives %+v", res)
	}
}

func TestArrayDirectory(t *testing.T) {
	dir := t.TempDir()
	r := request(t, dir)
	r.Sub = "jobgait-12"
	if res := Write(r); res.Dir != dir || len(names(t, filepath.Join(dir, "jobgait-12"))) != 2 {
		t.Fatalf("result %+v", res)
	}
	// A link in the place of the array's directory is not followed.
	other := t.TempDir()
	r.Sub = "jobgait-13"
	if err := os.Symlink(other, filepath.Join(dir, r.Sub)); err != nil {
		t.Fatal(err)
	}
	if res := Write(r); res.Dir != "" || len(names(t, other)) != 0 {
		t.Errorf("a link was followed: %+v", res)
	}
}

// The child's answer is the user's to forge.
func TestAnswersOfTheChildAreValidated(t *testing.T) {
	r := Request{Dirs: []string{"/home/a"}, Files: nil}
	for answer, ok := range map[string]bool{"/home/a": true, "": true, "/etc": false, "/home/a/..": false} {
		_, err := Delivery{Dir: answer}.validated(r)
		if (err == nil) != ok {
			t.Errorf("%q: %v", answer, err)
		}
	}
}

func TestReasonsAreBoundedAndPrintable(t *testing.T) {
	r, err := Delivery{Refused: []string{strings.Repeat("A", 1<<20), "x\x1b[31m", "one too many"}}.validated(
		Request{Dirs: []string{"/a", "/b"}})
	if err != nil || len(r.Refused) != 2 || len(r.Refused[0]) > maxReason+8 || strings.Contains(r.Refused[1], "\x1b") {
		t.Errorf("%d, %v", len(r.Refused), err)
	}
}

func TestAsCurrentAccount(t *testing.T) {
	dir := t.TempDir()
	me := as.Account{UID: uint32(os.Getuid()), GID: uint32(os.Getgid())}
	res, err := As(context.Background(), as.Child{Program: filepath.Join(dir, "absent"), Account: me}, request(t, dir))
	if err != nil || res.Dir != dir {
		t.Errorf("%+v, %v", res, err)
	}
}

func FuzzChildRequest(f *testing.F) {
	f.Add([]byte(`{"dirs":["/tmp"],"files":[{"name":"x","data":"eA=="}]}`))
	f.Add([]byte(`{"dirs":null}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var r Request
		if json.Unmarshal(b, &r) != nil {
			return
		}
		r.Dirs = nil // decoding must not panic; nothing may be written here
		if res := Write(r); res.Dir != "" {
			t.Errorf("wrote to %q", res.Dir)
		}
	})
}

// A report has the mode of the job's own output. Only its user can read it if the output is no regular file or belongs
// to another account. Under jobgait run it has the mode of any new file.
func TestModeOfTheReport(t *testing.T) {
	dir := t.TempDir()
	output := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	foreign := output("foreign", 0o644)
	if os.Geteuid() == 0 {
		if err := os.Chown(foreign, 12345, 12345); err != nil {
			t.Fatal(err)
		}
	} else {
		foreign = "/etc/passwd"
	}
	defer syscall.Umask(syscall.Umask(0o027))
	for name, c := range map[string]struct {
		req       Request
		file, dir os.FileMode
	}{
		"private":   {Request{Output: output("private", 0o600)}, 0o600, 0o700},
		"group":     {Request{Output: output("group", 0o640)}, 0o640, 0o750},
		"all":       {Request{Output: output("all", 0o644)}, 0o644, 0o750}, // the umask binds directories
		"program":   {Request{Output: output("program", 0o755)}, 0o644, 0o750},
		"unknown":   {Request{}, 0o600, 0o700},
		"gone":      {Request{Output: filepath.Join(dir, "gone")}, 0o600, 0o700},
		"device":    {Request{Output: "/dev/null"}, 0o600, 0o700},
		"another's": {Request{Output: foreign}, 0o600, 0o700},
		"umask":     {Request{Umask: true}, 0o640, 0o750},
	} {
		c.req.Dirs, c.req.Sub = []string{t.TempDir()}, "sub"
		c.req.Files = []File{{Name: "jobgait-7.txt", Data: []byte("x")}}
		res := Write(c.req)
		sub := filepath.Join(c.req.Dirs[0], "sub")
		for path, want := range map[string]os.FileMode{sub: c.dir, filepath.Join(sub, "jobgait-7.txt"): c.file} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %s has mode %v, want %v, %v, %v", name, filepath.Base(path), info.Mode().Perm(), want, err,
					res.Refused)
			}
		}
	}
}

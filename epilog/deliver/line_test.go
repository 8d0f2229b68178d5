package deliver

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// withLine is a request whose output is path.
func withLine(t *testing.T, path string, dirs ...string) Request {
	t.Helper()
	req := request(t, dirs...)
	req.Output = path
	req.Line = &OutputLine{Text: "jobgait: job 7; exit code 0; 3 s", EndS: float64(time.Now().Unix())}
	return req
}

// The line is appended once, on a separate line, after the job's own lines.
func TestLineAtTheEndOfTheOutput(t *testing.T) {
	for name, c := range map[string]struct{ before, between string }{
		"empty": {"", ""}, "whole lines": {"a\nb\n", ""}, "no end of line": {"a\nb", "\n"},
		"other runs": {"jobgait: job 70; exit code 0\njobgait: job 7 (restart 1); exit code 0\n", ""},
		"long":       {strings.Repeat("0123456789\n", 20000), ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir, output := t.TempDir(), filepath.Join(t.TempDir(), "slurm-7.out")
			if err := os.WriteFile(output, []byte(c.before), 0o600); err != nil {
				t.Fatal(err)
			}
			req := withLine(t, output, dir)
			for range 2 { // a report that is completed later adds no second line
				if res := Write(req); res.Dir != dir || res.NoLine != "" {
					t.Fatalf("result %+v", res)
				}
			}
			want := c.before + c.between + req.Line.Text + "; " + filepath.Join(dir, "jobgait-7.txt") + "\n"
			if got := read(t, output); got != want {
				t.Errorf("the output has %d bytes and ends in %q", len(got), got[max(0, len(got)-200):])
			}
		})
	}
}

// If the job's output is not a plain file of the user, it is left unchanged, and the report is still delivered.
func TestNoLine(t *testing.T) {
	for name, plant := range map[string]func(path string) error{
		"none": func(string) error { return nil },
		"link": func(p string) error {
			if err := os.WriteFile(p+".to", []byte("x"), 0o600); err != nil {
				return err
			}
			return os.Symlink(p+".to", p)
		},
		"pipe":      func(p string) error { return syscall.Mkfifo(p, 0o600) },
		"directory": func(p string) error { return os.Mkdir(p, 0o700) },
		"another job's": func(p string) error {
			if err := os.WriteFile(p, []byte("half a li"), 0o600); err != nil {
				return err
			}
			later := time.Now().Add(time.Minute)
			return os.Chtimes(p, later, later)
		},
		"larger than the limit": func(p string) error {
			if err := os.WriteFile(p, nil, 0o600); err != nil {
				return err
			}
			return os.Truncate(p, 1<<62)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, output := t.TempDir(), filepath.Join(t.TempDir(), "slurm-7.out")
			if err := plant(output); err != nil {
				t.Skip(err) // a file system without files of that size
			}
			res := Write(withLine(t, output, dir))
			if res.Dir != dir || res.NoLine == "" || strings.Contains(res.NoLine, "\n") {
				t.Errorf("result %+v", res)
			}
			for _, path := range []string{output, output + ".to"} {
				info, err := os.Stat(path)
				if err == nil && info.Mode().IsRegular() && info.Size() < 1<<20 && strings.Contains(read(t, path), "jobgait") {
					t.Errorf("%s was written to", path)
				}
			}
		})
	}
	if res := Write(withLine(t, "/dev/null", t.TempDir())); res.Dir == "" || res.NoLine == "" {
		t.Errorf("result %+v", res)
	}
	bad := withLine(t, filepath.Join(t.TempDir(), "x"), t.TempDir())
	bad.Line.Text = "two\nlines"
	if res := Write(bad); res.NoLine == "" {
		t.Errorf("result %+v", res)
	}
}

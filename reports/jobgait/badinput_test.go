package main

import (
	"bytes"
	"compress/gzip"
	"path/filepath"
	"strings"
	"testing"
)

// A wrong call or file gives one line that says what is wrong, where, and what is wanted; the exit status tells
// usage errors from others.
func TestComplaintsAreOneLine(t *testing.T) {
	absent := filepath.Join(t.TempDir(), "absent")
	dir, binary := t.TempDir(), fileOf(t, "noise.dat", "\x00\x01\xff\xfe"+strings.Repeat("\x80\x90", 400))
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte("t,value\n" + strings.Repeat("1,2.5\n2,3.25\n3,9.125\n", 4000)))
	_ = z.Close()
	cut := fileOf(t, "cut.csv.gz", packed.String()[:packed.Len()/2])
	text := fileOf(t, "a.csv", "t,value\n1,2\n")
	for _, c := range []struct {
		status int
		want   string
		args   []string
	}{
		{2, `unknown verb "frob" (see jobgait --help)`, []string{"frob"}},
		{2, `unknown verb "frob"`, []string{"frob", "--help"}},
		{2, `unknown verb "frob"`, []string{"help", "frob"}},
		{2, `unknown verb "changs": did you mean changes?`, []string{"changs"}},
		{2, "unknown flag: --frob (see jobgait changes --help)", []string{"changes", "--frob"}},
		{2, "these options exclude each other, give one of them: --html --json", []string{"show", "1", "--json", "--html"}},
		{2, "these options exclude each other, give one of them: --html --json", []string{"replay", "x", "--json", "--html"}},
		{2, "the name of the input file is empty", []string{"changes", ""}},
		{1, "is a directory: name a file in it", []string{"list", "--history", dir}},
		{1, "name a regular file", []string{"show", "7", "--history", "/dev/zero"}},
		{1, "name a regular file", []string{"prune", "--history", "/dev/zero"}},
		{1, "is empty: no run was stored yet", []string{"changes", "--history", fileOf(t, "empty.db", "")}},
		{1, "not an SQLite database", []string{"show", "7", "--history", text}},
		{1, "no history at " + absent, []string{"list", "--history", absent}},
		{2, "cannot write to \"-\"", []string{"dashboard", "-o", "-", text}},
		{2, "cannot write to \"-\"", []string{"changes", "--plot", "-", text}},
		{1, "write " + absent + "/a.svg: no such file or directory\n",
			[]string{"changes", "--plot", absent + "/a.svg", text}},
		{2, "neither CSV nor a profile; float32 samples carry no times", []string{"periods", binary}},
		{1, "is a directory: name a file", []string{"changes", dir}},
		{1, "is a directory: name a file", []string{"scaling", dir}},
		{1, "is a directory: name a file", []string{"periods", dir}},
		{1, "is a directory: name a profile", []string{"replay", dir}},
		{1, "is a directory: name a profile", []string{"export", "--csv", dir}},
		{1, "is not a profile of jobgait", []string{"replay", text}},
		{1, "is not a profile of jobgait", []string{"export", "--csv", binary}},
		{1, "the file is not text", []string{"changes", binary}},
		{1, "the file is not text", []string{"scaling", binary}},
	} {
		got := ask(c.args...)
		if got.status != c.status || !strings.Contains(got.complaint, c.want) ||
			!strings.HasPrefix(got.complaint, "jobgait: ") ||
			strings.Count(got.complaint, "\n") != 1 || got.out != "" {
			t.Errorf("%q: want %d and %q, got %+v", c.args, c.status, c.want, got)
		}
	}
	// The complete part of a cut file is read, and one line says where it ends.
	for _, verb := range []string{"scaling", "changes"} {
		if got := ask(verb, cut); got.status != 0 ||
			strings.Count(got.complaint, "the compressed file is cut off in line") != 1 {
			t.Errorf("%s of a cut file: %+v", verb, got)
		}
	}
}

// The help contains the exit statuses and the words of a report.
func TestHelpDescribesExitStatus(t *testing.T) {
	if got := ask("--help"); !strings.Contains(got.out, "Exit status: 0 success") ||
		!strings.Contains(got.out, "jobgait report") {
		t.Error(got.out)
	}
	if got := ask("help", "report"); got.status != 0 || !strings.Contains(got.out, "confidence") ||
		!strings.Contains(got.out, "code page #1") {
		t.Errorf("%+v", got)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if got := ask("completion", shell); got.status != 0 || !strings.Contains(got.out, "jobgait") {
			t.Errorf("%s: %d %.100s", shell, got.status, got.complaint)
		}
	}
	if got := ask("__complete", "cha"); got.status != 0 || !strings.Contains(got.out, "changes") {
		t.Errorf("%+v", got)
	}
	if got := ask("--version"); got.status != 0 || !strings.HasPrefix(got.out, "jobgait version ") {
		t.Errorf("%+v", got)
	}
}

func TestInvalidLabels(t *testing.T) {
	for label, want := range map[string]bool{"solver=gmres": true, "a=": true, "a=b=c": true, "solver": false, "=x": false,
		"a=1,b=2": false, "": false} {
		if isUsableLabel(label) != want {
			t.Errorf("%q: %v", label, !want)
		}
	}
}

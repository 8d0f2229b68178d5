package python

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"jobgait/agent/profile"
	"jobgait/agent/profile/export"
	"jobgait/agent/profile/profiletest"
)

// TestMain is `jobgait export --csv PATH` where the test is called by that name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) != "jobgait" {
		os.Exit(m.Run())
	}
	if len(os.Args) != 4 || os.Args[1] != "export" || os.Args[2] != "--csv" {
		os.Exit(2)
	}
	if _, err := export.Write(os.Stdout, os.Args[3], export.ExportOptions{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// dump prints what the reader makes of a file.
const dump = `import json, sys
sys.dont_write_bytecode = True
import jgp
json.dump(jgp.read(sys.argv[1]), sys.stdout)`

// python runs the reader with the test as jobgait in its path.
func python(t *testing.T, path string) (columns map[string][]*float64, complaint string) {
	t.Helper()
	exe, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "jobgait")); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(exe, "-c", dump, path)
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, stderr.String()
	}
	if err := json.Unmarshal(stdout.Bytes(), &columns); err != nil {
		t.Fatal(err)
	}
	return columns, ""
}

// The Python reader returns of a profile, and of what was exported from it, the same as Go.
func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "profile.jgp")
	if err := profiletest.Write(path, profiletest.SyntheticRun{Seconds: 4, PeriodS: 0.5, Seal: true}); err != nil {
		t.Fatal(err)
	}
	l, err := profile.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := export.Write(&text, path, export.ExportOptions{}); err != nil {
		t.Fatal(err)
	}
	exported := filepath.Join(t.TempDir(), "profile.csv")
	if err := os.WriteFile(exported, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{path, exported} {
		got, complaint := python(t, from)
		if complaint != "" || len(got) != 1+len(l.Set.Columns) || len(got["t_s"]) != 800 ||
			math.Abs(*got["t_s"][799]-l.Set.StartS-799*0.005) > 1e-6 {
			t.Fatalf("%s: %d columns of %d, %s", from, len(got), len(l.Set.Columns), complaint)
		}
		for _, c := range l.Set.Columns {
			for i, v := range c.Values {
				switch g := got[c.Name][i]; {
				case g == nil && !math.IsNaN(float64(v)), g != nil && float32(*g) != v:
					t.Fatalf("%s: %s, slot %d: %v, not %v", from, c.Name, i, g, v)
				}
			}
		}
	}
}

func TestNoProfile(t *testing.T) {
	if columns, complaint := python(t, "jgp.py"); columns != nil ||
		!strings.Contains(complaint, "no usable profile header") {
		t.Errorf("read itself: %s", complaint)
	}
}

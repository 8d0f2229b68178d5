package job

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"jobgait/configs"
)

// in is settings with a spool and no journal.
func in(spool string) configs.Config {
	var c configs.Config
	c.Spool.Dir = spool
	return c
}

func TestLog(t *testing.T) {
	spool := filepath.Join(t.TempDir(), "spool")
	l, err := OpenLog(in(spool), "n1", "jobgait-prolog", 17)
	if err != nil {
		t.Fatal(err)
	}
	l.Printf("agent %d\nforged line", 5)
	l.Close()
	path := filepath.Join(spool, "n1", "jobgait.log")
	b, _ := os.ReadFile(path)
	if !regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ jobgait-prolog job 17: agent 5; forged line\n$`).Match(b) {
		t.Errorf("log %q", b)
	}
	// A long one is set aside.
	if err := os.WriteFile(path, bytes.Repeat([]byte("x"), maxLog+1), 0o600); err != nil {
		t.Fatal(err)
	}
	l, _ = OpenLog(in(spool), "n1", "jobgait-prolog", 18)
	l.Printf("new")
	l.Close()
	if info, err := os.Stat(path); err != nil || info.Size() > 200 {
		t.Errorf("log has %d bytes after rotation, %v", info.Size(), err)
	}
	if info, err := os.Stat(path + ".1"); err != nil || info.Size() != maxLog+1 {
		t.Errorf("predecessor: %v, %v", info, err)
	}
}

func TestLogWithoutDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	os.WriteFile(file, nil, 0o600)
	l, err := OpenLog(in(filepath.Join(file, "spool")), "n1", "p", 1)
	if err == nil {
		t.Error("a spool below a file can be opened")
	}
	l.Printf("dropped")
	l.Close()
	(*Log)(nil).Printf("dropped")
}

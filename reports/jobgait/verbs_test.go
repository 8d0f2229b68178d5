package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// answer is what the program answered to a call.
type answer struct {
	status         int
	out, complaint string
}

// ask calls the program in this process.
func ask(args ...string) answer { return askIn(nil, args...) }

// askIn calls the program with an environment.
func askIn(environ []string, args ...string) answer {
	var out, complaint bytes.Buffer
	status := runJobgait(context.Background(), environ, append([]string{"jobgait"}, args...), &out, &complaint)
	return answer{status, out.String(), complaint.String()}
}

// fileOf is a file of the test's own with that text.
func fileOf(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestHelpFitsTheScreen checks that no line of the help of a verb has more than 80 columns.
func TestHelpFitsTheScreen(t *testing.T) {
	for _, verb := range []string{"", "run", "watch", "stack", "show", "list", "seff", "ask", "mail", "history",
		"replay", "periods", "changes", "compare", "dashboard", "scaling", "export", "doctor", "prune", "reanalyse",
		"report"} {
		got := ask(slices.DeleteFunc([]string{"help", verb}, func(s string) bool { return s == "" })...)
		if got.status != 0 || !strings.Contains(got.out, "Usage:") && verb != "report" {
			t.Fatalf("%s: %+v", verb, got)
		}
		for _, line := range strings.Split(got.out, "\n") {
			if len([]rune(line)) > 80 {
				t.Errorf("%s: %d columns: %s", verb, len([]rune(line)), line)
			}
		}
	}
}

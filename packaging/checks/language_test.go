package checks

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxColumns limits a line of Go; a tab counts as one column.
const maxColumns = 120

// goFiles returns the paths of the tree's Go files, below the root.
func goFiles(t *testing.T) []string {
	t.Helper()
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.go")
	list.Dir = root(t)
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	files := strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	if len(files) == 0 {
		t.Fatal("git lists no Go file")
	}
	return files
}

// TestLinesFitColumns keeps lines readable side by side in a review.
func TestLinesFitColumns(t *testing.T) {
	for _, name := range goFiles(t) {
		text, err := os.ReadFile(filepath.Join(root(t), name))
		if os.IsNotExist(err) {
			continue // deleted and not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		number := 0
		for line := range strings.Lines(string(text)) {
			number++
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > maxColumns {
				t.Errorf("%s:%d: the line has %d columns; the limit is %d", name, number, n, maxColumns)
			}
		}
	}
}

// TestNoRetiredPhrases keeps phrases of the project's former private language out of production code. Write the
// subject and the verb instead: "the child returns", "the caller sets".
func TestNoRetiredPhrases(t *testing.T) {
	retired := regexp.MustCompile(`(?i)\b(nobody|whoever|anew|ours|so many|(is|are|was|were) (told|asked)|` +
		`(is|are) none)\b`)
	for _, name := range goFiles(t) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root(t), name))
		if os.IsNotExist(err) {
			continue // deleted and not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		number := 0
		for line := range strings.Lines(string(text)) {
			number++
			if phrase := retired.FindString(line); phrase != "" {
				t.Errorf("%s:%d: %q: rewrite the sentence", name, number, phrase)
			}
		}
	}
}

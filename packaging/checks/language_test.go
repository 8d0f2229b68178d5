package checks

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxColumns limits a line of Go; a tab counts as one column.
const maxColumns = 120

// goFiles returns the paths of the tree's Go files, below the root.
func goFiles(t *testing.T) []string { return treeFiles(t, "*.go") }

// treeFiles returns the paths, below the root, of the tree's files that match a pattern of git.
func treeFiles(t *testing.T, pattern string) []string {
	t.Helper()
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", pattern)
	list.Dir = root(t)
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	files := strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	if len(files) == 0 {
		t.Fatalf("git lists no %s", pattern)
	}
	return files
}

// eachLine calls visit with every line of the given Go files and its place, "file:line".
func eachLine(t *testing.T, files []string, visit func(place, line string)) {
	t.Helper()
	for _, name := range files {
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
			visit(fmt.Sprintf("%s:%d", name, number), strings.TrimSuffix(line, "\n"))
		}
	}
}

// TestLinesFitColumns keeps lines readable side by side in a review.
func TestLinesFitColumns(t *testing.T) {
	eachLine(t, goFiles(t), func(place, line string) {
		if n := utf8.RuneCountInString(line); n > maxColumns {
			t.Errorf("%s: the line has %d columns; the limit is %d", place, n, maxColumns)
		}
	})
}

// TestNoRetiredPhrases keeps phrases of the project's former private language out of production code. Write the
// subject and the verb instead: "the child returns", "the caller sets".
func TestNoRetiredPhrases(t *testing.T) {
	retired := regexp.MustCompile(`(?i)\b(nobody|whoever|anew|ours|so many|(is|are|was|were) (told|asked)|` +
		`(is|are) none)\b`)
	production := slices.DeleteFunc(goFiles(t), func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	eachLine(t, production, func(place, line string) {
		if phrase := retired.FindString(line); phrase != "" {
			t.Errorf("%s: %q: rewrite the sentence", place, phrase)
		}
	})
}

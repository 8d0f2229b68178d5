package checks

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Texts name tests as proofs and as commands to run, so every name of a test in a text, comment or script must be
// that of a function.
var (
	testName    = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w*`)
	testFunc    = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
	testPattern = regexp.MustCompile(`\btest\b.* -run[ =]'?([^\s'"` + "`" + `]+)`)
)

// unknownTests returns the names of tests in text that are not in known, and the patterns after -run that match none
// of known.
func unknownTests(text string, known []string) (unknown []string) {
	for _, name := range testName.FindAllString(text, -1) {
		if !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	for _, found := range testPattern.FindAllStringSubmatch(text, -1) {
		name, _, _ := strings.Cut(strings.ReplaceAll(found[1], "$$", "$"), "/") // make's dollar; a subtest
		if name == "^$" || strings.Contains(name, "$1") || strings.Contains(name, "$name") {
			continue // no test, or a variable of a script
		}
		pattern, err := regexp.Compile(name)
		if err != nil || !slices.ContainsFunc(known, pattern.MatchString) {
			unknown = append(unknown, found[1])
		}
	}
	return unknown
}

func TestNamedTestsExist(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root(t), name))
		if err != nil && !os.IsNotExist(err) { // deleted and not yet committed
			t.Fatal(err)
		}
		return string(text)
	}
	known := []string{"BenchmarkDotNet"} // a program
	for _, name := range treeFiles(t, "*_test.go") {
		for _, found := range testFunc.FindAllStringSubmatch(read(name), -1) {
			known = append(known, found[1])
		}
	}
	for _, pattern := range []string{"*.md", "*.go", "*Makefile", "*.sh"} {
		for _, name := range treeFiles(t, pattern) {
			if name == "packaging/checks/testnames_test.go" {
				continue
			}
			if unknown := unknownTests(read(name), known); len(unknown) > 0 {
				t.Errorf("%s names tests that do not exist: %v", name, unknown)
			}
		}
	}
}

// The check finds a name and a pattern without a test, and accepts prefixes in patterns.
func TestUnknownTests(t *testing.T) {
	known := []string{"TestStopTime", "FuzzWalk"}
	for text, want := range map[string][]string{
		"TestStopTime, FuzzWalk and TestMain's":               {"TestMain"},
		"go test ./agent -run StopTi -v":                      nil,
		"go test -run '^Test(StopTime|Gone)$' .":              nil,
		"go test -count=1 -run Gone ./agent":                  {"Gone"},
		"$(GO) test -run '^TestGone$$' ./x":                   {"TestGone", "^TestGone$$"},
		"go test -run '^$' -bench Finish; Testing, TestedAll": nil,
	} {
		if got := unknownTests(text, known); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

package job

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"jobgait/analysis/summary"
	"jobgait/reports/pagetest"
)

// TestReadmeShowsARealReport prints the report of the run in testdata/melt.json, a LAMMPS melt of ten seconds on 28
// November 2026 without its timeline: the README's example is the report's first screen, its pattern and its two
// hottest functions. -update rewrites the example.
func TestReadmeShowsARealReport(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("testdata", "melt.json"))
	if err != nil {
		t.Fatal(err)
	}
	var s summary.Summary
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	report := textOf(t, New(s, nil, Options{Version: "0.1.0", Formats: []string{"txt", "json", "html"}}))
	code := strings.Split(between(t, report, "\n CODE ", "\n\n"), "\n")[:5] // its two hottest functions
	example := " IN SHORT\n" + between(t, report, " IN SHORT\n", "\n\n") + "\n\n  pattern " +
		between(t, report, "  pattern ", "\n") + "\n  A  " + between(t, report, "\n  A  ", "\n") + "\n\n CODE " +
		strings.Join(code, "\n") + "\n"
	readme := filepath.Join("..", "..", "README.md")
	old, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)(## Example\n.*?```text\n).*?(```\n)")
	if !block.Match(old) {
		t.Fatal("the README has no example")
	}
	whole := block.ReplaceAllStringFunc(string(old), func(found string) string {
		from := strings.Index(found, "```text\n") + len("```text\n")
		return found[:from] + example + "```\n"
	})
	pagetest.Golden(t, filepath.Join("..", readme), []byte(whole))
}

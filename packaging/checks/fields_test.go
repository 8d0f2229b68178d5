package checks

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"
	"testing"
)

// maxFields limits the fields of a struct; an embedded struct counts as one. A struct of JSON or TOML keys may have
// more: they are the keys of its format.
const maxFields = 15

// largeStructs lists the structs with more fields, by package and name, and why they are one.
var largeStructs = map[string]string{
	"agent/counter/address.processEntry": "what is known of one process, which every sample updates",
	"agent/counter/address.Sampler":      "one source: its timers, its rings and the table that records are replayed into",
	"agent/counter/address.table":        "what records say of all processes; each entry is a type of its own",
	"agent/counter/gpu.helper":           "one child process: its pipes, its records and its cost",
	"agent/counter/jobevent.Cgroup":      "one source: its events, its cgroup and when to try again",
	"agent/counter/kernel.jobUse":        "one source: the sums over processes that one reading updates",
	"agent/counter/perf.Counters":        "one source: its events, its CPUs and what they lack",
	"agent/counter/polled.Source":        "one source: its last reading and how it failed",
	"agent/profile.Block":                "one block of the profile format",
	"agent/profile.Writer":               "one open file, and the synchronization of its data",
	"analysis/changepoint.event":         "one committed change, as it is compared and reported",
	"analysis/finding.RunFacts":          "the facts that rules read; each rule names those that it uses",
	"analysis/history.Run":               "a row of the view jobs: its columns",
	"analysis/tracker.pulse":             "one matched filter, which each sample updates",
	"epilog/finish.progress":             "one run on its way through the states of state.go",
	"reports/dashboard.view":             "the names that the page's template uses",
}

func TestStructsHaveFewFields(t *testing.T) {
	large := map[string]bool{}
	for _, p := range packages(t) {
		for f, text := range production(t, p.path) {
			file, err := parser.ParseFile(token.NewFileSet(), f, text, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				s, ok := n.(*ast.TypeSpec)
				if !ok {
					return true
				}
				name := p.path + "." + s.Name.Name
				if fields := untaggedFields(s); fields > maxFields {
					large[name] = true
					if largeStructs[name] == "" {
						t.Errorf("%s: %s has %d fields; the limit is %d: group them, or add it to largeStructs with a "+
							"reason", path.Base(f), name, fields, maxFields)
					}
				}
				return true
			})
		}
	}
	for name := range largeStructs {
		if !large[name] {
			t.Errorf("largeStructs lists %s, which has at most %d fields or is gone: remove it", name, maxFields)
		}
	}
}

// untaggedFields returns the number of fields of a struct type; 0 for other types and for a struct most of whose
// fields are keys of a format.
func untaggedFields(s *ast.TypeSpec) int {
	structure, ok := s.Type.(*ast.StructType)
	if !ok {
		return 0
	}
	all, keys := 0, 0
	for _, f := range structure.Fields.List {
		n := max(1, len(f.Names))
		all += n
		if f.Tag != nil && (strings.Contains(f.Tag.Value, `json:"`) || strings.Contains(f.Tag.Value, `toml:"`)) {
			keys += n
		}
	}
	if 2*keys > all {
		return 0
	}
	return all
}

package checks

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// A count of things is printed by quantity.Plural: no other package adds the plural's ending
// to a word, or writes "run(s)".
func TestCountsArePrintedInOnePlace(t *testing.T) {
	for _, p := range packages(t) {
		if p.path == "analysis/quantity" {
			continue
		}
		for name, text := range production(t, p.path) {
			for _, found := range plurals(string(text)) {
				t.Errorf("%s: %s: quantity.Plural prints counts", name, found)
			}
		}
	}
	for source, want := range map[string]int{
		`word + "s"`: 1, `fmt.Sprint(n) + " " + word + "s"`: 1, `"box" + "es"`: 1, `"%d run(s) read"`: 1, `"match(es)"`: 1,
		`word + "s more"`: 0, `"s"`: 0, `"f(s) = 1"`: 0, `"per " + unit("s")`: 0,
	} {
		if got := plurals("package p\nvar s = " + source); len(got) != want {
			t.Errorf("%s: found %v", source, got)
		}
	}
}

// plurals returns the expressions of a source that make a plural by hand.
func plurals(source string) (found []string) {
	f, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if n.Kind == token.STRING && bracketed(n.Value) {
				found = append(found, n.Value)
			}
		case *ast.BinaryExpr:
			if l, ok := n.Y.(*ast.BasicLit); ok && n.Op == token.ADD && (l.Value == `"s"` || l.Value == `"es"`) {
				found = append(found, "+ "+l.Value)
			}
		}
		return true
	})
	return found
}

// bracketed reports whether a word of three letters or more is followed by "(s)" or "(es)".
func bracketed(text string) bool {
	for _, ending := range []string{"(s)", "(es)"} {
		for rest := text; ; {
			before, after, ok := strings.Cut(rest, ending)
			if !ok {
				break
			}
			word := before[strings.LastIndexAny(before, " \"`")+1:]
			if len(word) > 2 && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") == "" {
				return true
			}
			rest = after
		}
	}
	return false
}

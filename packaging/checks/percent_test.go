package checks

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// formatted is a percentage in a format string. What a style sheet or SVG measures
// ends in a quotation mark.
var formatted = regexp.MustCompile(`%[-+# 0-9.*\[\]]*[a-zA-Z] ?%%([^"]|$)`)

func TestPercentagesArePrintedInOnePlace(t *testing.T) {
	err := filepath.WalkDir(root(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		name, err := filepath.Rel(root(t), path)
		if err != nil || strings.HasPrefix(name, "analysis/quantity/") {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, text := range percentages(source) {
			t.Errorf("%s: %q: package quantity prints percentages", name, text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{`"%.1f %%"`, `"%s %% of it"`, `"%g%%"`, "`%+.3g %%\n`", `x + " %"`, `x + " % of it"`} {
		if len(percentages([]byte("package p\nvar s = "+source))) != 1 {
			t.Errorf("%s is not seen", source)
		}
	}
	for _, source := range []string{`"width=\"%s%%\""`, "`width=\"100%%\"`", `"95 %% interval"`, `"%s of %s"`, `"%d"`,
		`x + " %s"`, `nbsp(" %")`} {
		if got := percentages([]byte("package p\nvar s = " + source)); len(got) != 0 {
			t.Errorf("%s is taken for a percentage", source)
		}
	}
}

// percentages are the strings of a source that print one.
func percentages(source []byte) []string {
	f, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	var out []string
	literal := func(n ast.Node) string {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return ""
		}
		text, _ := strconv.Unquote(lit.Value)
		return text
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if text := literal(n); formatted.MatchString(text) {
			out = append(out, text)
		}
		if sum, ok := n.(*ast.BinaryExpr); ok && strings.HasPrefix(literal(sum.Y), " %") &&
			!strings.HasPrefix(literal(sum.Y), " %s") {
			out = append(out, literal(sum.Y))
		}
		return true
	})
	return out
}

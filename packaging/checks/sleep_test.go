package checks

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestSleepsPollOrAreTheWorkload keeps tests from waiting a fixed time for an event, which is too long on an idle
// machine and too short on a loaded one. A loop that polls sleeps in its post statement; a pause that is part of the
// workload is a jobtest.WorkloadPause.
func TestSleepsPollOrAreTheWorkload(t *testing.T) {
	for _, name := range goFiles(t) {
		if !strings.HasSuffix(name, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, filepath.Join(root(t), name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range plainSleeps(file) {
			t.Errorf("%s:%d: time.Sleep: poll with jobtest.Until, or state a pause of the workload with "+
				"jobtest.WorkloadPause", name, fset.Position(p).Line)
		}
	}
}

// plainSleeps returns the places where a file uses time.Sleep outside the post statement of a loop.
func plainSleeps(file *ast.File) (places []token.Pos) {
	polls := map[ast.Node]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if loop, ok := n.(*ast.ForStmt); ok {
			if post, ok := loop.Post.(*ast.ExprStmt); ok {
				if call, ok := post.X.(*ast.CallExpr); ok {
					polls[call.Fun] = true
				}
			}
		}
		if s, ok := n.(*ast.SelectorExpr); ok && !polls[s] && s.Sel.Name == "Sleep" {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "time" {
				places = append(places, s.Pos())
			}
		}
		return true
	})
	return places
}

func TestPlainSleepsAreFound(t *testing.T) {
	const source = `package p
import "time"
func f() {
	for ; !done(); time.Sleep(1) {
		time.Sleep(2)
	}
	g(time.Sleep)
	jobtest.WorkloadPause(3)
}`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "f_test.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, p := range plainSleeps(file) {
		lines = append(lines, fset.Position(p).Line)
	}
	if len(lines) != 2 || lines[0] != 5 || lines[1] != 7 {
		t.Errorf("time.Sleep found in lines %v, want 5 and 7", lines)
	}
}

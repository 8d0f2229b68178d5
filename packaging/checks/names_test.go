package checks

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"testing"
)

// mostDeclarations limits how many packages may declare a type of the same name: two, where
// a reader of both would choose the name again.
const mostDeclarations = 2

// repeatedNames lists the names that more packages declare today, and how many. An entry
// goes as soon as its types are one or have different names; none is added or raised.
var repeatedNames = map[string]int{
	"Change": 5, "Child": 3, "Code": 5, "Column": 3, "Cycle": 3, "Drift": 5, "Event": 5,
	"Finder": 3, "History": 5, "Job": 3, "Kind": 5, "Limits": 3, "Low": 3, "Memory": 3,
	"Node": 5, "Options": 5, "Params": 5, "Pattern": 3,
	"Reader": 3, "Report": 6, "Result": 4, "Run": 6, "Series": 3,
	"Source": 5, "State": 3,
}

// A concept has one type, and different concepts have different names.
func TestTypeNamesAreDeclaredAtMostTwice(t *testing.T) {
	declared := map[string][]string{}
	for _, p := range packages(t) {
		for f, text := range production(t, p.path) {
			file, err := parser.ParseFile(token.NewFileSet(), f, text, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range exportedTypes(file) {
				declared[name] = append(declared[name], path.Join(p.path, path.Base(f)))
			}
		}
	}
	for name, places := range declared {
		if n := len(places); n > max(mostDeclarations, repeatedNames[name]) {
			t.Errorf("%d packages declare a type %s: %v", n, name, places)
		}
	}
	for name, n := range repeatedNames {
		if len(declared[name]) <= mostDeclarations {
			t.Errorf("type %s is declared %d times: remove it from repeatedNames, which allows %d", name, len(declared[name]), n)
		}
	}
}

// exportedTypes returns the names of the exported types that a file declares, aliases
// excepted.
func exportedTypes(file *ast.File) (names []string) {
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range g.Specs {
			if ts, ok := s.(*ast.TypeSpec); ok && ts.Name.IsExported() && !ts.Assign.IsValid() {
				names = append(names, ts.Name.Name)
			}
		}
	}
	return names
}

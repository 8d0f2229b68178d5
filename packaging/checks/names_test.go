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
		if n := len(places); n > mostDeclarations {
			t.Errorf("%d packages declare a type %s: %v", n, name, places)
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

// Package checks tests the tree itself: which package may import which, that
// the code is formatted and vetted, and that the README's commands work. It has
// no code outside tests.
package checks

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// ranks are the layers of the tree, lowest first. A package imports only lower
// ranks, or packages of its own family within a rank (agent/..., epilog/...).
var ranks = []struct {
	name     string
	prefixes []string
	family   bool // packages of the rank may import each other
}{
	{"notes", []string{"analysis/note", "analysis/quantity"}, false},
	{"run", []string{"analysis/run"}, false},
	{"ground", []string{"configs", "analysis/internal/"}, false},
	{"series", []string{"analysis/series", "analysis/series/"}, true},
	{"marks", []string{"analysis/marks"}, false},
	{"periodicity", []string{"analysis/periodicity"}, false},
	{"pattern", []string{"analysis/pattern"}, false},
	{"phase", []string{"analysis/phase"}, false},
	{"tracker", []string{"analysis/tracker"}, false},
	{"anatomy", []string{"analysis/anatomy"}, false},
	{"stacks", []string{"analysis/stacks"}, false},
	{"summary", []string{"analysis/summary"}, false},
	{"memory", []string{"analysis/application", "analysis/finding", "analysis/history", "analysis/scaling",
		"analysis/scaling/", "analysis/forecast", "analysis/table", "analysis/changepoint", "analysis/changepoint/"}, true},
	{"agent", []string{"agent/"}, true},
	{"drawing", []string{"reports/plot", "reports/schema", "reports/pagetest"}, false},
	{"texts", []string{"reports/text"}, false},
	{"pages", []string{"reports/html"}, false},
	{"reports", []string{"reports/job", "reports/change", "reports/scaling", "reports/periods", "reports/watch",
		"reports/forecast", "reports/mail", "reports/stack"}, false},
	{"reports of reports", []string{"reports/dashboard", "reports/earlier", "reports/seff"}, false},
	{"hooks", []string{"prolog/", "epilog/"}, true},
}

// programs are the main packages: they may import anything, and no package imports them.
var programs = []string{"agent", "prolog", "epilog", "reports/jobgait"}

const module = "jobgait"

// goPackage is a package and the packages of this module that it imports.
type goPackage struct {
	path    string
	imports []string
	all     []string
}

// packages lists the module's packages by the go tool; environ is added.
func packages(t *testing.T, environ ...string) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports ","}} {{join .Deps ","}}`, "./...")
	cmd.Dir = root(t)
	cmd.Env = append(os.Environ(), environ...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []goPackage
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		f := strings.Split(line, " ")
		p := goPackage{path: strings.TrimPrefix(f[0], module+"/"), all: strings.Split(f[2], ",")}
		for _, i := range strings.Split(f[1], ",") {
			if own, ok := strings.CutPrefix(i, module+"/"); ok {
				p.imports = append(p.imports, own)
			}
		}
		list = append(list, p)
	}
	return list
}

// rank is the layer of a package: -1 for programs and packaging.
func rank(path string) int {
	if slices.Contains(programs, path) || strings.HasPrefix(path, "packaging/") {
		return -1
	}
	for i, r := range ranks {
		for _, p := range r.prefixes {
			if path == p || strings.HasSuffix(p, "/") && strings.HasPrefix(path, p) {
				return i
			}
		}
	}
	return len(ranks)
}

func TestImportsGoOneWay(t *testing.T) {
	for _, p := range packages(t) {
		r := rank(p.path)
		if r == len(ranks) {
			t.Errorf("%s has no place in the tree", p.path)
			continue
		}
		for _, i := range p.imports {
			ir := rank(i)
			switch {
			case ir < 0:
				t.Errorf("%s imports the program %s", p.path, i)
			case r < 0, ir < r, ir == r && ranks[r].family:
			default:
				t.Errorf("%s (%s) imports %s (%s), which is not below it", p.path, ranks[r].name, i, ranks[ir].name)
			}
		}
	}
}

// reachRule lists the analyses, below analysis/, that packages with one of the prefixes
// may link, and whether they may link gonum.
type reachRule struct {
	prefixes []string
	analyses []string
	gonum    bool
}

// reach lists the analyses that the Prolog and the agent may link, tests excepted: those
// that they call. The first prefix that fits counts.
var reach = []reachRule{
	{[]string{"prolog", "prolog/"}, []string{"note", "quantity", "run"}, false},
	{[]string{"agent", "agent/live"}, []string{"note", "quantity", "run", "series", "anatomy", "internal/robust",
		"stacks", "tracker", "pattern", "periodicity", "phase", "marks", "internal/dtw", "internal/parallel"}, true},
	{[]string{"agent/job", "agent/job/", "agent/cgroup", "agent/peek", "agent/peek/", "agent/rawcall", "agent/journal",
		"agent/unit", "agent/as"}, []string{"note", "quantity", "run"}, false},
	{[]string{"agent/stack"}, []string{"note", "quantity", "run", "series", "anatomy", "internal/robust", "stacks"}, true},
	// A profile is read as series and as samples of code.
	{[]string{"agent/"}, []string{"note", "quantity", "run", "series", "anatomy", "internal/robust"}, true},
}

// The Prolog and the agent start on every node of every job: they link no analysis that
// they do not call, and no report.
func TestPrologAndAgentReachOnlyAnalysesTheyCall(t *testing.T) {
	fits := func(path string, prefixes []string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool {
			return path == p || strings.HasSuffix(p, "/") && strings.HasPrefix(path, p)
		})
	}
	for _, p := range packages(t) {
		i := slices.IndexFunc(reach, func(r reachRule) bool { return fits(p.path, r.prefixes) })
		if i < 0 {
			continue
		}
		for _, d := range p.all {
			analysis, own := strings.CutPrefix(d, module+"/analysis/")
			if own && !slices.Contains(reach[i].analyses, analysis) {
				t.Errorf("%s reaches analysis/%s, which it does not call", p.path, analysis)
			}
			if strings.HasPrefix(d, module+"/reports/") || strings.HasPrefix(d, "gonum.org/") && !reach[i].gonum {
				t.Errorf("%s reaches %s", p.path, d)
			}
		}
	}
}

func TestOnlyHistoryImportsSQLite(t *testing.T) {
	for _, p := range packages(t) {
		if p.path == "analysis/history" {
			continue
		}
		for f, text := range production(t, p.path) {
			if bytes.Contains(text, []byte(`"github.com/mattn/go-sqlite3"`)) {
				t.Errorf("%s imports the SQLite driver", f)
			}
		}
	}
}

// production are the files of a package without its tests, by name.
func production(t *testing.T, path string) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root(t), path, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, f := range names {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		if files[f], err = os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// Reports draw and describe what analyses found: a square root, an exponential or a natural logarithm belongs to
// a statistic and must not occur. Logarithms and powers of ten are for axes and figures.
func TestReportsHoldNoStatistic(t *testing.T) {
	statistic := regexp.MustCompile(
		`\bmath\.(Sqrt|Cbrt|Hypot|Exp|Exp2|Expm1|Log|Log1p|Log2|Erf\w*|\w*Gamma)\(|"gonum\.org/|"math/rand`)
	for _, p := range packages(t) {
		if !strings.HasPrefix(p.path, "reports/") {
			continue
		}
		for f, text := range production(t, p.path) {
			if found := statistic.Find(text); found != nil {
				t.Errorf("%s: %s is for an analysis", f, found)
			}
		}
	}
}

// Prolog and agent run on every node image: they must not need cgo.
func TestPrologAndAgentNeedNoCgo(t *testing.T) {
	for _, p := range packages(t) {
		if p.path != "prolog" && p.path != "agent" {
			continue
		}
		for _, d := range p.all {
			if strings.HasPrefix(d, "github.com/mattn/") || d == module+"/analysis/history" {
				t.Errorf("%s reaches %s", p.path, d)
			}
		}
	}
	for _, p := range []string{"./prolog", "./agent"} {
		cmd := exec.Command("go", "build", "-o", os.DevNull, p)
		cmd.Dir, cmd.Env = root(t), append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("build %s without cgo: %v\n%s", p, err, out)
		}
	}
}

func TestGofmtAndVet(t *testing.T) {
	out, err := exec.Command("gofmt", "-l", root(t)).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("gofmt -l: %v\n%s", err, out)
	}
	vet := exec.Command("go", "vet", "./...")
	vet.Dir = root(t)
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
}

// Every package says what comes in, what goes out and what it refuses to say.
func TestEveryPackageHasAComment(t *testing.T) {
	cmd := exec.Command("go", "list", "-f", `{{.ImportPath}}|{{.Doc}}|{{len .GoFiles}}`, "./...")
	cmd.Dir = root(t)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		f := strings.Split(line, "|")
		if len(f) == 3 && f[1] == "" && f[2] != "0" {
			t.Errorf("%s has no package comment", f[0])
		}
	}
}

func TestTopLevel(t *testing.T) {
	allowed := []string{"spank", "prolog", "epilog", "agent", "analysis", "reports", "configs", "packaging",
		"go.mod", "go.sum", "Makefile", "README.md", "build"}
	entries, err := os.ReadDir(root(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(allowed, e.Name()) {
			t.Errorf("the top level holds %s", e.Name())
		}
	}
}

// root is the directory of go.mod.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDashboardOfFiles(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.html")
	a, b := fileOf(t, "a.csv", slower(1, 15)), fileOf(t, "b.csv", slower(2, 0))
	if c := ask("dashboard", "-o", page, "--days", "0", "--title", "two <files>", a, b); c.status != 0 || c.out != "" {
		t.Fatalf("%+v", c)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"two &lt;files&gt;", "slower since 13 October", "the executable changed then",
		"b.csv against", "a.csv", `class="chart histogram"`, `class="chart evidence"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in the page", want)
		}
	}
	if strings.Contains(string(text), filepath.Dir(a)) {
		t.Error("the page has a directory of this machine")
	}
	if info, err := os.Stat(page); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

// Applications, shapes and metrics of lines, and further metrics of runs.
func TestDashboardOfLines(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.html")
	const runs = `"t":[1,2,3,4,5,6,7,8],"y":[1,2,1,2,1,2,1,2]`
	lines := fileOf(t, "lines", `{"id":"a","app":"nemo","shape":"4 nodes","metric":"step",`+runs+`}`+"\n"+
		`{"id":"b","app":"nemo","shape":"8 nodes","metric":"step",`+runs+`}`+"\n"+
		`{"id":"c","also":{"cpu_s":[1,2,1,2,1,2,1,null]},`+runs+`}`+"\n"+`{"id":"bad"}`+"\n")
	if c := ask("dashboard", "-o", page, "--compare", "a,c", lines); c.status != 0 {
		t.Fatalf("%+v", c)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">nemo</label>", ">4 nodes</label>", ">8 nodes against 4 nodes</label>",
		">c against a</label>", ">CPU time</label>", ">bad</label>", "the series has no t or no y"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in the page", want)
		}
	}
	for _, k := range []struct {
		status int
		args   []string
	}{{2, []string{lines}}, {2, []string{"-o", page, "--compare", "a", lines}},
		{1, []string{"-o", page, "--compare", "a,x", lines}},
		{2, []string{"-o", page, "--days", "-1", lines}}, {1, []string{"-o", page, lines + ".not"}},
		{1, []string{"-o", filepath.Join(lines, "x"), lines}}} {
		if got := ask(append([]string{"dashboard"}, k.args...)...); got.status != k.status || got.complaint == "" {
			t.Errorf("%v: %+v", k.args, got)
		}
	}
}

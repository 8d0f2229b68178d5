package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"jobgait/reports/schema"
)

// schemas compiles those of the verbs, with every object closed to keys that it
// does not name: a key without a description fails here and nowhere else.
func schemas(t testing.TB) map[string]*jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	texts := map[string][]byte{"changes": schema.Changes, "compare": schema.Compare, "periods": schema.Periods,
		"scaling": schema.Scaling, "doctor": schema.Doctor, "ask": schema.Ask}
	for name, text := range texts {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		closeObjects(doc)
		if err := c.AddResource("urn:jobgait:"+name+":1", doc); err != nil {
			t.Fatal(err)
		}
	}
	out := map[string]*jsonschema.Schema{}
	for name := range texts {
		s, err := c.Compile("urn:jobgait:" + name + ":1")
		if err != nil {
			t.Fatal(err)
		}
		out[name] = s
	}
	return out
}

func closeObjects(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, x := range v {
			closeObjects(x)
		}
		if _, ok := v["properties"]; ok && v["additionalProperties"] == nil {
			v["additionalProperties"] = false
		}
	case []any:
		for _, x := range v {
			closeObjects(x)
		}
	}
}

func follows(t *testing.T, s *jsonschema.Schema, what string, text []byte) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v: %.300s", what, err, text)
	}
	if err := s.Validate(doc); err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

// The golden files of the packages that write JSON have every key there is. That
// of periods has its figures shortened, as words; the last series of that of
// scaling is what no analysis returns.
func TestGoldenJSONFollowsSchemas(t *testing.T) {
	all := schemas(t)
	for path, name := range map[string]string{"change/testdata/report.json": "changes",
		"change/testdata/pair.json":     "compare",
		"periods/testdata/example.json": "periods", "scaling/testdata/all.json": "scaling"} {
		text, err := os.ReadFile(filepath.Join("..", path))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if name == "periods" {
			doc = figures(doc)
		}
		if m, list := doc.(map[string]any), "series"; name == "scaling" {
			m[list] = m[list].([]any)[:10]
		}
		if err := all[name].Validate(doc); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// figures makes numbers of words that are numbers.
func figures(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			v[k] = figures(x)
		}
	case []any:
		for i, x := range v {
			v[i] = figures(x)
		}
	case string:
		if _, err := strconv.ParseFloat(v, 64); err == nil {
			return json.Number(v)
		}
	}
	return v
}

// oddLines are histories with everything that a series can have, and bad ones.
func oddLines() string {
	var t, y, start, cpu, nodes []string
	for i := range 60 {
		v := 50 * (1 + .01*math.Sin(float64(i*i)))
		if i >= 30 {
			v *= 1.1
		}
		t, y, start = append(t, fmt.Sprint(i)), append(y, fmt.Sprint(v)), append(start, fmt.Sprint(1.7e9+float64(i)*86400))
		cpu, nodes = append(cpu, fmt.Sprint(v-1)), append(nodes, fmt.Sprintf(`["n%d"]`, i%5))
	}
	list := func(v []string) string { return "[" + strings.Join(v, ",") + "]" }
	commit := strings.Repeat(`"a",`, 30) + strings.Repeat(`"b",`, 29) + "null"
	return fmt.Sprintf(`{"id":7,"user":"u","app":"nemo","shape":"4","metric":"step_s","unit":"s","t":%s,"y":%s,`+
		`"start":%s,"also":{"cpu_s":%s},"nodes":%s,"meta":{"commit":[%s]}}`+"\n",
		list(t), list(y), list(start), list(cpu), list(nodes), commit) +
		`{"id":"few","t":[1,2],"y":[3,null]}` + "\n" + `{"id":"bad","t":[1,2],"y":[3]}` + "\n" + `{"t":[],"y":[]}` + "\n" +
		`{"id":"zero","t":[5,4,3,2,1,0],"y":[0,0,-1,1e300,1e-300,0]}` + "\n"
}

// What the verbs print of files of every kind, good and bad.
func TestJSONOfVerbsFollowsSchemas(t *testing.T) {
	all := schemas(t)
	good, odd := fileOf(t, "nemo.csv", slower(1, 15)), fileOf(t, "odd.jsonl", oddLines())
	other, few := fileOf(t, "other.csv", slower(2, 15)), fileOf(t, "few.csv", "t,value\n1,2\n")
	points := fileOf(t, "points.csv",
		"p,rep,value\n1,1,10\n2,1,20\n4,1,40\n8,1,80\n16,1,160\n32,1,320\n64,1,1280\n128,1,2560\n256,1,5120\n")
	samples := "t_s,a\n"
	for i := range 2000 {
		samples += fmt.Sprintf("%g,%g\n", float64(i)*.01, math.Sin(float64(i)*.1)+.01*math.Sin(float64(i*i)))
	}
	wave := fileOf(t, "wave.csv", samples)
	for _, c := range [][]string{
		{"changes", good}, {"changes", odd}, {"changes", "--method", "paper", odd}, {"changes", few},
		{"changes", "--days", "3", good},
		{"compare", good, other}, {"compare", few, other}, {"compare", "--join", "scale", good, other},
		{"compare", "--join", "none", good, other}, {"compare", "--join", "none", few, few},
		{"compare", "--series", "7", odd, odd},
		{"periods", wave}, {"periods", "--method", "paper", wave}, {"scaling", points},
		{"scaling", "--method", "paper", points},
		{"scaling", "--method", "extra-p", points},
	} {
		got := ask(append([]string{c[0], "--json"}, c[1:]...)...)
		if got.status != 0 || strings.Contains(got.out, "NaN") {
			t.Errorf("%v: %+v", c, got)
			continue
		}
		follows(t, all[c[0]], strings.Join(c, " "), []byte(got.out))
	}
}

// What they print of stored runs, and what a stored report holds of it.
func TestJSONOfStoredRunsFollowsSchemas(t *testing.T) {
	all, env := schemas(t), storedRuns(t)
	for _, c := range [][]string{{"changes"}, {"changes", "--site", "--metric", "elapsed_s"}, {"compare", "1", "30"},
		{"compare", "--like", "1", "30"}, {"scaling", "--app", "ocean", "--metric", "elapsed_s"}} {
		got := askIn(env, append([]string{c[0], "--json"}, c[1:]...)...)
		if got.status != 0 {
			t.Fatalf("%v: %+v", c, got)
		}
		follows(t, all[c[0]], strings.Join(c, " "), []byte(got.out))
	}
	got := askIn(env, "show", "--json", "30")
	if got.status != 0 {
		t.Fatalf("%+v", got)
	}
	var parts struct{ Changes, Scaling json.RawMessage }
	if err := json.Unmarshal([]byte(got.out), &parts); err != nil {
		t.Fatal(err)
	}
	if string(parts.Changes) == "null" {
		t.Error("the report of the newest run has no changes")
	} else {
		follows(t, all["changes"], "changes of the report", parts.Changes)
	}
	if string(parts.Scaling) != "null" {
		follows(t, all["scaling"], "scaling of the report", parts.Scaling)
	}
}

// Whatever a file holds, there is one line and a status, or JSON that follows the
// schema, a text of 80 columns, and a page without what a policy refuses.
func FuzzHistories(f *testing.F) {
	for _, s := range []string{slower(1, 15), oddLines(), "1,2\n2,3\n", "{}",
		"t,value,commit\n2026-01-01,1,a\n2026-01-01,,b\n",
		`{"id":"\u202e<b>","t":["2026-01-01T00:00:00Z","2026-01-02"],"y":[1,2],"start":[1,2],"nodes":[["n1"],["n2"]],` +
			`"meta":{"a":["x","y"]}}`,
		`{"t":[1,2,3,4,5,6],"y":[1e-300,1e300,1,1,1,1]}`} {
		f.Add([]byte(s))
	}
	all, dir := schemas(f), f.TempDir()
	path, page := filepath.Join(dir, "in"), filepath.Join(dir, "page.html")
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<15 {
			return
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		got := ask("changes", "--json", path)
		if got.status != 0 {
			if got.status != 1 || strings.Count(got.complaint, "\n") != 1 {
				t.Fatalf("%+v", got)
			}
			return
		}
		follows(t, all["changes"], "changes", []byte(got.out))
		for _, line := range strings.Split(ask("changes", path).out, "\n") {
			if len([]rune(line)) > 80 {
				t.Fatalf("%d columns: %q", len([]rune(line)), line)
			}
		}
		if got := ask("dashboard", "-o", page, path); got.status != 0 {
			t.Fatalf("%+v", got)
		}
		html, err := os.ReadFile(page)
		if err != nil || bytes.Contains(html, []byte("NaN")) && !bytes.Contains(text, []byte("NaN")) ||
			bytes.Contains(html, []byte(" style=")) && !bytes.Contains(text, []byte("style=")) {
			t.Fatalf("%v: %q", err, text)
		}
	})
}

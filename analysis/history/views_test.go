package history

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"strings"
	"testing"
)

// views are the contract, each with an order that its rows have.
var views = []struct{ name, order string }{
	{"jobs", "RunID"}, {"job_nodes", "RunID, NodeName"}, {"job_patterns", "RunID, Position"},
	{"job_notes", "RunID, Code"}, {"series", "SeriesID"}, {"ingest", "AtEpoch"},
	{"changes", "EventID"}, {"scaling", "Position"},
}

func TestViewsGolden(t *testing.T) {
	db := openFixture(t)
	var b strings.Builder
	for _, v := range views {
		b.WriteString("== " + v.name + "\n" + dump(t, db.sql, "SELECT * FROM "+v.name+" ORDER BY "+v.order))
	}
	golden(t, "views.txt", b.String())
}

// TestViewsUnknown checks the run of which next to nothing is known: what is
// not known is NULL, not 0 and not empty.
func TestViewsUnknown(t *testing.T) {
	db := openFixture(t)
	for _, line := range strings.Split(dump(t, db.sql, `SELECT * FROM jobs WHERE Cluster = 'local:host'`), "\n") {
		name, value, _ := strings.Cut(line, " ")
		switch name {
		case "", "RunID", "JobID", "JobIDRaw", "Sub", "Restarts", "Cluster", "User", "UID", "NodesReported", "Counters", "Report":
		default:
			if strings.TrimSpace(value) != "NULL" {
				t.Errorf("%s = %s, want NULL", name, value)
			}
		}
	}
}

// examples returns the queries of the package comment.
func examples(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var queries []string
	for _, line := range strings.Split((*ast.CommentGroup)(file.Doc).Text(), "\n") {
		text, indented := strings.CutPrefix(line, "\t")
		switch {
		case !indented:
		case strings.HasPrefix(text, "SELECT "):
			queries = append(queries, text)
		default:
			queries[len(queries)-1] += "\n" + text
		}
	}
	if len(queries) < 12 {
		t.Fatalf("found %d queries in doc.go", len(queries))
	}
	return queries
}

func TestDocExamples(t *testing.T) {
	db := openFixture(t)
	tool := sqliteTool(t)
	for _, q := range examples(t) {
		dump(t, db.sql, q)
		if tool == "" {
			continue
		}
		if out, err := exec.Command(tool, "-readonly", "-bail", db.path, q).CombinedOutput(); err != nil {
			t.Errorf("sqlite3: %s: %v\n%s", q, err, out)
		}
	}
}

// sqliteTool returns the path of the sqlite3 command, "" if there is none.
func sqliteTool(t *testing.T) string {
	t.Helper()
	tool, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Log("no sqlite3 command: only the driver was asked")
		return ""
	}
	return tool
}

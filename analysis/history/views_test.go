package history

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// views lists the views of the contract, each with an order of its rows.
var views = []struct{ name, order string }{
	{"jobs", "RunID"}, {"job_resources", "RunID"}, {"job_nodes", "RunID, NodeName"}, {"job_patterns", "RunID, Position"},
	{"job_notes", "RunID, Code"}, {"series", "SeriesID"}, {"ingest", "AtEpoch"},
	{"changes", "EventID"}, {"days", "DayEpoch, User, Account"}, {"scaling", "Position"},
	{"job_functions", "RunID, SharePct DESC"}, {"job_classes", "RunID, SharePct DESC"},
	{"job_fields", "RunID, Name"}, {"job_counters", "RunID, Name, Scope"}, {"job_gpus", "RunID, NodeName, GPU"},
	{"job_findings", "RunID, Position"},
}

// TestViewsGolden shows the views of a small history. Its first line is what the
// schema of this version is: histories that have its number are on disks, so that it
// is not changed, and -update does not write it, without a step that leads from it.
func TestViewsGolden(t *testing.T) {
	db := openFixture(t)
	version := fmt.Sprintf("schema %d ", db.schema.version())
	now := version + fmt.Sprintf("%x\n", sha256.Sum256([]byte(structure(t, db))))
	before, err := os.ReadFile("testdata/views.txt")
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(string(before), version) && !strings.HasPrefix(string(before), now) {
		t.Fatal("schema.sql is another, under the same number: add a step to currentSchema in schema.go")
	}
	golden(t, "views.txt", now+shown(t, db))
}

// shown is what the views show.
func shown(t *testing.T, db *DB) string {
	t.Helper()
	var b strings.Builder
	for _, v := range views {
		b.WriteString("== " + v.name + "\n" + dump(t, db.sql, "SELECT * FROM "+v.name+" ORDER BY "+v.order))
	}
	return b.String()
}

// TestViewsUnknown checks the run of which next to nothing is known: what is
// not known is NULL, not 0 and not empty.
func TestViewsUnknown(t *testing.T) {
	db := openFixture(t)
	for _, line := range strings.Split(dump(t, db.sql, `SELECT * FROM jobs WHERE Cluster = 'local:host'`), "\n") {
		name, value, _ := strings.Cut(line, " ")
		switch name {
		case "", "RunID", "JobID", "JobIDRaw", "Sub", "Restarts", "Cluster", "User", "UID", "NodesReported", "Counters",
			"Report":
		default:
			if strings.TrimSpace(value) != "NULL" {
				t.Errorf("%s = %s, want NULL", name, value)
			}
		}
	}
}

// sqliteTool returns the path of the sqlite3 command, or "".
func sqliteTool(t *testing.T) string {
	t.Helper()
	tool, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Log("no sqlite3 command: only the driver was asked")
		return ""
	}
	return tool
}

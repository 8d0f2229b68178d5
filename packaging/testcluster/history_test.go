package testcluster

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"testing"
)

// row is one line of the view that other tools read.
type row struct {
	JobID         string
	Restarts      int
	User          string
	UID           uint32
	NNodes        int
	NodesReported int
	NodeList      string
	ElapsedS      float64
	Elapsed       string
	ExitCode      *string
	State         *string
	PeriodS       *float64
	Application   *string
	Shape         *string
	Report        *string
}

// rows queries the history as a user would, with the sqlite3 shell.
func (c *cluster) rows(where string) ([]row, error) {
	cmd := exec.Command("sqlite3", "-readonly", "-json", "-cmd", ".timeout 10000", c.path("history.db"),
		`select JobID, Restarts, User, UID, NNodes, NodesReported, NodeList, ElapsedS, Elapsed, ExitCode,
		State, PeriodS, Application, Shape, Report from jobs where `+where+` order by Restarts`)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("sqlite3: %w: %s", err, out)
	}
	if len(out) == 0 {
		return nil, nil // what sqlite3 prints for no rows
	}
	var rows []row
	if err := json.Unmarshal(out, &rows); err != nil {
		return nil, fmt.Errorf("sqlite3: %w: %s", err, out)
	}
	return rows, nil
}

// waitRows waits until n rows match.
func (c *cluster) waitRows(t *testing.T, n int, where string) []row {
	t.Helper()
	var found []row
	poll(t, func() string {
		var err error
		if found, err = c.rows(where); err != nil {
			return err.Error()
		}
		if len(found) != n {
			return fmt.Sprintf("history has %d rows with %s, want %d", len(found), where, n)
		}
		return ""
	})
	return found
}

// checkRow waits for the row of a run and compares it with its report.
func (c *cluster) checkRow(t *testing.T, w want) row {
	t.Helper()
	// The row is there before the report is delivered.
	r := c.waitRows(t, 1, fmt.Sprintf("JobID = '%s' and Restarts = %d and Report is not null", w.id, w.restart))[0]
	if r.User != w.owner.name || r.UID != w.owner.uid {
		t.Errorf("row of job %s is %s's (%d), want %s's", w.id, r.User, r.UID, w.owner.name)
	}
	if r.NNodes != len(w.nodes) || r.NodesReported != len(w.nodes) {
		t.Errorf("row of job %s has %d nodes, %d reported, want %d", w.id, r.NNodes, r.NodesReported, len(w.nodes))
	}
	if (r.ExitCode == nil) != (w.exit == "") || r.ExitCode != nil && *r.ExitCode != w.exit {
		t.Errorf("row of job %s has exit %v, want %q", w.id, text(r.ExitCode), w.exit)
	}
	if r.State != nil && *r.State == "COMPLETED" && w.exit != "0:0" {
		t.Errorf("row of job %s has state COMPLETED with exit %s", w.id, w.exit)
	}
	if w.state != "" { // it is learned when the job is over
		c.waitRows(t, 1, fmt.Sprintf("JobID = '%s' and Restarts = %d and State = '%s'", w.id, w.restart, w.state))
	}
	if r.Report == nil || *r.Report != w.dir {
		t.Errorf("row of job %s has report %s, want %s", w.id, text(r.Report), w.dir)
	}
	w.checkElapsed(t, r.ElapsedS)
	nodes := c.nodesOf(t, w)
	if !slices.Equal(nodes, w.nodes) {
		t.Errorf("history has nodes %v of job %s, want %v", nodes, w.id, w.nodes)
	}
	return r
}

// nodesOf queries the nodes of a run.
func (c *cluster) nodesOf(t *testing.T, w want) []string {
	t.Helper()
	out, err := exec.Command("sqlite3", "-readonly", "-json", "-cmd", ".timeout 10000", c.path("history.db"),
		fmt.Sprintf(`select NodeName from job_nodes n join jobs j on j.RunID = n.RunID
		where j.JobID = '%s' and j.Restarts = %d order by NodeName`, w.id, w.restart)).CombinedOutput()
	if err != nil {
		t.Fatalf("sqlite3: %v: %s", err, out)
	}
	var rows []struct{ NodeName string }
	if err := json.Unmarshal(out, &rows); len(out) > 0 && err != nil {
		t.Fatalf("sqlite3: %v: %s", err, out)
	}
	names := make([]string, 0, len(rows))
	for _, r := range rows {
		names = append(names, r.NodeName)
	}
	return names
}

func text(s *string) string {
	if s == nil {
		return "none"
	}
	return *s
}

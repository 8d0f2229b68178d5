package testcluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// report has the fields of a JSON report that the tests read.
type report struct {
	Schema string `json:"schema"`
	Job    struct {
		ID         string  `json:"id"`
		User       string  `json:"user"`
		App        *string `json:"app"`
		Size       *string `json:"size"`
		Restart    int     `json:"restart"`
		ElapsedS   float64 `json:"elapsed_s"`
		ExitCode   *int    `json:"exit_code"`
		ExitSignal *int    `json:"exit_signal"`
		Ended      string  `json:"ended"`
	} `json:"job"`
	Rhythm struct {
		Periodic bool `json:"periodic"`
		Patterns []struct {
			Period struct {
				Value float64 `json:"value"`
			} `json:"period_s"`
		} `json:"patterns"`
		Why []struct {
			Code string `json:"code"`
			Text string `json:"text"`
		} `json:"why"`
	} `json:"rhythm"`
	Nodes struct {
		Total    int      `json:"total"`
		Reported int      `json:"reported"`
		Missing  []string `json:"missing"`
		List     []struct {
			Name string `json:"name"`
		} `json:"list"`
	} `json:"nodes"`
	GPUs []struct {
		Name    string   `json:"name"`
		UUID    string   `json:"uuid"`
		EnergyJ *float64 `json:"energy_j"`
		ActiveS *float64 `json:"active_s"`
		Cycle   *struct {
			IdleShare float64 `json:"idle_share"`
		} `json:"cycle"`
	} `json:"gpus"`
	Notes []struct {
		Code string `json:"code"`
		Text string `json:"text"`
	} `json:"notes"`
}

func (r report) has(code string) bool { return r.tells(code, "") }

// tells reports whether the report has a note with the given code that contains words.
func (r report) tells(code, words string) bool {
	for _, n := range r.Notes {
		if n.Code == code && strings.Contains(n.Text, words) {
			return true
		}
	}
	return false
}

// want describes the report that a test expects.
type want struct {
	dir, name string // where, without extension
	owner     account
	id        string // as sacct spells it
	nodes     []string
	restart   int
	// atLeast is how long the job was busy; since bounds it from above.
	atLeast time.Duration
	since   time.Time
	exit    string // as sacct spells it: code:signal; "" is unknown
	state   string // the scheduler's final state, "" is not checked
}

// forms are the files of every report.
var forms = []string{".txt", ".json", ".html"}

// expects returns the expectations for the report of a plain batch job.
func (j job) expects(nodes ...string) want {
	return want{dir: j.dir, name: j.name(), owner: j.user, id: fmt.Sprint(j.id), nodes: nodes, since: j.since, exit: "0:0"}
}

// check waits for a report, and fails the test unless it, its history row and
// what is left on the nodes are right. It returns the report.
func (c *cluster) check(t *testing.T, w want) report {
	t.Helper()
	for _, form := range forms {
		w.checkFile(t, filepath.Join(w.dir, w.name+form))
	}
	w.checkText(t)
	r := w.checkJSON(t)
	c.checkRow(t, w)
	c.checkLeft(t, w)
	return r
}

// checkFile waits for one file of the report: a regular one of the user's.
func (w want) checkFile(t *testing.T, path string) {
	t.Helper()
	var info os.FileInfo
	poll(t, func() string {
		var err error
		if info, err = os.Lstat(path); err != nil {
			return err.Error() + w.instead()
		}
		return ""
	})
	st := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.Mode().IsRegular():
		t.Errorf("%s is no regular file: %v", path, info.Mode())
	case st.Uid != w.owner.uid || st.Gid != w.owner.gid:
		t.Errorf("%s belongs to %d:%d, want %d:%d", path, st.Uid, st.Gid, w.owner.uid, w.owner.gid)
	case info.Mode().Perm()&0o022 != 0:
		t.Errorf("%s can be written by others: %v", path, info.Mode())
	case info.Size() == 0:
		t.Errorf("%s is empty", path)
	}
}

// instead lists the directory in which the report is missing.
func (w want) instead() string {
	entries, err := os.ReadDir(w.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return ", nor is its directory"
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return fmt.Sprintf("; there are %q", names)
}

func (w want) checkText(t *testing.T) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(w.dir, w.name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, must := range append([]string{w.id, w.owner.name}, w.nodes...) {
		if !strings.Contains(string(b), must) {
			t.Errorf("%s.txt does not name %q:\n%s", w.name, must, b)
		}
	}
}

func (w want) checkJSON(t *testing.T) report {
	t.Helper()
	r := readReport(t, filepath.Join(w.dir, w.name+".json"))
	var nodes []string
	for _, n := range r.Nodes.List {
		nodes = append(nodes, n.Name)
	}
	if r.Job.ID != w.id || r.Job.User != w.owner.name || r.Job.Restart != w.restart {
		t.Errorf("report is of job %s restart %d of %s, want %s restart %d of %s",
			r.Job.ID, r.Job.Restart, r.Job.User, w.id, w.restart, w.owner.name)
	}
	if !slices.Equal(nodes, w.nodes) || r.Nodes.Reported != len(w.nodes) {
		t.Errorf("report has nodes %v, of which %d reported, want %v", nodes, r.Nodes.Reported, w.nodes)
	}
	got := ""
	if r.Job.ExitCode != nil && r.Job.ExitSignal != nil {
		got = fmt.Sprintf("%d:%d", *r.Job.ExitCode, *r.Job.ExitSignal)
	}
	if got != w.exit {
		t.Errorf("report has exit %q, want %q", got, w.exit)
	}
	w.checkElapsed(t, r.Job.ElapsedS)
	return r
}

// checkElapsed holds the time against what the job did and how long the test
// had to wait for it.
func (w want) checkElapsed(t *testing.T, s float64) {
	t.Helper()
	if s < w.atLeast.Seconds() || s > time.Since(w.since).Seconds()+1 {
		t.Errorf("elapsed %.2f s, want %.2f to %.2f", s, w.atLeast.Seconds(), time.Since(w.since).Seconds())
	}
}

func readReport(t *testing.T, path string) report {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if !strings.HasPrefix(r.Schema, "jobgait.report/") {
		t.Errorf("%s: schema %q", path, r.Schema)
	}
	return r
}

package modern

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// row is a check: what the scheduler or the system said, what jobgait said.
type row struct {
	Name    string
	Sacct   string
	Jobgait string
	Verdict string // "ok", or what is wrong
	Seconds int    // since the check's job was submitted
}

// table is the checks in the order of their first run. A check that runs again
// replaces its row. It is stored at each row, so that stages can run alone and
// nothing is lost where one is interrupted.
type table struct {
	mu   sync.Mutex
	path string
	rows []row
}

func openTable(path string) *table {
	t := &table{path: path}
	if b, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(b, &t.rows) // a damaged table is restarted
	}
	return t
}

func (t *table) put(r row) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.IndexFunc(t.rows, func(old row) bool { return old.Name == r.Name }); i >= 0 {
		t.rows[i] = r
	} else {
		t.rows = append(t.rows, r)
	}
	b, err := json.Marshal(t.rows)
	if err != nil {
		return err
	}
	if err := os.WriteFile(t.path+".new", b, 0o644); err != nil {
		return err
	}
	return os.Rename(t.path+".new", t.path)
}

// markdown is the table as MEASURED.md has it.
func (t *table) markdown() string {
	var out strings.Builder
	failed := 0
	out.WriteString("| check | Slurm, the system | jobgait | verdict | s |\n|---|---|---|---|---|\n")
	for _, r := range t.rows {
		if r.Verdict != "ok" {
			failed++
		}
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %d |\n", cell(r.Name), cell(r.Sacct), cell(r.Jobgait), cell(r.Verdict),
			r.Seconds)
	}
	fmt.Fprintf(&out, "\n%d checks, %d not ok\n", len(t.rows), failed)
	return out.String()
}

// cell is a text that fits into a table.
func cell(text string) string {
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", "/")
	if r := []rune(text); len(r) > 160 {
		text = string(r[:160]) + "…"
	}
	if text == "" {
		return "-"
	}
	return text
}

// check is one check of a test: it fails the test where the verdict is not "ok",
// and has its line either way.
func (c *cluster) check(t *testing.T, name, sacct, jobgait string, since time.Time, wrong string) {
	t.Helper()
	r := row{name, sacct, jobgait, "ok", int(time.Since(since).Seconds())}
	if wrong != "" {
		r.Verdict = wrong
		t.Errorf("%s: %s\n  Slurm or the system: %s\n  jobgait: %s", name, wrong, sacct, jobgait)
	}
	fmt.Printf("%s  %s: %s\n", time.Now().UTC().Format("15:04:05"), cell(name), cell(r.Verdict))
	if err := c.table.put(r); err != nil {
		t.Fatal(err)
	}
}

func TestTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.json")
	a := openTable(path)
	for _, r := range []row{{"a", "COMPLETED", "x|y\nz", "ok", 3}, {"b", "", "", "late", 4},
		{"a", "FAILED", "", "ok", 5}} {
		if err := a.put(r); err != nil {
			t.Fatal(err)
		}
	}
	const want = `| check | Slurm, the system | jobgait | verdict | s |
|---|---|---|---|---|
| a | FAILED | - | ok | 5 |
| b | - | - | late | 4 |

2 checks, 1 not ok
`
	if got := openTable(path).markdown(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := cell(strings.Repeat("ä", 200) + "| x"); len([]rune(got)) != 161 {
		t.Errorf("%q", got)
	}
}

// TestPrint prints the table of all stages so far.
func TestPrint(t *testing.T) {
	c := use(t)
	text := c.table.markdown()
	fmt.Print("\n", text)
	if err := os.WriteFile(filepath.Join(c.run, "table.md"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

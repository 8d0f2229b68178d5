package history

import (
	"database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestSite is what `make bench-site` runs: JOBGAIT_SITE_RUNS runs, asked what the
// manual says that administrators ask.
func TestSite(t *testing.T) {
	runs, _ := strconv.Atoi(os.Getenv("JOBGAIT_SITE_RUNS"))
	if runs == 0 {
		t.Skip("make bench-site sets JOBGAIT_SITE_RUNS")
	}
	dir := os.Getenv("JOBGAIT_SITE_DIR")
	if dir == "" {
		dir = t.TempDir()
	}
	begin := time.Now()
	one, err := Open(t.Context(), filepath.Join(dir, "tile.db"))
	if err != nil {
		t.Fatal(err)
	}
	tile(t, one)
	one.Close()
	fmt.Printf("tile of %d runs put in %.1f s\n", tileRuns, time.Since(begin).Seconds())
	db, err := Open(t.Context(), filepath.Join(dir, "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	begin = time.Now()
	tiled(t, db, one.path, max(1, runs/tileRuns))
	fmt.Printf("%d runs copied in %.1f s\n", runs, time.Since(begin).Seconds())
	bytesOf(db, runs)
	for _, statistics := range []bool{false, true} {
		if statistics { // somebody has asked for them: the documented questions still find their way
			if _, err := db.sql.Exec("ANALYZE"); err != nil {
				t.Fatal(err)
			}
			db.sql.Close()
			if db, err = OpenReadOnly(t.Context(), db.path); err != nil {
				t.Fatal(err)
			}
			defer db.Close()
		}
		fmt.Printf("%-28s %9s %9s %9s  after ANALYZE: %v\n", "", "p50 ms", "p99 ms", "times", statistics)
		askKeys(t, db, runs)
		for _, name := range slices.Sorted(maps.Keys(queries(t))) {
			q := queries(t)[name]
			q = strings.NewReplacer("'alice'", "'user0'", "'812340_7'", "'12345'", "'812345'", "'12345'").Replace(q)
			ask(t, name, 5, func(int) { drain(t, db, q) })
		}
	}
}

// bytesOf prints the bytes of a run by table and index, where sqlite3 can tell.
func bytesOf(db *DB, runs int) {
	out, err := exec.Command("sqlite3", "-separator", " ", db.path, fmt.Sprintf(
		"SELECT printf('%%-28s %%7.1f B a run', name, sum(pgsize) / %d.0) FROM dbstat GROUP BY name HAVING sum(pgsize) / %[1]d.0 > 2 ORDER BY sum(pgsize) DESC", runs)).CombinedOutput()
	if err != nil {
		out = []byte("no sqlite3 with dbstat: the bytes of tables are not told\n")
	}
	fmt.Printf("%s", out)
}

// askKeys asks what is asked all day, of another run, series or user each time.
func askKeys(t *testing.T, db *DB, runs int) {
	r := rand.New(rand.NewPCG(2, 3))
	ask(t, "last 200 of a series", 100, func(int) {
		drain(t, db, fmt.Sprintf("SELECT JobID, Start, Elapsed, StepS FROM jobs WHERE SeriesID = %d ORDER BY StartEpoch DESC LIMIT 200", 1+r.IntN(runs/50)))
	})
	ask(t, "job by id", 100, func(int) { drain(t, db, fmt.Sprintf("SELECT * FROM jobs WHERE JobID = '%d'", 1+r.IntN(runs))) })
	ask(t, "a user's week", 100, func(int) {
		drain(t, db, fmt.Sprintf("SELECT JobID, State FROM jobs WHERE User = 'user%d_%d' AND StartEpoch > %d", r.IntN(tileUsers), 1+r.IntN(max(1, runs/tileRuns-1)), siteNowS-7*86400))
	})
	ask(t, "Runs of a user", 100, func(int) {
		if _, err := db.Runs(t.Context(), Query{User: fmt.Sprintf("user%d_%d", r.IntN(tileUsers), 1+r.IntN(max(1, runs/tileRuns-1)))}); err != nil {
			t.Fatal(err)
		}
	})
}

// ask prints how long something takes.
func ask(t *testing.T, name string, times int, do func(i int)) {
	t.Helper()
	took := make([]float64, times)
	for i := range took {
		begin := time.Now()
		do(i)
		took[i] = time.Since(begin).Seconds() * 1e3
	}
	slices.Sort(took)
	fmt.Printf("%-28s %9.2f %9.2f %9d\n", name, took[times/2], took[(times*99)/100], times)
}

// drain reads all rows of a query.
func drain(t *testing.T, db *DB, q string) {
	t.Helper()
	if err := db.each(t.Context(), q, func(rows *sql.Rows) error { return nil }); err != nil {
		t.Fatalf("%s: %v", q, err)
	}
}

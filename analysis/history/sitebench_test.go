package history

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
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

	"golang.org/x/sys/unix"

	"jobgait/agent/job/jobtest"
	"jobgait/analysis/run"
)

// TestSite is what `make -C packaging bench-site` runs: it makes JOBGAIT_SITE_RUNS runs and runs the
// administrators' queries of the manual.
func TestSite(t *testing.T) {
	runs, _ := strconv.Atoi(os.Getenv("JOBGAIT_SITE_RUNS"))
	if runs == 0 {
		t.Skip("make -C packaging bench-site sets JOBGAIT_SITE_RUNS")
	}
	dir := os.Getenv("JOBGAIT_SITE_DIR")
	if dir == "" {
		dir = t.TempDir()
	}
	path := filepath.Join(dir, "history.db")
	if _, err := os.Stat(path); err != nil {
		siteOf(t, dir, path, runs)
	}
	db := migrated(t, path)
	bytesOf(db, runs)
	ingestBeside(t, db, runs)
	for _, statistics := range []bool{false, true} {
		if statistics { // ANALYZE was run: the documented queries still use the intended indexes
			if _, err := db.sql.Exec("ANALYZE"); err != nil {
				t.Fatal(err)
			}
			db.sql.Close()
			reader, err := OpenReadOnly(t.Context(), db.path)
			if err != nil {
				t.Fatal(err)
			}
			db = reader
			defer db.Close()
		}
		fmt.Printf("%-28s %9s %9s %9s  after ANALYZE: %v\n", "", "p50 ms", "p99 ms", "times", statistics)
		askKeys(t, db, runs)
		for _, name := range slices.Sorted(maps.Keys(queries(t))) {
			q := queries(t)[name]
			q = strings.NewReplacer("'alice'", "'user0'", "'812340_7'", "'12345'", "'812345'", "'12345'", "'lmp melt'",
				"'solver_1 case-#'").Replace(q)
			ask(t, name, 100, func(int) { drain(t, db, q) })
		}
	}
	verbs(t, path)
}

// siteOf makes a history of the given number of runs at path.
func siteOf(t *testing.T, dir, path string, runs int) {
	begin := time.Now()
	one, err := Open(t.Context(), filepath.Join(dir, "tile.db"))
	if err != nil {
		t.Fatal(err)
	}
	tile(t, one)
	one.Close()
	fmt.Printf("tile of %d runs put in %.1f s\n", tileRuns, time.Since(begin).Seconds())
	db, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	begin = time.Now()
	tiled(t, db, one.path, max(1, runs/tileRuns))
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	fmt.Printf("%d runs copied in %.1f s\n", runs, time.Since(begin).Seconds())
}

// migrated opens a history and thereby adds an index and replaces views.
func migrated(t *testing.T, path string) *DB {
	begin := time.Now()
	before, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("opened, and migrated if an earlier version has made it, in %.2f s\n", time.Since(begin).Seconds())
	_, err = before.sql.Exec("DROP INDEX application_name")
	if err := errors.Join(err, before.Close()); err != nil {
		t.Fatal(err)
	}
	next := currentSchema()
	next.steps = append(next.steps, "")
	begin = time.Now()
	db, err := openAs(t, path, next)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("migrated to a version with one more index in %.2f s\n", time.Since(begin).Seconds())
	_, err = db.sql.Exec(fmt.Sprintf("PRAGMA user_version = %d", currentSchema().version()))
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	if db, err = Open(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	return db
}

// ingestBeside stores runs of existing users for ten seconds while eight processes send ten queries a second
// each, and for ten seconds while they query without a pause, which leaves the writer two ninths of two CPUs.
func ingestBeside(t *testing.T, db *DB, runs int) {
	put := 0
	for _, pause := range []time.Duration{100 * time.Millisecond, 0} {
		stop := readersOn(t, db.path, runs, pause)
		begin, first, used := time.Now(), put, processS(t)
		for ; time.Since(begin) < 10*time.Second; put = putTiles(t, db, 2*runs, put) {
		}
		took, n := time.Since(begin).Seconds(), float64(put-first)
		used = processS(t) - used
		asked := stop()
		fmt.Printf("%.0f runs a second put beside 8 readers who pause for %v, with %.0f pairs of questions a second; a "+
			"run took %.2f ms of CPU time\n",
			n/took, pause, float64(asked)/took, 1e3*used/n)
	}
}

// putTiles stores some more runs, as package epilog stores waiting records, and returns the number of runs
// afterwards.
func putTiles(t *testing.T, db *DB, first, put int) int {
	if err := db.InBatch(t.Context(), func(b *Batch) error {
		for k := put; k < put+BatchRuns; k++ {
			s := tileRun(k % tileRuns)
			s.Key.JobID, s.Start, s.End = run.JobID(first+k), siteNowS-s.ElapsedS, siteNowS
			if _, err := b.Reference(t.Context(), s); err != nil {
				return err
			}
			if err := b.Put(t.Context(), s, Ingest{NowS: siteNowS, Findings: found}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return put + BatchRuns
}

// readersOn starts eight processes that run queries. It returns a function that ends them and returns the
// number of pairs of queries that were answered.
func readersOn(t *testing.T, path string, runs int, pause time.Duration) (stop func() (asked int)) {
	t.Helper()
	var inputs []io.Closer
	var outputs []*bufio.Reader
	for i := range 8 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("JOBGAIT_TEST_ASK=%s %d %d %d", path, runs, i, pause))
		in, err := cmd.StdinPipe()
		out, failed := cmd.StdoutPipe()
		if err := errors.Join(err, failed, cmd.Start()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Wait() })
		inputs, outputs = append(inputs, in), append(outputs, bufio.NewReader(out))
	}
	askAll := func() (sum int) {
		for i, out := range outputs {
			var n int
			if _, err := fmt.Fscanln(out, &n); err != nil {
				t.Errorf("reader %d: %v", i, err)
			}
			sum += n
		}
		return sum
	}
	askAll() // they are there
	return func() int {
		for _, in := range inputs {
			_ = in.Close()
		}
		return askAll()
	}
}

// askProcess runs queries in a process until its input ends: a job by id and the newest runs of a user. Then it
// prints the number of queries.
func askProcess(job string) error {
	var path string
	var runs, seed int
	var pause time.Duration
	if _, err := fmt.Sscan(job, &path, &runs, &seed, (*int64)(&pause)); err != nil {
		return err
	}
	db, err := OpenReadOnly(context.Background(), path)
	if err != nil {
		return err
	}
	defer db.Close()
	fmt.Println(0)
	ctx, end := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		end()
	}()
	asked := 0
	for r := rand.New(rand.NewPCG(4, uint64(seed))); ctx.Err() == nil; asked++ {
		_, _, err := db.Summary(context.Background(), fmt.Sprint(1+r.IntN(runs)))
		if err == nil {
			_, err = db.Runs(context.Background(), Query{User: fmt.Sprintf("user0_%d", 1+r.IntN(max(1, runs/tileRuns-1)))})
		}
		if err != nil {
			return err
		}
		jobtest.WorkloadPause(pause)
	}
	fmt.Println(asked)
	return nil
}

// processS returns the CPU time of this process in seconds: on a busy machine rates mean little without it.
func processS(t *testing.T) float64 {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// verbs runs the program that JOBGAIT_SITE_PROGRAM names with every verb that reads a history. The output is not
// checked here: changes may find none.
func verbs(t *testing.T, path string) {
	program := os.Getenv("JOBGAIT_SITE_PROGRAM")
	if program == "" {
		fmt.Println("no JOBGAIT_SITE_PROGRAM: verbs were not called")
		return
	}
	for _, verb := range []string{"list", "list -u user0_1", "show 12345", "changes -u user0_1", "changes --site",
		"scaling -u user0_1", "dashboard -u user0_1 -o /dev/null", "dashboard --site -o /dev/null"} {
		times := 5
		if strings.Contains(verb, "--site") {
			times = 1
		}
		said := ""
		ask(t, verb, times, func(int) {
			out, err := exec.Command(program, append(strings.Fields(verb), "--history", path)...).CombinedOutput()
			if err != nil {
				said = fmt.Sprintf("%v: %.200s", err, out)
			}
		})
		if said != "" {
			fmt.Println("  " + said)
		}
	}
}

// bytesOf prints the bytes per run by table and index, if sqlite3 supports it.
func bytesOf(db *DB, runs int) {
	out, err := exec.Command("sqlite3", "-separator", " ", db.path, fmt.Sprintf(
		"SELECT printf('%%-28s %%7.1f B a run', name, sum(pgsize) / %d.0) FROM dbstat GROUP BY name HAVING sum(pgsize) / "+
			"%[1]d.0 > 2 ORDER BY sum(pgsize) DESC", runs)).CombinedOutput()
	if err != nil {
		out = []byte("no sqlite3 with dbstat: the bytes of tables are not told\n")
	}
	fmt.Printf("%s", out)
}

// askKeys runs the most frequent queries, for another run, series or user each time.
func askKeys(t *testing.T, db *DB, runs int) {
	r := rand.New(rand.NewPCG(2, 3))
	ask(t, "last 200 of a series", 100, func(int) {
		drain(t, db, fmt.Sprintf("SELECT JobID, Start, Elapsed, StepS FROM jobs WHERE SeriesID = %d ORDER BY StartEpoch "+
			"DESC LIMIT 200", 1+r.IntN(runs/50)))
	})
	ask(t, "job by id", 100, func(int) {
		drain(t, db, fmt.Sprintf("SELECT * FROM jobs WHERE JobID = '%d'", 1+r.IntN(runs)))
	})
	ask(t, "a user's week", 100, func(int) {
		drain(t, db, fmt.Sprintf("SELECT JobID, State FROM jobs WHERE User = 'user%d_%d' AND StartEpoch > %d",
			r.IntN(tileUsers), 1+r.IntN(max(1, runs/tileRuns-1)), siteNowS-7*86400))
	})
	ask(t, "Runs of a user", 100, func(int) {
		if _, err := db.Runs(t.Context(),
			Query{User: fmt.Sprintf("user%d_%d", r.IntN(tileUsers), 1+r.IntN(max(1, runs/tileRuns-1)))}); err != nil {
			t.Fatal(err)
		}
	})
}

// ask prints how long something takes; it repeats it the given number of times but for ten seconds at most.
func ask(t *testing.T, name string, times int, do func(i int)) {
	t.Helper()
	var took []float64
	for all := time.Now(); len(took) < times && (len(took) == 0 || time.Since(all) < 10*time.Second); {
		begin := time.Now()
		do(len(took))
		took = append(took, time.Since(begin).Seconds()*1e3)
	}
	slices.Sort(took)
	fmt.Printf("%-28s %9.2f %9.2f %9d\n", name, took[len(took)/2], took[(len(took)*99)/100], len(took))
}

// drain reads all rows of a query.
func drain(t *testing.T, db *DB, q string) {
	t.Helper()
	if err := db.eachRow(t.Context(), q, func(rows *sql.Rows) error { return nil }); err != nil {
		t.Fatalf("%s: %v", q, err)
	}
}

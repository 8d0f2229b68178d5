package history

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// A site is made of tiles: tileRuns runs are stored normally, then copied with other ids, users and times, row
// by row in all tables. Ten million runs are 2,500 tiles: 5,000 users, 200,000 series, 50 runs a series.
const (
	tileRuns   = 4000
	tileUsers  = 2
	tileSeries = 40 // of each user
	siteNodes  = 5000
	siteDays   = 400.0 // before siteNow
)

// tileRun is run i of the tile, in the order of time. Users are unequal: the first
// has two thirds of the runs.
func tileRun(i int) summary.Summary {
	r := rand.New(rand.NewPCG(1, uint64(i)))
	user := r.IntN(tileUsers)
	if r.IntN(3) == 0 {
		user = 0
	}
	k := r.IntN(tileSeries)
	s := oneNode(int64(i + 1))
	s.Start = siteNowS - siteDays*86400*(1-float64(i)/tileRuns)
	s.ElapsedS = 300 + 7200*r.ExpFloat64()
	s.End = s.Start + s.ElapsedS
	s.State = "COMPLETED"
	if r.IntN(8) == 0 {
		s.State = [...]string{"FAILED", "TIMEOUT", "OUT_OF_MEMORY", "CANCELLED"}[r.IntN(4)]
	}
	j := &s.Job
	j.User, j.UID = fmt.Sprintf("user%d", user), 2000+user
	j.Account, j.Partition, j.QOS = fmt.Sprintf("project%d", user/3), [...]string{"cpu", "large", "debug"}[k%3], "normal"
	j.Executable, j.Name = fmt.Sprintf("solver_%d", k/4), fmt.Sprintf("case-%d", k/2)
	j.WorkDir = fmt.Sprintf("/scratch/project%d/user%d/campaign/case-%d", user/3, user, k/2)
	j.StdOut = fmt.Sprintf("%s/slurm-%d.out", j.WorkDir, i+1)
	j.Fields = map[string]string{
		run.FieldBuildID:  fmt.Sprintf("%040x", k/4*100+i/400),
		run.FieldCPUModel: "AMD EPYC 9654 96-Core Processor",
		"modules":         "gcc/13.2.0 openmpi/4.1.6 hdf5/1.14.3 netcdf-c/4.9.2 fftw/3.3.10 openblas/0.3.26",
		"slurm_version":   "24.11.5",
	}
	nodes := [...]int{1, 1, 1, 1, 1, 2, 4, 8}[k%8]
	j.NNodes, j.NCPUs, j.NTasks = nodes, ptr(64*nodes), ptr(64*nodes)
	s.Nodes = nil
	first := r.IntN(siteNodes)
	for n := range nodes {
		s.Nodes = append(s.Nodes, summary.Node{Name: nodeName((first + n) % siteNodes), Reported: r.IntN(200) > 0,
			BusyCPUs: ptr(64 * r.Float64()), PeriodS: ptr(0.5 + r.Float64()), Coverage: ptr(r.Float64()),
			Samples: 200 * int64(s.ElapsedS), Missing: int64(r.IntN(50)), Sealed: true})
	}
	j.NodeList = fmt.Sprintf("n[%04d-%04d]", first, (first+nodes-1)%siteNodes)
	s.StepS = ptr(0.5 + 0.02*float64(k)) // what single runs take, spread draws
	s.Patterns[0].PeriodS = *s.StepS
	if k%2 == 0 {
		small := mainPattern(0.1 * r.Float64())
		small.ID = "B"
		s.Patterns = append(s.Patterns, small)
	}
	s.Code = tileCode(r, k/4, s.ElapsedS)
	if i%2 == 0 {
		s.Notes = []note.Note{note.New(note.MissingNodes, "no record from 1 of %d nodes: n%04d", nodes, first)}
	}
	if i%3 == 0 {
		s.Counters = []run.Counter{{Name: "energy_pkg", Unit: "uJ", Scope: "node", Total: 1e12 * r.Float64()}}
	}
	return s
}

func nodeName(i int) string { return fmt.Sprintf("n%04d", i) }

// tile returns a history with the runs of one tile, and a change of speed in one
// series of ten.
func tile(t testing.TB, db *DB) {
	t.Helper()
	err := db.put(t.Context(), func(w *writer) error {
		cluster := w.id("internal_cluster", "cluster_id", []string{"name"}, "hpc")
		for n := range siteNodes {
			w.id("internal_node", "node_id", []string{"cluster_id", "name"}, cluster, nodeName(n))
		}
		for i := range tileRuns {
			s := tileRun(i)
			body, err := db.pack.encode(s)
			if err != nil {
				return err
			}
			at := Ingest{ReportDir: s.Job.WorkDir, NowS: s.End + 30, Source: "", Findings: found}
			if err := w.put(s, body, at); err != nil {
				return err
			}
		}
		w.exec(`INSERT INTO internal_change_event (series_id, metric, run_id, kind, effect_pct, causes, at_s)
			SELECT series_id, 'step_s', max(run_id), 'step', 7 + series_id % 30, '[]', max(end_s) FROM internal_run
			WHERE series_id % 10 = 0 GROUP BY series_id`)
		return w.err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// spread gives the expression for a column of a copied row in tile k of n; k and n are numbers of the outer
// query. Columns that are not listed are copied unchanged.
func spread(table, column string, n int) string {
	if table == "internal_run_finding" || table == "internal_finding_code" { // codes are those of the whole site
		if column != "run_id" {
			return "x." + column
		}
	}
	switch column {
	case "run_id", "detected_run_id", "end_run_id", "user_id", "application_id", "series_id", "ingest_id", "event_id",
		"job_id", "array_job_id",
		"word_id", "account_id", "executable_id", "work_dir_id", "stdout_id", "report_dir_id", "set_id", "field_id",
		"build_id":
		return fmt.Sprintf("(x.%s - 1) * %d + k.k + 1", column, n)
	// words of the whole site: COMPLETED is no other word in each tile
	case "state_id", "partition_id", "qos_id", "counters_id", "column_id", "code_id":
		return fmt.Sprintf("(x.%s - 1) * %d + 1", column, n)
	case "step_us":
		return stepOfRun
	case "node_id":
		return fmt.Sprintf("1 + (x.node_id - 1 + 37 * k.k) %% %d", siteNodes)
	case "display_id":
		return fmt.Sprintf("CAST((x.job_id - 1) * %d + k.k + 1 AS TEXT)", n)
	case "at_s":
		return fmt.Sprintf("round(x.at_s + k.k * 86400.0 * %g / %d / %d)", siteDays, tileRuns, n)
	case "start_s", "end_s":
		return fmt.Sprintf("CAST(x.%s + k.k * 86400.0 * %g / %d / %d AS INTEGER)", column, siteDays, tileRuns, n)
	case "uid":
		return "x.uid + 1000 * k.k"
	}
	if table == "internal_hpc_user" && column == "name" || table == "internal_word" && column == "text" ||
		table == "internal_field" && column == "value" || table == "internal_field_set" && column == "fields" {
		return "CASE k.k WHEN 0 THEN x." + column + " ELSE x." + column + " || '_' || k.k END"
	}
	return "x." + column
}

// stepOfRun returns the cycle of a run: up to 2 % to either side, 30 % more in one run of fifty, and a tenth
// more from some run on in one series of ten. Squares keep any two tiles from having a pattern in common,
// because a shift that all users show at one time is attributed to the machine.
const stepOfRun = `CAST(x.step_us * (0.98 + 0.04 * 
	(((x.run_id * 1103 + k.k * 7907) * (x.run_id * 1103 + k.k * 7907) / 16) % 997) / 997.0)
	* CASE WHEN ((x.run_id * 31 + k.k * 15013) * (x.run_id * 31 + k.k * 15013) / 64) % 50 = 0 THEN 1.3 ELSE 1 END
	* CASE WHEN (x.series_id + k.k) % 10 = 0 AND x.run_id > 4000 * (0.3 + (k.k * 37) % 101 / 200.0) THEN 1.1
	ELSE 1 END AS INTEGER)`

// tiled copies the tile in db n times into an empty history and then makes the indexes. It uses no journal: each
// page that is read is searched in all parts of a log of many gigabytes, so that the indexes of ten million runs
// were never completed.
func tiled(t testing.TB, db *DB, from string, n int) {
	t.Helper()
	// One connection: what is attached stays so.
	exec := func(q string) {
		if _, err := db.sql.Exec(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	for _, p := range []string{"journal_mode = OFF", "synchronous = OFF", "cache_size = -1000000", "threads = 2"} {
		exec("PRAGMA " + p)
	}
	exec("PRAGMA foreign_keys = OFF")
	exec(fmt.Sprintf("ATTACH '%s' AS tile", from))
	exec(fmt.Sprintf("CREATE TEMP TABLE k AS WITH RECURSIVE c(k) AS (VALUES (0) UNION ALL SELECT k + 1 FROM c WHERE k "+
		"< %d) SELECT k FROM c", n-1))
	var tables []string
	readTexts := func(q string, to *[]string) {
		if err := db.eachRow(t.Context(), q, func(rows *sql.Rows) error {
			var s string
			err := rows.Scan(&s)
			*to = append(*to, s)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	var indexes []string
	readTexts("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL", &indexes)
	for _, index := range indexes {
		exec("DROP INDEX " + index)
	}
	var triggers []string
	readTexts("SELECT name FROM sqlite_master WHERE type = 'trigger'", &triggers)
	for _, trigger := range triggers {
		exec("DROP TRIGGER " + trigger)
	}
	readTexts("SELECT name FROM sqlite_master WHERE type = 'table' AND "+
		"name NOT LIKE 'sqlite_%' AND name <> 'internal_day'",
		&tables)
	for _, table := range tables {
		var columns, key, values []string
		readTexts("SELECT name FROM pragma_table_info('"+table+"')", &columns)
		readTexts("SELECT name FROM pragma_table_info('"+table+"') WHERE pk > 0 ORDER BY pk", &key)
		for _, c := range columns {
			values = append(values, spread(table, c, n))
		}
		k, order := "k", "x."+strings.Join(slices.Insert(slices.Clone(key), 1, ""), ", x.")
		order = strings.ReplaceAll(strings.TrimSuffix(order, ", x."), ", x., ", ", k.k, ")
		if strings.Join(values, ",") == "x."+strings.Join(columns, ",x.") || table == "internal_node" ||
			table == "internal_cluster" {
			for i, c := range columns {
				values[i] = "x." + c
			}
			k, order = "(SELECT 0 AS k)", "1"
		}
		if table == "internal_note_text" || table == "internal_finding_code" { // of the whole site, too
			k, order = "(SELECT 0 AS k)", "1"
		}
		began := time.Now()
		exec(fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM tile.%s x CROSS JOIN %s k ORDER BY %s",
			table, strings.Join(columns, ", "), strings.Join(values, ", "), table, k, order))
		fmt.Printf("%s copied in %.1f s\n", table, time.Since(began).Seconds())
	}
	began := time.Now()
	if err := db.write(t.Context(), func(tx *sql.Conn) error {
		return db.remake(t.Context(), tx, db.schema.version())
	}); err != nil {
		t.Fatal(err)
	}
	exec(`INSERT INTO internal_day SELECT day, cluster_id, user_id, account_id, partition_id, sum(jobs), sum(failed),
		sum(node_s), sum(idle_node_s),
		sum(cpu_s), sum(energy_j), sum(energy_jobs) FROM internal_run_day GROUP BY 1, 2, 3, 4, 5`)
	fmt.Printf("indexes and days made in %.1f s\n", time.Since(began).Seconds())
	exec("DETACH tile")
	exec("PRAGMA journal_mode = " + string(db.journal))
	exec("PRAGMA synchronous = FULL")
	exec("PRAGMA foreign_keys = ON")
}

// tileCode is four classes and eight functions of a solver.
func tileCode(r *rand.Rand, solver int, elapsed float64) *anatomy.Anatomy {
	split := anatomy.Split{BusyS: elapsed}
	left := 1.0
	for _, class := range []string{"own", "math", "communication", "kernel"} {
		share := left * 0.6
		if class == "kernel" {
			share = left
		}
		left -= share
		split.Classes = append(split.Classes, anatomy.Part{Name: class, Share: share, Seconds: elapsed * share})
	}
	for f := range 8 {
		share := 0.25 / float64(f+1) * (0.9 + 0.2*r.Float64())
		split.Functions = append(split.Functions,
			anatomy.Share{Function: anatomy.Function{Library: fmt.Sprintf("solver_%d", solver),
				Name: fmt.Sprintf("kernel_%d_", f)},
				Share: share, Seconds: share * elapsed})
	}
	return &anatomy.Anatomy{Samples: int64(200 * elapsed), Run: split,
		Cycles: []anatomy.Cycle{{Pattern: "A", Count: elapsed, Split: split}}}
}

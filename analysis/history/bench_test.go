package history

import (
	"fmt"
	"testing"

	"jobgait/analysis/run"
	"jobgait/analysis/series"
	"jobgait/analysis/summary"
)

// benchRuns is the size of the history that benchmarks ask and add to: 40
// users with 2 applications of 250 runs each.
const (
	benchUsers = 40
	benchApps  = 2
	benchRuns  = 20000
)

// benchRun is run i: as long as a real one, with a timeline of 960 bins.
func benchRun(i int) summary.Summary {
	s := oneNode(int64(i + 1))
	s.Start = t0 + 60*float64(i)
	s.End = s.Start + 60
	s.Job.User, s.Job.UID = fmt.Sprintf("user%d", i%benchUsers), i%benchUsers
	s.Job.Executable = fmt.Sprintf("app%d", i/benchUsers%benchApps)
	return s
}

func withTimeline(s summary.Summary) summary.Summary {
	for c := range 6 {
		col := summary.TimelineColumn{Name: fmt.Sprint("column", c), Unit: "CPUs"}
		for i := range 960 {
			v := float32(i*(i+c)%1009) / 7
			col.Min, col.Mean, col.Max = append(col.Min, v-1), append(col.Mean, v), append(col.Max, v+1)
		}
		s.Timeline.Columns = append(s.Timeline.Columns, col)
	}
	values := make(series.Values, 200)
	s.Patterns[0].Values, s.Patterns[0].P10, s.Patterns[0].P90 = values, values, values
	return s
}

// filled returns a history with benchRuns runs, put in a few transactions.
func filled(b *testing.B) *DB {
	b.Helper()
	db := open(b)
	for i := 0; i < benchRuns; i += 1000 {
		err := db.InBatch(b.Context(), func(all *Batch) error {
			for k := i; k < i+1000; k++ {
				s := benchRun(k)
				if err := all.Put(b.Context(), s, Ingest{NowS: s.End}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	return db
}

// BenchmarkHistory measures all that is done with one large history.
func BenchmarkHistory(b *testing.B) {
	db := filled(b)
	next := benchRuns // every run that is put is a new one
	for _, put := range []struct {
		name  string
		dress func(summary.Summary) summary.Summary
	}{
		{"Put", func(s summary.Summary) summary.Summary { return s }},
		{"PutTimeline", withTimeline},
		{"Put64Nodes", with64Nodes},
	} {
		b.Run(put.name, func(b *testing.B) {
			for range b.N {
				next++
				s := put.dress(benchRun(next))
				mustPut(b, db, s, Ingest{ReportDir: "/home/user/out", NowS: s.End})
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "puts/s")
		})
	}
	b.Run("Last200", func(b *testing.B) { last200(b, db) })
	b.Run("OfUser", func(b *testing.B) {
		for i := range b.N {
			runs, err := db.Runs(b.Context(), Query{User: fmt.Sprintf("user%d", i%benchUsers)})
			if err != nil || len(runs) != DefaultLimit {
				b.Fatal(len(runs), err)
			}
		}
	})
	b.Run("NewestSeries", func(b *testing.B) {
		for range b.N {
			ids, err := db.newestSeries(b.Context(), HistoryQuery{Cluster: "hpc", Since: t0, Series: 24})
			if err != nil || len(ids) != 24 {
				b.Fatal(len(ids), err)
			}
		}
	})
	b.Run("JobByID", func(b *testing.B) { jobByID(b, db) })
	b.Run("Open", func(b *testing.B) { openAgain(b, db) })
}

func with64Nodes(s summary.Summary) summary.Summary {
	s.Nodes = nil
	for n := range run.JobID(64) {
		s.Nodes = append(s.Nodes, summary.Node{
			Name: fmt.Sprintf("n%d", (64*s.Key.JobID+n)%1000), Reported: true, BusyCPUs: ptr(3.5)})
	}
	return s
}

// last200 queries the newest runs of the series that a run belongs to.
func last200(b *testing.B, db *DB) {
	for i := range b.N {
		q := past(benchRun(i * 7919 % benchRuns))
		q.Before = 0
		runs, err := db.Runs(b.Context(), q)
		if err != nil || len(runs) != DefaultLimit {
			b.Fatal(len(runs), err)
		}
	}
}

func jobByID(b *testing.B, db *DB) {
	for i := range b.N {
		if _, _, err := db.Summary(b.Context(), fmt.Sprint(1+i*7919%benchRuns)); err != nil {
			b.Fatal(err)
		}
	}
}

// openAgain measures what each worker needs before it stores its one run.
func openAgain(b *testing.B, db *DB) {
	for range b.N {
		again, err := Open(b.Context(), db.path)
		if err != nil {
			b.Fatal(err)
		}
		again.Close()
	}
}

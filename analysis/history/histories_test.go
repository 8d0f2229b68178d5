package history

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// melts puts n runs of one application in one shape.
func melts(t *testing.T, db *DB, n int64) {
	t.Helper()
	for i := range n {
		s := oneNode(i + 1)
		s.Job.Name, s.StepS = "melt", ptr(0.5+float64(i)/100)
		s.Job.Fields = map[string]string{run.FieldBuildID: "b1", "label.solver": "gmres\x1b[31m"}
		if i%2 == 1 {
			s.Job.Fields = nil
		}
		mustPut(t, db, s, Ingest{NowS: t0})
	}
}

func TestHistories(t *testing.T) {
	db := open(t)
	melts(t, db, 6)
	list, err := db.Histories(t.Context(), HistoryQuery{User: "alice", Runs: 5})
	if err != nil || len(list) != 1 {
		t.Fatalf("%d histories, %v", len(list), err)
	}
	h := list[0]
	if len(h.Runs) != 5 || h.Runs[0].JobID != 2 || h.Runs[4].JobID != 6 {
		t.Errorf("runs are not the newest five, oldest first: %+v", h.Runs)
	}
	if h.Fields[0] != nil || h.Fields[1]["build_id"] != "b1" || h.Fields[1]["label.solver"] != "gmres?[31m" {
		t.Errorf("fields %v", h.Fields)
	}
	if !slices.Equal(h.Nodes[4], []string{"n1"}) {
		t.Errorf("nodes %v", h.Nodes)
	}
	r := h.Runs[4]
	if *r.StepS != 0.55 || *r.CPUS != 3.5*60.25 || *r.StartupS != 0 || r.EnergyJ != nil {
		t.Errorf("parts of the run: step %v, CPU %v, start-up %v, energy %v", *r.StepS, *r.CPUS, *r.StartupS, r.EnergyJ)
	}
}

// Nodes are in the order of the job's list, not of their numbers.
func TestNodesInTheOrderOfTheJob(t *testing.T) {
	db := open(t)
	for i, names := range [][]string{{"n1", "n5", "n9"}, {"n9", "n1", "n5"}} {
		s := oneNode(int64(i + 1))
		s.Nodes = nil
		for _, name := range names {
			s.Nodes = append(s.Nodes, summary.Node{Name: name, Reported: true})
		}
		mustPut(t, db, s, Ingest{NowS: t0})
	}
	list, err := db.Histories(t.Context(), HistoryQuery{User: "alice"})
	if err != nil || len(list) != 1 || len(list[0].Nodes) != 2 ||
		!slices.Equal(list[0].Nodes[1], []string{"n9", "n1", "n5"}) {
		t.Errorf("%+v, %v", list, err)
	}
}

// The page of a site begins with series that had a change recently, even if others ran since, and has room for
// those.
func TestSeriesWithReportedChange(t *testing.T) {
	db := open(t)
	for i := range int64(6) {
		s := oneNode(i + 1)
		s.Job.Name, s.Start = "app"+string(rune('a'+i)), t0+3600*float64(i)
		s.End = s.Start + s.ElapsedS
		mustPut(t, db, s, Ingest{NowS: t0})
	}
	for series, at := range map[int64]float64{1: t0 + 50, 2: t0 - 50, 3: t0 + 60, 4: t0 + 70} {
		if err := db.PutEvents(t.Context(), series,
			[]ChangeRow{{Metric: "elapsed_s", Kind: "step", RunID: series, EffectPct: 9, Causes: "[]"}}, at); err != nil {
			t.Fatal(err)
		}
	}
	list, err := db.Histories(t.Context(), HistoryQuery{Since: t0 - 1, Series: 4, ChangedSince: t0})
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	for _, h := range list {
		got = append(got, h.SeriesID)
	}
	if want := []int64{6, 5, 4, 3}; !slices.Equal(got, want) {
		t.Errorf("series %v, want %v", got, want)
	}
	if list, err = db.Histories(t.Context(), HistoryQuery{Since: t0 - 1, Series: 6, ChangedSince: t0 + 40}); err != nil ||
		len(list) != 6 {
		t.Errorf("%d series, %v", len(list), err)
	}
	if list, err = db.Histories(t.Context(), HistoryQuery{Since: t0 - 1, Series: 2, ChangedSince: t0 + 55}); err != nil ||
		len(list) != 2 || list[1].SeriesID != 4 {
		t.Errorf("%+v, %v: the newest run, and of what was told the newest", list, err)
	}
}

// A whole site is read by several connections at once, with the same result as by one.
func TestManySeries(t *testing.T) {
	db := open(t)
	for i := range int64(manySeries + 10) {
		for k := range int64(2) {
			s := oneNode(2*i + k + 1)
			s.Job.Name, s.Start, s.Job.Fields = fmt.Sprintf("app%c%c", 'a'+i%10, 'a'+i/10), t0+60*float64(2*i+k),
				map[string]string{"label.n": fmt.Sprint(i)}
			mustPut(t, db, s, Ingest{NowS: t0})
		}
	}
	before := runtime.GOMAXPROCS(4)
	defer runtime.GOMAXPROCS(before)
	all, err := db.Histories(t.Context(), HistoryQuery{})
	if err != nil || len(all) != manySeries+10 {
		t.Fatalf("%d series, %v", len(all), err)
	}
	for _, h := range all {
		one, err := db.Histories(t.Context(), HistoryQuery{SeriesID: h.SeriesID})
		if err != nil || len(one) != 1 || !reflect.DeepEqual(one[0], h) {
			t.Fatalf("%+v\nbecame %+v, %v", one, h, err)
		}
	}
	if open := db.sql.Stats().MaxOpenConnections; open != 1 {
		t.Errorf("%d connections are allowed then", open)
	}
}

func TestHistoriesSince(t *testing.T) {
	db := open(t)
	melts(t, db, 6)
	for since, want := range map[float64]int{t0 + 600: 1, t0 + 601: 0} {
		list, err := db.Histories(t.Context(), HistoryQuery{Since: since})
		if err != nil || len(list) != want {
			t.Errorf("since %v: %d histories, %v; want %d", since, len(list), err, want)
		}
	}
}

// TestNewestSeries checks that the series that were run last are found, those of
// a time in the past as well.
func TestNewestSeries(t *testing.T) {
	db := open(t)
	for i := range int64(12) { // four applications in turn, a run a minute
		s := oneNode(i + 1)
		s.Job.Name, s.Start = string(rune('a'+i%4)), t0+60*float64(i)
		mustPut(t, db, s, Ingest{NowS: t0})
	}
	for _, c := range []struct {
		q    HistoryQuery
		want string
	}{
		{HistoryQuery{Since: t0, Series: 2}, "lmp d, lmp c"},
		{HistoryQuery{Since: t0, Series: 2, Cluster: "hpc"}, "lmp d, lmp c"},
		{HistoryQuery{Since: t0, Series: 2, Cluster: "other"}, ""},
		{HistoryQuery{Since: t0 + 600, Series: 9}, "lmp d, lmp c"},
		{HistoryQuery{Since: t0, Until: t0 + 60, Series: 9}, "lmp b, lmp a"},
		{HistoryQuery{Since: t0, Series: 2, User: "alice"}, "lmp d, lmp c"},
	} {
		list, err := db.Histories(t.Context(), c.q)
		if err != nil {
			t.Fatal(err)
		}
		var apps []string
		for _, h := range list {
			apps = append(apps, h.App)
		}
		slices.SortStableFunc(apps, func(a, b string) int { return strings.Compare(b, a) })
		if got := strings.Join(apps, ", "); got != c.want {
			t.Errorf("%+v: %q, want %q", c.q, got, c.want)
		}
	}
}

// TestEventsStay checks that an event that is stored keeps its place and gets
// its newest effect, whatever comes later.
func TestEventsStay(t *testing.T) {
	db := open(t)
	melts(t, db, 6)
	list, err := db.Histories(t.Context(), HistoryQuery{})
	if err != nil {
		t.Fatal(err)
	}
	h := list[0]
	first := ChangeRow{Metric: "elapsed_s", RunID: h.Runs[2].ID, Detected: &h.Runs[4].ID, Kind: "step", EffectPct: 14.9,
		LoPct: ptr(13.1), Causes: "[]"}
	later := first
	later.EffectPct, later.Detected, later.FalsePer1000 = 12.5, &h.Runs[5].ID, ptr(0.7)
	for _, events := range [][]ChangeRow{{first}, {later}, nil} {
		if err := db.PutEvents(t.Context(), h.SeriesID, events, t0); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Acknowledge(t.Context(), h.SeriesID, h.Runs[2].ID, "bob", "new compiler", t0+1); err != nil {
		t.Fatal(err)
	}
	golden(t, "changes.txt", dump(t, db.sql, "SELECT * FROM changes"))
	if list, err = db.Histories(t.Context(), HistoryQuery{SeriesID: h.SeriesID}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(list[0].Acknowledged, []int64{h.Runs[2].ID}) {
		t.Errorf("acknowledged %v", list[0].Acknowledged)
	}
}

// Rows that a failed query has read are not used for the fields of later runs.
func TestFailedQueryIsNotCached(t *testing.T) {
	db := open(t)
	melts(t, db, 1)
	f := newFiller(db, HistoryQuery{})
	failed, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.fieldsOf(failed, "1"); err == nil {
		t.Fatal("a cancelled query has fields")
	}
	application := runCode{application: sql.NullInt64{Int64: 1, Valid: true}}
	if _, err := f.partsOf(failed, application); err == nil {
		t.Fatal("a cancelled query has parts of code")
	}
	if len(f.fields) != 0 || len(f.parts) != 0 {
		t.Errorf("cached: fields %v, parts %v", f.fields, f.parts)
	}
}

func TestScalingIsReplaced(t *testing.T) {
	db := open(t)
	melts(t, db, 1)
	s := oneNode(1)
	s.Job.Name = "melt"
	for _, segments := range [][]Segment{
		{{Parameter: "nodes", Metric: "step_s", FirstP: 1, LastP: 8, Points: 4},
			{Parameter: "nodes", Metric: "step_s", Position: 1, FirstP: 16, LastP: 32, Points: 2}},
		{{Parameter: "nodes", Fixed: "size=L", Metric: "step_s", FirstP: 1, LastP: 32, Points: 6, Formula: "1 + 2 p",
			SMAPE: ptr(1.5)}},
	} {
		if err := db.PutScaling(t.Context(), s, segments, t0); err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "scaling.txt", dump(t, db.sql, "SELECT * FROM scaling"))
}

// TestReference checks that the first reference pattern of an application stays.
func TestReference(t *testing.T) {
	db := open(t)
	s := oneNode(1)
	if body, err := db.Reference(t.Context(), s); err != nil || body != nil {
		t.Errorf("reference of an application that is not there: %q, %v", body, err)
	}
	mustPut(t, db, s, Ingest{})
	for _, body := range []string{`{"a":1}`, `{"a":2}`} {
		if err := db.SetReference(t.Context(), s, []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	if body, err := db.Reference(t.Context(), s); err != nil || string(body) != `{"a":1}` {
		t.Errorf("reference %q, %v", body, err)
	}
}

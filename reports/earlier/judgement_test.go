package earlier

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/analysis/application"
	"jobgait/analysis/changepoint"
	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
	"jobgait/reports/change"
	"jobgait/reports/job"
)

const day = 86400 // seconds

func ptr[T any](x T) *T { return &x }

// run is run i of an application that is slower by a seventh from run 20 on.
func pastRun(i int) summary.Summary {
	level, build := 60.0, "b1"
	if i >= 20 {
		level, build = 69, "b2"
	}
	start := float64(20000+i) * day
	elapsed := level * (1 + 0.004*math.Sin(float64(i*i)))
	return summary.Summary{
		Schema: summary.Schema, Key: run.Key{Cluster: "hpc", JobID: run.JobID(i + 1)},
		Job: run.Job{Name: "melt", User: "alice", UID: 1001, NNodes: 1, NodeList: "n1", NTasks: ptr(4), CPUsPerTask: ptr(1),
			Executable: "lmp", Fields: map[string]string{run.FieldBuildID: build}},
		Start: start, End: start + elapsed, ElapsedS: elapsed, Exit: &run.Exit{},
		Nodes: []summary.Node{{Name: "n1", Reported: true}}, Quality: run.Quality{Scope: "job"},
	}
}

// remembered is a history with n such runs.
func remembered(t testing.TB, n int) *history.DB {
	t.Helper()
	db, err := history.Open(t.Context(), filepath.Join(t.TempDir(), "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for i := range n {
		if err := db.Put(t.Context(), pastRun(i), history.Ingest{}); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

func TestJudge(t *testing.T) {
	db := remembered(t, 30)
	j, err := judgeOf(t.Context(), db, pastRun(25), application.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if len(j.Runs) != 25 || j.Runs[0].JobID != 25 || j.SeriesID == 0 {
		t.Errorf("%d earlier runs of series %d, newest %+v", len(j.Runs), j.SeriesID, j.Runs[0])
	}
	f := j.Across.Changes
	if len(f.Others) != 1 || !(f.Others[0].EffectPct > 0) ||
		!strings.Contains(f.Others[0].Text, "slower since 24 October") ||
		!strings.Contains(f.Others[0].Text, "the executable changed then") {
		t.Errorf("others %+v", f.Others)
	}
	s := f.Others[0].Shift
	if s == nil || s.What != "Elapsed time" || math.Abs(s.FromS-60) > 0.2 || math.Abs(s.ToS-69) > 0.2 ||
		s.LastJob != "20" || s.FirstJob != "21" || s.Runs != 6 {
		t.Fatalf("shift %+v", s)
	}
	if want := 6 * 9. / 3600; math.Abs(s.NodeHours-want) > want/10 || f.Others[0].Command != "jobgait compare 20 21" {
		t.Errorf("%g node hours, want %g; %q", s.NodeHours, want, f.Others[0].Command)
	}
	if len(f.Charts) != 1 || !json.Valid(f.Data) {
		t.Errorf("%d charts, data %s", len(f.Charts), f.Data)
	}
	var page bytes.Buffer
	r := job.New(pastRun(25), j.Runs, job.Options{OtherRuns: j.Across})
	told := r.Findings[0]
	if told.Code != "slower_than_usual" ||
		!strings.Contains(told.Text, "Elapsed time went from 60.0 s to 69.0 s with job 21; 6 runs since took 0.015 node "+
			"hours more.") ||
		told.Action == nil || !strings.Contains(*told.Action, "jobgait compare 20 21") {
		t.Errorf("%+v", told)
	}
	if err := job.HTML(&page, r); err != nil || !strings.Contains(page.String(), ".runs-band") {
		t.Errorf("the page lacks the style of the picture, %v", err)
	}
}

// TestJudgeIsOfItsTime checks that the report of an old run does not know what
// came after it.
func TestJudgeIsOfItsTime(t *testing.T) {
	db := remembered(t, 30)
	j, err := judgeOf(t.Context(), db, pastRun(19), application.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if len(j.Runs) != 19 || len(j.Across.Changes.Text) != 0 || len(j.Events) != 0 {
		t.Errorf("%d earlier runs, text %q", len(j.Runs), j.Across.Changes.Text)
	}
	few := application.DefaultLimits()
	few.Runs = 5 // fewer than there are since
	if j, err = judgeOf(t.Context(), db, pastRun(9), few); err != nil || len(j.Runs) != 4 || j.Runs[0].JobID != 9 {
		t.Errorf("an old run has %d earlier ones, %v", len(j.Runs), err)
	}
}

// judged is a judgement with what of it is stored.
type judged struct {
	Judgement
	SeriesID int64
	Events   []history.ChangeRow
}

func judgeOf(ctx context.Context, db *history.DB, s summary.Summary, limits application.ReadLimits) (judged, error) {
	l, err := application.AssessRun(ctx, db, s, limits)
	if err != nil {
		return judged{}, err
	}
	j, err := Judge(l)
	out := judged{Judgement: j}
	if l.Own >= 0 {
		out.SeriesID, out.Events = l.Stored[l.Own].SeriesID, l.Events(l.Own, l.Found.Series[l.Own])
	}
	return out, err
}

// TestConsultIsJudge checks that a run which may not be stored gets the same comparison as if it were stored.
func TestConsultIsJudge(t *testing.T) {
	for name, last := range map[string]summary.Summary{"the same shape": pastRun(25),
		"another shape": otherShape(pastRun(25))} {
		stored, unstored := remembered(t, 25), remembered(t, 25)
		want, err := application.Put(t.Context(), stored, last, history.Ingest{})
		if err != nil {
			t.Fatal(err)
		}
		judged, err := judgeOf(t.Context(), stored, want, application.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		got, consulted, err := CompareWithStored(t.Context(), unstored, last)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: run %+v, want %+v", name, got, want)
		}
		if len(consulted.Runs) != len(judged.Runs) ||
			!reflect.DeepEqual(consulted.Across.Changes.Text, judged.Across.Changes.Text) ||
			!reflect.DeepEqual(consulted.Across.Changes.Others, judged.Across.Changes.Others) {
			t.Errorf("%s: %d earlier runs, %q; want %d, %q", name, len(consulted.Runs), consulted.Across.Changes.Text,
				len(judged.Runs), judged.Across.Changes.Text)
		}
		runs, err := unstored.Runs(t.Context(), history.Query{})
		if err != nil || len(runs) != 25 {
			t.Errorf("%s: consulting stored something: %d runs, %v", name, len(runs), err)
		}
	}
	_, j, err := CompareWithStored(t.Context(), remembered(t, 25), pastRun(25))
	if err != nil || len(j.Runs) != 25 || len(j.Across.Changes.Others) == 0 {
		t.Errorf("the change of speed is not seen: %d runs, %+v, %v", len(j.Runs), j.Across.Changes, err)
	}
}

func otherShape(s summary.Summary) summary.Summary {
	s.Job.NTasks = ptr(8)
	return s
}

// TestJudgeOfTheUnknown checks a run that belongs to no series.
func TestJudgeOfTheUnknown(t *testing.T) {
	db := remembered(t, 3)
	s := pastRun(4)
	s.Job.Name, s.Job.Executable = "", ""
	if err := db.Put(t.Context(), s, history.Ingest{}); err != nil {
		t.Fatal(err)
	}
	j, err := judgeOf(t.Context(), db, s, application.DefaultLimits())
	if err != nil || j.SeriesID != 0 || len(j.Runs) != 0 {
		t.Errorf("%+v, %v", j, err)
	}
}

// TestOthersAreOthers checks that the run's own application does not use up
// the room for others: its shapes are the newest series of all.
func TestOthersAreOthers(t *testing.T) {
	db, last := busySite(t, 6, 1)
	l := application.DefaultLimits()
	l.Others = 3
	list, err := application.Collect(t.Context(), db, last, l)
	if err != nil {
		t.Fatal(err)
	}
	others := 0
	for _, h := range list {
		if !application.IsOfApplication(h, last) {
			others++
		}
	}
	if len(list) != shapes+3 || others != 3 {
		t.Errorf("%d series, %d of others; want %d and 3", len(list), others, shapes+3)
	}
}

func BenchmarkJudge(b *testing.B) {
	db := remembered(b, 200)
	for b.Loop() {
		if _, err := judgeOf(b.Context(), db, pastRun(199), application.DefaultLimits()); err != nil {
			b.Fatal(err)
		}
	}
}

// shapes of the application that a busy site's last run is of.
const shapes = 8

// busySite is a history with the given number of runs of an application in eight shapes, and of others in one,
// with the last run of the first shape.
func busySite(t testing.TB, others, runs int) (*history.DB, summary.Summary) {
	t.Helper()
	db := remembered(t, 0)
	id := run.JobID(0)
	put := func(app string, nodes, i int) (s summary.Summary) {
		id++
		s = pastRun(i)
		s.Key.JobID, s.Job.App, s.Job.NNodes = id, app, nodes
		if err := db.Put(t.Context(), s, history.Ingest{}); err != nil {
			t.Fatal(err)
		}
		return s
	}
	var last summary.Summary
	for i := range runs {
		for n := range shapes {
			if s := put("mine", n+1, i); n == 0 {
				last = s
			}
		}
		for k := range others {
			put(fmt.Sprintf("other %c%c", 'a'+k/26, 'a'+k%26), 1, i)
		}
	}
	return db, last
}

// BenchmarkJudgeBusySite is what one report costs on a machine where sixty other
// applications run: CPU time of a judgement with Limits.Others of 12, 24 and 48,
// taken in turns, medians of all turns with the range of the ratio to 24.
func BenchmarkJudgeBusySite(b *testing.B) {
	db, last := busySite(b, 60, 100)
	sizes := []int{12, 24, 48}
	cost := make([][]float64, len(sizes))
	var ratios []float64
	for b.Loop() {
		for i, others := range sizes {
			l := application.DefaultLimits()
			l.Others = others
			began := cpuTime(b)
			if _, err := judgeOf(b.Context(), db, last, l); err != nil {
				b.Fatal(err)
			}
			cost[i] = append(cost[i], cpuTime(b)-began)
		}
		ratios = append(ratios, cost[2][len(cost[2])-1]/cost[1][len(cost[1])-1])
	}
	for i, others := range sizes {
		slices.Sort(cost[i])
		b.ReportMetric(1000*cost[i][len(cost[i])/2], fmt.Sprintf("cpu-ms-of-%d", others))
	}
	b.ReportMetric(slices.Min(ratios), "48-to-24-least")
	b.ReportMetric(slices.Max(ratios), "48-to-24-most")
}

// cpuTime is what this process has used, in seconds.
func cpuTime(t testing.TB) float64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// Sentences on other runs in the head of a report have these runs as their subject; a slow last run is this run.
func TestVerdictsNameTheirRuns(t *testing.T) {
	j, err := judgeOf(t.Context(), remembered(t, 30), pastRun(29), application.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if v := j.Across.Changes.Others; len(v) != 1 || !strings.HasPrefix(v[0].Text, "Runs like this one: 1") {
		t.Errorf("%+v", v)
	}
	slow := pastRun(15)
	slow.ElapsedS *= 1.3
	if j, err = judgeOf(t.Context(), remembered(t, 15), slow, application.DefaultLimits()); err != nil {
		t.Fatal(err)
	}
	if v := j.Across.Changes.Others; len(v) != 1 || !strings.HasPrefix(v[0].Text, "This run is 29.7 % slower than usual") {
		t.Errorf("%+v", v)
	}
	if f := j.Across.Changes; f.Remark != "16 runs, judged by elapsed time" || f.Charts[0].Title != "elapsed time" ||
		!strings.Contains(f.Charts[0].Remark, "dashed: change") {
		t.Errorf("%+v", f)
	}
	if text := j.Across.Changes.Text; len(text) != 1 || !strings.HasPrefix(text[0], "The last run is") {
		t.Errorf("%q", text)
	}
}

func TestAcknowledged(t *testing.T) {
	stored, err := remembered(t, 30).Histories(t.Context(), history.HistoryQuery{})
	if err != nil {
		t.Fatal(err)
	}
	stored[0].Acknowledged = []int64{stored[0].Runs[20].ID}
	h, err := application.NewHistories(stored, "")
	if err != nil {
		t.Fatal(err)
	}
	o := change.Default()
	if r := change.Analyse(NamedHistories(h, true), changepoint.Sequential, changepoint.Default(),
		o); len(r.WorseHistories()) != 1 {
		t.Errorf("%d histories are worse", len(r.WorseHistories()))
	}
	o.Acks = Acknowledged(h)
	if r := change.Analyse(NamedHistories(h, true), changepoint.Sequential, changepoint.Default(),
		o); len(r.WorseHistories()) != 0 {
		t.Error("an acknowledged change is still worse")
	}
	if !slices.ContainsFunc(Acknowledged(h), func(a change.Ack) bool { return a.Index == 20 }) {
		t.Errorf("acknowledged %+v", Acknowledged(h))
	}
}

// Runs that gradually take longer are reported as such, with their range, the number of runs, the beginning,
// the cost and two runs to compare, and not as the steps that were detected.
func TestJudgeReportsACreep(t *testing.T) {
	db := remembered(t, 0)
	creeping := func(i int) summary.Summary {
		s := pastRun(i)
		s.ElapsedS = 60 * (1 + 0.01*math.Sin(float64(i*i))) * (1 + 0.24*max(0, float64(i-20))/75)
		s.End = s.Start + s.ElapsedS
		s.Job.Fields = nil
		return s
	}
	for i := range 96 {
		if err := db.Put(t.Context(), creeping(i), history.Ingest{}); err != nil {
			t.Fatal(err)
		}
	}
	j, err := judgeOf(t.Context(), db, creeping(95), application.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	told := job.New(creeping(95), j.Runs, job.Options{OtherRuns: j.Across}).Findings[0]
	if told.Code != "drifting" || !strings.Contains(told.Text, "slower bit by bit: from 59.") ||
		!strings.Contains(told.Text, " runs, since 2") ||
		told.Action == nil || !strings.HasSuffix(*told.Action, " 96") {
		t.Errorf("%+v", told)
	}
	from, to := told.Evidence["from_s"].(float64), told.Evidence["to_s"].(float64)
	hours := 0.0
	for i := 20; i < 96; i++ {
		hours += (creeping(i).ElapsedS - 60) / 3600
	}
	if pct := 100 * (to/from - 1); math.Abs(pct-24) > 2 ||
		math.Abs(told.Evidence["node_hours"].(float64)-hours) > hours/10 {
		t.Errorf("by %.1f %% from %.1f s to %.1f s, %v node hours, want %.3f", pct, from, to, told.Evidence["node_hours"],
			hours)
	}
	if n := len(j.Across.Changes.Others); n != 1 {
		t.Errorf("%d verdicts: %+v", n, j.Across.Changes.Others)
	}
	if len(j.Events) == 0 {
		t.Error("the changes that were seen are not stored")
	}
}

// TestCommandComparesNormalWithSlow takes runs of which the newest three are slow: the
// command names the newest normal run and the first slow one, also where runs failed.
func TestCommandComparesNormalWithSlow(t *testing.T) {
	failed := math.NaN()
	y := []float64{10, 10, failed, 15, failed, 15, 15}
	runs := make([]history.Run, len(y))
	for i := range runs {
		runs[i].DisplayID = fmt.Sprint(i + 1)
	}
	for n, want := range map[int]string{3: "jobgait compare 2 4", 1: "jobgait compare 6 7", 5: "", 6: ""} {
		if got := compareCommandAt(y, runs, newestKnown(y, n)); got != want {
			t.Errorf("%d slow runs: %q, want %q", n, got, want)
		}
	}
}

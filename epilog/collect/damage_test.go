package collect

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jobgait/agent/as"
	"jobgait/analysis/history"
	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
	"jobgait/analysis/summary"
)

// full is a record that has numbers and text of every kind.
func full(node string) summary.NodeRecord {
	r := record(node, run.Key{Cluster: "c", JobID: 7, SLUID: "s1"}, 3, 100)
	r.Start, r.ElapsedS = t0, 100
	r.Job = run.Job{Name: "gyre", User: "alice", UID: 1000, GID: 1000, NNodes: 1, NodeList: "n1", WorkDir: "/home/alice",
		Executable: "nemo", Fields: map[string]string{"commit": "abc"}}
	r.Quality.CPUs, r.Quality.RateHz, r.Quality.Samples, r.Quality.Missing = 4, 200, 20_000, 10
	v := series.Values{1, 2, 3}
	r.Patterns = []pattern.Pattern{{ID: "A", Column: "code",
		Timing: periodicity.Timing{PeriodS: 0.5, Confidence: 0.9, Coverage: 0.8}, Instances: 180,
		Values: v, P10: v, P90: v}}
	r.Timeline = summary.Timeline{StepS: 1,
		Columns: []summary.TimelineColumn{{Name: "busy_cpus", Min: v, Mean: v, Max: v}}}
	r.Counters = []run.Counter{{Name: "energy_pkg", Unit: "uJ", Scope: "node", Total: 1e9}}
	r.Exit = &run.Exit{}
	return r
}

// odd lists values that no valid record has at these places.
var odd = []any{nil, true, -1.0, 1e18, -1e300, 1e-300, "", "../../x", "a\x1b[2J\nb", strings.Repeat("x", 10_000), 0.0,
	31688740476.0 * 365 * 86400,
	[]any{}, map[string]any{}, []any{1.0, "x"}, "jobgait.node/9"}

// mutate changes bits of a text, or one value of its JSON.
func mutate(rng *rand.Rand, text []byte) []byte {
	text = bytes.Clone(text)
	if rng.IntN(3) == 0 {
		for range 1 + rng.IntN(4) {
			text[rng.IntN(len(text))] ^= 1 << rng.IntN(8)
		}
		return text[:len(text)-rng.IntN(2)*rng.IntN(len(text))]
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return text
	}
	schema := v.(map[string]any)["schema"]
	swap(rng, v)
	out, _ := json.Marshal(v) // sorted: the schema is put first again
	if schema == nil {
		return out
	}
	head, _ := json.Marshal(schema)
	return append([]byte(`{"schema":`+string(head)+`,`), bytes.TrimPrefix(out, []byte("{"))...)
}

// swap replaces one value somewhere in v.
func swap(rng *rand.Rand, v any) {
	var put func(x any)
	var next any
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v { // in any order
			put, next = func(x any) { v[k] = x }, x
			if rng.IntN(1+len(v)/2) == 0 {
				break
			}
		}
	case []any:
		if len(v) > 0 {
			i := rng.IntN(len(v))
			put, next = func(x any) { v[i] = x }, v[i]
		}
	}
	switch next.(type) {
	case map[string]any, []any:
		if rng.IntN(8) > 0 {
			swap(rng, next)
			return
		}
	}
	if put != nil {
		put(odd[rng.IntN(len(odd))])
	}
}

func packed(t testing.TB, text []byte) []byte {
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	if _, err := zip.Write(text); err != nil || zip.Close() != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Each of 10,000 damaged records is either read as a valid record, or moved to failed/ with a line that gives
// the reason.
func TestDamagedRecordsAreSetAsideOrSound(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 10))
	dir := t.TempDir()
	s := store(t, dir, full("n1"))
	names, err := recordNames(jobDir(dir, full("n1").Key))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	n := names[0]
	good, err := readRecord(n.path(dir))
	if err != nil {
		t.Fatal(err)
	}
	aside := filepath.Join(dir, failedDir, n.file)
	set, kept := 0, 0
	for i := range 10_000 {
		b := mutate(rng, good)
		if i%10 == 0 { // the others are not compressed, which takes ten times as long as everything else
			b = packed(t, b)
			b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
		}
		if err := os.WriteFile(n.path(dir), b, 0o600); err != nil {
			t.Fatal(err)
		}
		var said []string
		s.Unread = func(line string) { said = append(said, line) }
		got, err := s.Gather(context.Background(), RecordRequest{Key: full("n1").Key, End: t0 + 100, Nodes: []string{"n1"}})
		if err != nil {
			t.Fatal(err)
		}
		_, gone := os.Stat(n.path(dir))
		switch {
		case len(said) == 1 && gone != nil && os.Remove(aside) == nil && os.Remove(aside+whySuffix) == nil &&
			!strings.Contains(said[0], "\n"):
			set++
		case len(said) == 1 && gone == nil && strings.Contains(said[0], "newer"): // the schema was hit
		case len(said) == 0 && gone == nil:
			kept++
			for _, r := range got { // none where another run's end was put in
				if err := summary.Merge(got, []string{"n1", "n2"}).Valid(t0 + 1e9); err != nil || r.Start > 2e9 ||
					r.Key.JobID != 7 {
					t.Fatalf("%v: %+v", err, r)
				}
			}
		default:
			t.Fatalf("said %q, gone: %v, %d records", said, gone, len(got))
		}
	}
	t.Logf("%d set aside, %d taken", set, kept)
	if set < 3000 || kept < 1000 {
		t.Errorf("%d set aside, %d taken: too one-sided to test anything", set, kept)
	}
}

// Values of damaged job records that reach the history are within bounds; the other records are counted and
// moved to failed.
func TestDamagedJobRecordsDoNotReachTheHistory(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	dir := t.TempDir()
	db, err := history.Open(t.Context(), filepath.Join(t.TempDir(), "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(filepath.Join(dir, jobsDir), 0o700))
	const jobs = 200
	for i := range jobs {
		r := full("n1")
		r.Key.JobID = run.JobID(i + 1)
		text, err := json.Marshal(summary.Merge([]summary.NodeRecord{r}, []string{"n1"}))
		must(err)
		text = fmt.Appendf(nil, `{"summary":%s,"report_dir":"/home/alice"}`, mutate(rng, text))
		must(os.WriteFile(filepath.Join(dir, jobsDir, fmt.Sprintf("j%d%s", i, suffix)), packed(t, text), 0o600))
	}
	taken, aside, err := Jobs(dir, recordByRecord(func(j JobRecord) error {
		return db.Put(t.Context(), j.Summary, history.Ingest{NowS: t0 + 200})
	}))
	failed, _ := filepath.Glob(filepath.Join(dir, jobsDir, failedDir, "*"+suffix))
	left, _ := filepath.Glob(filepath.Join(dir, jobsDir, "*"+suffix))
	if err == nil || aside != len(failed) || taken+aside+len(left) != jobs || taken < 20 || aside < 20 || len(left) > 20 {
		t.Fatalf("%d taken, %d aside (%d files), %d left, %v", taken, aside, len(failed), len(left), err)
	}
	list, err := ListSetAside(dir)
	must(err)
	for _, want := range []int{aside, 0} { // reported twice, counted once
		if n, err := db.CountRejected(t.Context(), list, float64(time.Now().Unix())); n != want || err != nil ||
			len(list) != aside {
			t.Errorf("%d of %d counted, %v", n, len(list), err)
		}
	}
	for _, a := range list {
		if a.Why == "" || strings.ContainsAny(a.Why, "\n\x1b") || !strings.HasPrefix(a.Source, "jobs/failed/j") {
			t.Errorf("%+v", a)
		}
	}
	runs, err := db.Runs(t.Context(), history.Query{Limit: 10 * jobs})
	must(err)
	for _, r := range runs {
		if r.Start != 0 && (r.Start < 9e8 || r.Start > t0+1e5) || r.End > t0+1e5 || r.ElapsedS < 0 || r.ElapsedS > 4e8 ||
			r.JobID < 1 ||
			r.PeriodS != nil && (*r.PeriodS <= 0 || *r.PeriodS > 4e8) || r.Confidence != nil && *r.Confidence > 1.01 ||
			r.CPUS != nil && *r.CPUS > 1e14 {
			t.Errorf("%+v", r)
		}
	}
}

// A record written by a newer version is reported and not read, and is kept whatever happens to its run.
func TestNewerRecordsStay(t *testing.T) {
	dir := t.TempDir()
	newest, key := full("n2"), full("n2").Key
	newest.Schema = "jobgait.node/9"
	s := store(t, dir, full("n1"), newest)
	var said []string
	s.Unread = func(line string) { said = append(said, line) }
	w := RecordRequest{Key: key, End: t0 + 100, Nodes: []string{"n1", "n2"}}
	got, err := s.Gather(context.Background(), w)
	if err != nil || nodesOf(got) != "n1:0 " || len(said) != 1 || !strings.Contains(said[0], "newer") {
		t.Errorf("%s, %v, said %q", nodesOf(got), err, said)
	}
	if err := s.Forget(context.Background(), w, nil); err != nil {
		t.Fatal(err)
	}
	names, err := recordNames(jobDir(dir, key))
	if err != nil || len(names) != 1 || names[0].node != "n2" {
		t.Errorf("left: %v, %v", names, err)
	}
}

// The directory failed has a limit in records and bytes; the oldest are removed.
func TestFailedIsBounded(t *testing.T) {
	dir := t.TempDir()
	for i := range 32 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%02d", i)), make([]byte, 100), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := dropOldest(dir, 32, 3200); err != nil {
		t.Error(err)
	}
	for _, bound := range []func() error{
		func() error { return dropOldest(dir, 32, 3100) }, // one too large
		func() error { return dropOldest(dir, 16, 1e6) },
	} {
		if err := bound(); err == nil || !strings.Contains(err.Error(), "oldest") {
			t.Errorf("not said: %v", err)
		}
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 16 || entries[0].Name() != "16" {
		t.Errorf("%d left, first %s", len(entries), entries[0].Name())
	}
}

// listen reads what a child answered.
func listen(in io.Reader, say func(string)) ([]summary.NodeRecord, error) {
	got := answerReader{onUnread: say}
	err := as.ReadAnswers(in, got.add)
	return got.records, err
}

// A child may write anything: impossible records become lines, and lines are bounded.
func TestListen(t *testing.T) {
	var b bytes.Buffer
	twoRecords := collected{records: []summary.NodeRecord{full("n1"), full("n2")}}
	if err := writeAnswers(&b, twoRecords, []string{"a\nb"}, 1<<20); err != nil {
		t.Fatal(err)
	}
	bad := full("n3")
	bad.Start = 1e18
	text, _ := json.Marshal(bad)
	fmt.Fprintf(&b, `{"record":%s}`, text)
	b.WriteString(strings.Repeat(`{"unread":"x"}`, 500))
	var said []string
	got, err := listen(bytes.NewReader(b.Bytes()), func(line string) { said = append(said, line) })
	if err != nil || len(got) != 2 || len(said) != maxLines || said[0] != "a?b" ||
		!strings.Contains(said[1], "start of the record is 1e+18") {
		t.Errorf("%d records, %d lines %.3q, %v", len(got), len(said), said, err)
	}
	if _, err := listen(strings.NewReader(`{"record":`), func(string) {}); err == nil || errors.Is(err, summary.ErrNewer) {
		t.Errorf("half an answer: %v", err)
	}
	b.Reset()
	if err := writeAnswers(&b, twoRecords, nil, len(text)+200); err != nil {
		t.Fatal(err)
	}
	said = nil
	got, err = listen(&b, func(line string) { said = append(said, line) })
	if err != nil || len(got) != 1 || len(said) != 1 || !strings.Contains(said[0], "n2: left out") {
		t.Errorf("without room: %d records, %q, %v", len(got), said, err)
	}
	if n := (request{Gather: &RecordRequest{Nodes: make([]string, 100_000)}}).maxAnswerBytes(); n != as.MaxCollectAnswer {
		t.Errorf("%d bytes for 100,000 nodes", n)
	}
}

func FuzzListen(f *testing.F) {
	var b bytes.Buffer
	if err := writeAnswers(&b, collected{records: []summary.NodeRecord{full("n1")},
		last: LastReport{Key: full("n1").Key, Nodes: 1, Of: 2}}, []string{"x"}, 1<<20); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		records, _ := listen(bytes.NewReader(b), func(line string) {
			if strings.ContainsAny(line, "\n\x1b") {
				t.Errorf("%q", line)
			}
		})
		for _, r := range records {
			if err := r.Valid(epochNow()); err != nil {
				t.Error(err)
			}
		}
	})
}

func FuzzDecodeJob(f *testing.F) {
	text, err := json.Marshal(JobRecord{summary.Merge([]summary.NodeRecord{full("n1")}, []string{"n1"}), "/home/alice"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, b []byte) {
		if j, err := decodeJob(b); err == nil && (j.Summary.Key.Valid() != nil || strings.Contains(j.ReportDir, "\n")) {
			t.Errorf("%+v", j)
		}
	})
}

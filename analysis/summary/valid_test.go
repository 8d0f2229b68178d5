package summary

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
)

const now = 1.8e9 // of these tests, epoch seconds

// valid returns a record with one element in each list.
func valid() NodeRecord {
	r := node("n1", 2, 0.5)
	r.Schema, r.Start, r.End = RecordSchema, now-10, now
	r.Job = run.Job{Name: "gyre", User: "alice", UID: 1000, GID: 1000, NNodes: 1, NodeList: "n1", WorkDir: "/home/alice",
		Fields: map[string]string{run.FieldCommit: "abc"}}
	c := &r.Timeline.Columns[0]
	c.Min, c.Max = c.Mean, c.Mean
	p := &r.Patterns[0]
	p.Values, p.P10, p.P90 = series.Values{1, 2}, series.Values{1, series.Missing()}, series.Values{2, 2}
	r.Loops = []Loop{{Pattern: "A", Drift: &Drift{}}}
	r.Exit, r.Counters = &run.Exit{}, []run.Counter{{Name: "task_clock", Unit: "ns", Scope: "job", Total: 2e10}}
	r.Quality.RateHz = 200
	return r
}

func encoded(t testing.TB, v any) []byte {
	t.Helper()
	b, err := Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// read decodes and checks a record as every reader does.
func read(b []byte) (NodeRecord, error) {
	text, err := Unpack(b)
	if err != nil {
		return NodeRecord{}, err
	}
	r, err := DecodeNode(text)
	if err != nil {
		return r, err
	}
	return r, r.Valid(now)
}

func TestEncodedRecordIsValid(t *testing.T) {
	r := valid()
	got, err := read(encoded(t, r))
	if err != nil || got.Node != "n1" || got.Job.Fields[run.FieldCommit] != "abc" {
		t.Errorf("%+v, %v", got, err)
	}
	s := Merge([]NodeRecord{r}, []string{"n1", "n2"})
	if err := s.Valid(now); err != nil {
		t.Error(err)
	}
}

func TestInvalid(t *testing.T) {
	for want, spoil := range map[string]func(r *NodeRecord){
		"invalid job id":         func(r *NodeRecord) { r.Key.JobID = 0 },
		"SLUID":                  func(r *NodeRecord) { r.Key.SLUID = "x/../.." },
		"node":                   func(r *NodeRecord) { r.Node = "../n1" },
		"start":                  func(r *NodeRecord) { r.Start, r.End = 1e18, 1e18 }, // the year 31688740476
		"end":                    func(r *NodeRecord) { r.End = now + 2*maxClockAhead },
		"end - start":            func(r *NodeRecord) { r.Start, r.End = r.End, r.Start },
		"elapsed_s":              func(r *NodeRecord) { r.ElapsedS = 1e7 },
		"Job.UID":                func(r *NodeRecord) { r.Job.UID = -2 },
		"Job.NNodes":             func(r *NodeRecord) { r.Job.NNodes = 1 << 30 },
		"work_dir":               func(r *NodeRecord) { r.Job.WorkDir = "relative" },
		"Exit.Code":              func(r *NodeRecord) { r.Exit.Code = -1 },
		"missing":                func(r *NodeRecord) { r.Quality.Missing = r.Quality.Samples + 1 },
		"Quality.OverheadPct":    func(r *NodeRecord) { r.Quality.OverheadPct = 1e9 },
		"Counter.Total":          func(r *NodeRecord) { r.Counters[0].Total = 1e22 },
		"busy CPUs":              func(r *NodeRecord) { r.Counters[0].Total = 1e18 },
		"Timing.PeriodS":         func(r *NodeRecord) { r.Patterns[0].PeriodS = 0 },
		"Timing.Confidence":      func(r *NodeRecord) { r.Patterns[0].Confidence = 1.5 },
		"values: lists of 2 and": func(r *NodeRecord) { r.Patterns[0].P10 = nil },
		"lengths":                func(r *NodeRecord) { r.Loops[0].Drift.Lengths.TS = series.Values{1} },
		"Loop.Examples":          func(r *NodeRecord) { r.Loops[0].Examples = make([]Example, 11) },
		"Example.LengthS": func(r *NodeRecord) {
			r.Loops[0].Examples = []Example{{Why: Start, Values: series.Values{1}}}
		},
		"busy_cpus: lists of 2": func(r *NodeRecord) { r.Timeline.Columns[0].Max = series.Values{} },
		"Pattern.WGSS":          func(r *NodeRecord) { r.Patterns[0].WGSS = 1e300 },
	} {
		r := valid()
		spoil(&r)
		if err := r.Valid(now); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want one that begins %q", err, want)
		}
	}
}

// The number and the length of lanes are limited to what can be drawn, so that a hostile record does not cost
// time.
func TestInvalidLanes(t *testing.T) {
	lane := NodeLane{Node: "n1", Of: 1, StepS: 2, Busy: series.Values{1}}
	for want, lanes := range map[string][]NodeLane{
		"":               {lane, lane},
		"Summary.Lanes":  make([]NodeLane, maxLanes+1),
		"NodeLane.Of":    {{Node: "n1", StepS: 2}},
		"NodeLane.StepS": {{Node: "n1", Of: 1, StepS: 0}},
		"NodeLane.Busy":  {{Node: "n1", Of: 1, StepS: 2, Busy: make(series.Values, nodeBins+1)}},
	} {
		s := Merge([]NodeRecord{valid()}, []string{"n1"})
		s.Lanes = lanes
		if err := s.Plausible(now); (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// Text is cleaned for printing when it is read, whichever program wrote it.
func TestTextIsCleanedWhenRead(t *testing.T) {
	r := valid()
	r.Notes = []note.Note{{Code: "x\n", Text: strings.Repeat("\x1b", 10_000)}}
	r.Job.Fields = map[string]string{"a\nb": "\x1b[31m"}
	r.Quality.Sources = []run.CounterSource{{Name: "s\r"}}
	got, err := read(encoded(t, r))
	if err != nil || got.Notes[0].Code != "x" || got.Notes[0].Text != strings.Repeat("?", maxText) ||
		got.Job.Fields["a?b"] != "?[31m" || got.Quality.Sources[0].Name != "s" {
		t.Errorf("%.300v, %v", got, err)
	}
}

// A reader accepts the version before its own, leaves a later one, and calls older versions and other data
// damaged.
func TestVersions(t *testing.T) {
	type thing struct{ A int }
	was := func(text []byte) (thing, error) { // version 3 called it b
		var older struct{ B int }
		err := json.Unmarshal(text, &older)
		return thing{older.B}, err
	}
	is := func(text []byte) (v thing, err error) { return v, json.Unmarshal(text, &v) }
	table := []reader[thing]{{4, is}, {3, was}}
	for text, want := range map[string]error{
		`{"schema":"a.thing/4","a":7}`:     nil,
		` { "schema": "a.thing/3", "b":7}`: nil,
		`{"schema":"a.thing/5","a":"x"}`:   ErrNewer,
		`{"schema":"a.thing/2","a":7}`:     ErrDamaged,
		`{"schema":"a.thing/","a":7}`:      ErrDamaged,
		`{"schema":"a.thing/-4","a":7}`:    ErrDamaged,
		`{"schema":"b.thing/4","a":7}`:     ErrDamaged,
		`{"a":7,"schema":"a.thing/4"}`:     ErrDamaged,
		`{"schema":"a.thing/4","a":7`:      ErrDamaged,
		``:                                 ErrDamaged,
		`[]`:                               ErrDamaged,
	} {
		got, err := decode([]byte(text), "a.thing", table)
		if !errors.Is(err, want) || want == nil && (err != nil || got.A != 7) {
			t.Errorf("%s: %+v, %v; want %v", text, got, err, want)
		}
	}
	for version, want := range map[int]error{0: nil, 1: nil, 2: ErrNewer} {
		r := valid()
		r.Schema = fmt.Sprintf("%s/%d", recordName, version)
		b := encoded(t, r)
		if got, err := read(b); !errors.Is(err, want) || want == nil && (err != nil || got.Schema != RecordSchema) {
			t.Errorf("version %d: %v", version, err)
		}
		if got := IsNewer(bytes.NewReader(b)); got != (want == ErrNewer) {
			t.Errorf("version %d is newer: %v", version, got)
		}
	}
	if version, ok := versionOf(Schema, schemaName); !ok || version != schemaVersion {
		t.Error(Schema)
	}
	if version, ok := versionOf(RecordSchema, recordName); !ok || version != recordVersion {
		t.Error(RecordSchema)
	}
}

// holds checks, independently of Valid, what Valid guarantees.
func holds(t *testing.T, r NodeRecord) {
	t.Helper()
	for _, at := range []float64{r.Start, r.End} {
		if at != 0 && (at < 9e8 || at > now+1e5) {
			t.Fatalf("at %g", at)
		}
	}
	if strings.ContainsAny(r.Key.String()+r.Node, "/\x00") || r.Key.JobID <= 0 || r.Job.UID < -1 || r.ElapsedS < 0 ||
		r.ElapsedS > 4e8 {
		t.Fatalf("%+v %+v", r.Key, r.Job)
	}
	for _, p := range r.Patterns {
		if !(p.PeriodS > 0 && p.PeriodS < 4e8 && p.Confidence <= 1.01 && p.Coverage <= 1.01 && len(p.Values) == len(p.P10)) {
			t.Fatalf("%+v", p)
		}
	}
	for _, n := range r.Notes {
		if note.Clean(n.Text, maxText) != n.Text {
			t.Fatalf("%q", n.Text)
		}
	}
	if err := Merge([]NodeRecord{r}, []string{r.Node, "other"}).Plausible(now); err != nil {
		t.Fatalf("%v of %+v", err, r)
	}
}

func FuzzRead(f *testing.F) {
	text, err := json.Marshal(valid())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(encoded(f, valid()))
	f.Add([]byte(`{"schema":"jobgait.node/0","key":{"job_id":1},"node":"n","timeline":{"columns":[{}]}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := read(b); err == nil {
			holds(t, r)
		}
	})
}

func FuzzDecodeSummary(f *testing.F) {
	text, err := json.Marshal(Merge([]NodeRecord{valid()}, []string{"n1"}))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := DecodeSummary(b); err == nil && s.Valid(now) == nil && (s.Start > now+1e5 || s.Key.JobID <= 0) {
			t.Errorf("%+v", s)
		}
	})
}

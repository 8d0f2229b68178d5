package profile

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
)

// nan is a missing value in expectations.
var nan = series.Missing()

// sample is a profile with everything in it: three blocks of four slots, a gap of four slots before the last,
// counters and a level that were not read once, a counter that restarted, a page of 12 hits in one block only,
// the kernel with 10, and a block without code addresses.
func sample() *Profile {
	h := testHeader(
		Column{Name: "cycles", Unit: "cycles", Scope: "node"},
		Column{Name: "memory", Unit: "bytes", Scope: "job", Gauge: true},
		Column{Name: "instructions", Unit: "instructions", Scope: "node"})
	h.Sources = []run.CounterSource{{Name: "cycles"}}
	return &Profile{Header: h, Blocks: []Block{
		{First: 100, N: 4, Columns: [][]int64{{10, 20, 40, 40}, {7, 8, 9, NoValue}, {5, 10, 50, 60}},
			Samples: []uint32{10, 5, 0, 10}, UncertainSlots: 1, Records: 10, AgentCPUNS: 1e6,
			Pages: []PageCount{{Key: 9, Counts: []uint16{4, 4, 0, 4}}, {Key: KernelPage, Counts: []uint16{1, 0, 0, 0}}}},
		{First: 104, N: 4, Columns: [][]int64{{50, NoValue, 70, 60}, {1, 1, 1, 1}, {70, 80, 90, 100}},
			Samples: []uint32{3, 3, 3, 3}, Records: 10, LostRecords: 2, AgentCPUNS: 2e6,
			Pages: []PageCount{{Key: KernelPage, Counts: []uint16{3, 2, 2, 2}}}},
		{First: 112, N: 4, Columns: [][]int64{{100, 110, 120, 130}, {2, 2, 2, 2}, {200, 210, 220, NoValue}},
			Records: 10, AgentCPUNS: 3e6},
	}}
}

func equal(a, b series.Values) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && !(math.IsNaN(float64(a[i])) && math.IsNaN(float64(b[i]))) {
			return false
		}
	}
	return true
}

func TestSet(t *testing.T) {
	set := held(t, sample(), defaultLimits()).Set
	want := []series.Column{
		{Name: "busy_cpus", Unit: "CPUs", Scope: series.JobScope,
			Values: series.Values{2, 1, 0, 2, .6, .6, .6, .6, nan, nan, nan, nan, nan, nan, nan, nan}},
		{Name: "code:0000000000000009", Unit: "samples", Scope: series.JobScope, Group: "code",
			Values: series.Values{4, 4, 0, 4, 0, 0, 0, 0, nan, nan, nan, nan, nan, nan, nan, nan}},
		{Name: "code:kernel", Unit: "samples", Scope: series.JobScope, Group: "code",
			Values: series.Values{1, 0, 0, 0, 3, 2, 2, 2, nan, nan, nan, nan, nan, nan, nan, nan}},
		{Name: "code:other", Unit: "samples", Scope: series.JobScope, Group: "code",
			Values: series.Values{5, 1, 0, 6, 0, 1, 1, 1, nan, nan, nan, nan, nan, nan, nan, nan}},
		{Name: "cycles", Unit: "cycles/s", Scope: series.NodeScope,
			Values: series.Values{nan, 2000, 4000, 0, 2000, nan, nan, nan, nan, nan, nan, nan, nan, 2000, 2000, 2000}},
		{Name: "memory", Unit: "bytes", Scope: series.JobScope,
			Values: series.Values{7, 8, 9, nan, 1, 1, 1, 1, nan, nan, nan, nan, 2, 2, 2, 2}},
		{Name: "instructions", Unit: "instructions/s", Scope: series.NodeScope,
			Values: series.Values{nan, 1000, 8000, 2000, 2000, 2000, 2000, 2000, nan, nan, nan, nan, nan, 2000, 2000, nan}},
		{Name: "ipc", Unit: "1", Scope: series.NodeScope,
			Values: series.Values{nan, .5, 2, nan, 1, nan, nan, nan, nan, nan, nan, nan, nan, 1, 1, nan}},
	}
	if set.StepS != 0.005 || set.StartS != 1.5 {
		t.Errorf("start %g, step %g", set.StartS, set.StepS)
	}
	compareColumns(t, set.Columns, want)
}

func compareColumns(t *testing.T, got, want []series.Column) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d columns, not %d", len(got), len(want))
	}
	for i, w := range want {
		g := got[i]
		if !equal(g.Values, w.Values) {
			t.Errorf("%s: %v, not %v", w.Name, g.Values, w.Values)
		}
		if g.Values, w.Values = nil, nil; !reflect.DeepEqual(g, w) {
			t.Errorf("column %d is %+v, not %+v", i, g, w)
		}
	}
}

// The number of pages is reduced before slots are merged, and slots are merged before there are too many
// values.
func TestSetLimits(t *testing.T) {
	p := sample() // 16 slots; 5 columns, and 3 for the pages
	if set := held(t, p, columnLimits{1, defaultLimits().values}).Set; len(set.Columns) != 7 ||
		set.Columns[1].Name != "code:0000000000000009" {
		t.Errorf("one page: %d columns", len(set.Columns))
	}
	set := held(t, p, columnLimits{defaultLimits().pages, 8*16 - 1}).Set
	if set.Len() != 8 || set.StepS != 0.01 || len(set.Columns) != 8 {
		t.Fatalf("%d samples of %g s, %d columns", set.Len(), set.StepS, len(set.Columns))
	}
	want := map[string]series.Values{
		"busy_cpus":             {1.5, 1, .6, .6, nan, nan, nan, nan},
		"code:0000000000000009": {8, 4, 0, 0, nan, nan, nan, nan},
		"cycles":                {2000, 2000, 2000, nan, nan, nan, 2000, 2000},
		"memory":                {7.5, 9, 1, 1, nan, nan, 2, 2},
		"ipc":                   {.5, 2.5, 1, nan, nan, nan, 1, 1},
	}
	for name, v := range want {
		if c, _ := set.Column(name); !equal(c.Values, v) {
			t.Errorf("%s: %v, not %v", name, c.Values, v)
		}
	}
	many := sample()
	for k := range 20 {
		many.Blocks[0].Pages = append(many.Blocks[0].Pages,
			PageCount{Key: uint64(100 + k), Counts: []uint16{0, 0, uint16(k), 0}})
	}
	if set := held(t, many, columnLimits{defaultLimits().pages, 16 * 12}).Set; set.Len() != 16 || len(set.Columns) != 12 {
		t.Errorf("fewer pages: %d samples, %d columns", set.Len(), len(set.Columns))
	}
	// Of five slots, two to one, the last is left out and not halved.
	five := &Profile{Header: p.Header, Blocks: []Block{p.Blocks[0],
		{First: 104, N: 1, Columns: [][]int64{{50}, {1}, {70}}, Samples: []uint32{9}}}}
	if set := held(t, five, columnLimits{defaultLimits().pages, 5*8 - 1}).Set; set.Len() != 2 {
		t.Errorf("%d samples of five slots", set.Len())
	}
	if set := held(t, five, columnLimits{defaultLimits().pages, 1}).Set; set.Len() != 1 {
		t.Errorf("%d samples, and there is no less than one", set.Len())
	}
}

// Half a sample is enough for a mean but not for a sum. Counts of pages beyond the number of samples are not
// taken from other pages.
func TestSetEdges(t *testing.T) {
	p := &Profile{Header: testHeader(), Blocks: []Block{
		{First: 0, N: 3, Columns: [][]int64{}, Samples: []uint32{2, 4, 6},
			Pages: []PageCount{{Key: 5, Counts: []uint16{3, 4, 1}}}},
		{First: 5, N: 3, Columns: [][]int64{}, Samples: []uint32{1, 1, 1}}}}
	for merged, want := range map[int64][]series.Values{
		24: {{.4, .8, 1.2, nan, nan, .2, .2, .2}, {3, 4, 1, nan, nan, 0, 0, 0}, {0, 0, 5, nan, nan, 1, 1, 1}},
		12: {{.6, 1.2, .2, .2}, {7, nan, nan, 0}, {0, nan, nan, 2}},
	} {
		set := held(t, p, columnLimits{defaultLimits().pages, merged}).Set
		for i, c := range set.Columns {
			if !equal(c.Values, want[i]) {
				t.Errorf("at most %d values: %s is %v, not %v", merged, c.Name, c.Values, want[i])
			}
		}
	}
}

// Blocks that were written between the two passes stay out.
func TestSetGrows(t *testing.T) {
	p := sample()
	data := imageOf(t, p)
	p.Blocks = p.Blocks[:2]
	first, err := NewReader(bytes.NewReader(imageOf(t, p)))
	if err != nil {
		t.Fatal(err)
	}
	again, err := NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if l := newSurvey(first).load(again, defaultLimits()); l.Set.Len() != 8 {
		t.Errorf("%d samples", l.Set.Len())
	}
}

func TestSetWithout(t *testing.T) {
	empty := &Profile{Header: sample().Header}
	if set := held(t, empty, defaultLimits()).Set; set.Len() != 0 || len(set.Columns) != 4 {
		t.Errorf("no blocks: %d samples, %d columns", set.Len(), len(set.Columns))
	}
	p := sample()
	p.Header.AddressHz = 0
	p.Header.Columns[0].Scope = "job" // instructions per cycle of other processes
	for _, c := range held(t, p, defaultLimits()).Set.Columns {
		if c.Name == "busy_cpus" || c.Group == "code" || c.Name == "ipc" {
			t.Errorf("column %s", c.Name)
		}
	}
}

// Counts from before the agent was ready are at the end of its profile.
func TestCountedBefore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "profile.jgp")
	w, err := Create(path, testHeader(Column{Name: "cgroup_cpu", Unit: "ns", Scope: "job"},
		Column{Name: "b", Scope: "node"}))
	if err != nil {
		t.Fatal(err)
	}
	b := Block{N: 4, Columns: [][]int64{{0, 10, 20, 130}, {7, 7, 7, 7}}}
	if err := errors.Join(w.Append(b), w.Seal(Footer{Before: map[string]uint64{"cgroup_cpu": 1000}}),
		w.Close()); err != nil {
		t.Fatal(err)
	}
	l, err := Load(path)
	want := []run.Counter{{Name: "cgroup_cpu", Unit: "ns", Scope: "job", Total: 130, Before: 1000},
		{Name: "b", Scope: "node", Total: 7}}
	if err != nil || !reflect.DeepEqual(l.Totals, want) {
		t.Errorf("%+v, %v", l.Totals, err)
	}
}

func TestQualityAndTotals(t *testing.T) {
	p := sample()
	l := held(t, p, defaultLimits())
	q := l.Quality
	want := run.Quality{Scope: "job", CPUs: 2, RateHz: 200, AddressHz: 1000, Samples: 12, Missing: 1, LostRecords: 2,
		Blocks: 3, AgentCPUS: 0.003, Sources: []run.CounterSource{{Name: "cycles"}}}
	// 3 ms, and 30 interrupts of 12 us, of 2 CPUs for 80 ms.
	if want.OverheadPct = q.OverheadPct; math.Abs(q.OverheadPct-2.1) > 1e-9 || !reflect.DeepEqual(q, want) {
		t.Errorf("%+v", q)
	}
	totals := l.Totals
	wantTotals := []run.Counter{{Name: "cpu_time", Unit: "s", Scope: "job", Total: 0.037, Share: 2.0 / 3},
		{Name: "cycles", Unit: "cycles", Scope: "node", Total: 130},
		{Name: "instructions", Unit: "instructions", Scope: "node", Total: 220}}
	if !reflect.DeepEqual(totals, wantTotals) {
		t.Errorf("%+v", totals)
	}
}

// A file gives what the same as a stream gives, merged or not, also while it still
// grows.
func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "profile.jgp")
	w, err := Create(path, testHeader(Column{Name: "a", Scope: "node"}, Column{Name: "b", Gauge: true, Scope: "job"}),
		exact)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	rng := rand.New(rand.NewPCG(5, 6))
	next := int64(7)
	for range 40 {
		b := randomBlock(rng, 2)
		b.First = next
		next += int64(b.N) + rng.Int64N(2)*rng.Int64N(30)
		if err := w.Append(b); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, params := range []columnLimits{defaultLimits(), {5, defaultLimits().values}, {defaultLimits().pages, 1000}} {
		l, err := loadFile(path, params)
		if err != nil || l.Footer != nil || l.Damage != (Damage{}) {
			t.Fatal(l.Footer, l.Damage, err)
		}
		h, set := l.Header, l.Set
		stream, err := loadStream(once(t, path), params)
		if err != nil {
			t.Fatal(err)
		}
		want := stream.Set
		if set.StartS != want.StartS || set.StepS != want.StepS {
			t.Errorf("start %g, step %g", set.StartS, set.StepS)
		}
		compareColumns(t, set.Columns, want.Columns)
		if !reflect.DeepEqual(l.Quality, stream.Quality) || !reflect.DeepEqual(l.Totals, stream.Totals) {
			t.Errorf("quality %+v, totals %+v", l.Quality, l.Totals)
		}
		last := p.Blocks[len(p.Blocks)-1]
		if end := 1 + 0.005*float64(last.First+int64(last.N)); math.Abs(l.EndS()-end) > 1e-9 {
			t.Errorf("end %g, not %g", l.EndS(), end)
		}
		merged := set.StepS > 0.005
		if merged != (params.values == 1000) || merged != (len(h.Notes) == 3) ||
			merged && (h.Notes[0].Code != note.BudgetLowered || !strings.Contains(h.Notes[0].Text, "merged")) ||
			h.Notes[len(h.Notes)-1].Code != note.Multiplexed {
			t.Errorf("step %g, notes %v", set.StepS, h.Notes)
		}
	}
	if _, err := Load(path + "x"); err == nil {
		t.Error("loaded a file that is not there")
	}
}

// once is the content of a file, to be read once.
func once(t *testing.T, path string) io.Reader {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewBuffer(data)
}

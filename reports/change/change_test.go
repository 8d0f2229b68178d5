package change

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/changepoint/pair"
	"jobgait/analysis/note"
	"jobgait/analysis/table"
	"jobgait/reports/pagetest"
	"jobgait/reports/text"
)

func golden(t *testing.T, name string, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	pagetest.Golden(t, name, b.Bytes())
	return b.String()
}

func aPair() Pair {
	return Pair{Base: "old", Other: "new", Join: pair.JoinDay,
		Ratio: JudgedHistory{History: History{Runs: table.Runs{Calendar: true}}},
		Comparison: pair.Comparison{Pairs: 24, Dropped: 3, Used: 14,
			RelativePct: ptr(-4.25), LoPct: ptr(-5.5), HiPct: ptr(-3.), Level: .99, P: ptr(.0002), Significant: true, SeePct: 3,
			Need: ptr(5), Correlation: ptr(.81),
			Changes:   []changepoint.Change{step(10, firstDay+10, 6)},
			Histogram: []pair.Bin{{Lo: -6, Hi: -5, Count: 2}, {Lo: -5, Hi: -4, Count: 9}, {Lo: -4, Hi: -3, Count: 3}},
			Notes:     []note.Note{note.New(note.RatioChanged, "the ratio changed 1 times")}}}
}

func TestGolden(t *testing.T) {
	hs, found := everything()
	r := New(hs, changepoint.Sequential, found, options())
	words := golden(t, "report.txt", func(w io.Writer) error { return Text(w, r) })
	for i, line := range strings.Split(words, "\n") {
		if n := len([]rune(line)); n > text.PageWidth {
			t.Errorf("line %d has %d columns: %s", i+1, n, line)
		}
	}
	golden(t, "report.json", func(w io.Writer) error { return JSON(w, r) })
	golden(t, "pair.txt", func(w io.Writer) error { return PairText(w, aPair()) })
	golden(t, "pair.json", func(w io.Writer) error { return PairJSON(w, aPair()) })
	lone := New(hs[:1], changepoint.Sequential, changepoint.Analysis{Series: found.Series[:1]}, options())
	golden(t, "lone.txt", func(w io.Writer) error { return Text(w, lone) })
}

func TestStatus(t *testing.T) {
	hs, found := everything()
	want := []Status{Changed, Changed, Unknown, Changed, Watch, Pass, Unknown, Pass, Changed}
	for i, s := range New(hs, changepoint.Sequential, found, options()).Series {
		if s.Status != want[i] {
			t.Errorf("%s: %s, want %s", s.ID, s.Status, want[i])
		}
	}
	o := options()
	o.MinEffectPct, o.Days = 10, 15
	var changed []string
	for _, s := range New(hs, changepoint.Sequential, found, o).with(Changed) {
		changed = append(changed, s.ID)
	}
	// The others are small or longer ago than 15 days before 10 November.
	if got := strings.Join(changed, " "); got != "both" {
		t.Errorf("changed: %s", got)
	}
}

func TestWorse(t *testing.T) {
	hs, found := everything()
	ids := func(o Options) string {
		var out []string
		for _, s := range New(hs, changepoint.Sequential, found, o).WorseHistories() {
			out = append(out, s.ID)
		}
		return strings.Join(out, " ")
	}
	o := options()
	if got := ids(o); got != "nemo drift days" {
		t.Errorf("worse: %s", got)
	}
	o.Acks = Acks{{ID: "nemo", Index: 20, Day: math.NaN()}, {ID: "drift", Index: -1, Day: firstDay + 5},
		{ID: "days", Index: 11, Day: math.NaN()}}
	if got := ids(o); got != "days" {
		t.Errorf("worse and not acknowledged: %s", got)
	}
	o = options()
	o.MinEffectPct = 14.95
	if got := ids(o); got != "" {
		t.Errorf("worse by 14.95 %%: %s", got)
	}
}

// In a hundred histories, weak evidence is not enough for an alarm. Strong evidence is, and so is evidence of
// unknown strength whose interval is far above 0.
func TestWorseOfMany(t *testing.T) {
	var hs []History
	var found changepoint.Analysis
	for i := range 100 {
		c := step(20, firstDay+20.5, 5)
		switch {
		case i < 3:
			c.FalsePer1000 = ptr(.002)
		case i == 3:
			c.FalsePer1000 = nil
		case i == 4:
			c.FalsePer1000, c.LoPct = nil, ptr(-.5)
		case i < 10:
			c.FalsePer1000, c.LoPct, c.HiPct = ptr(1.), ptr(.2), ptr(9.8)
		}
		r := result(fmt.Sprint(i), c)
		if i >= 10 {
			r = result(fmt.Sprint(i))
		}
		hs, found.Series = append(hs, aHistory(fmt.Sprint(i))), append(found.Series, r)
	}
	var ids []string
	for _, s := range New(hs, changepoint.Sequential, found, options()).WorseHistories() {
		ids = append(ids, s.ID)
	}
	if got := strings.Join(ids, " "); got != "0 1 2 3" {
		t.Errorf("worse: %s", got)
	}
	var b bytes.Buffer
	if err := Text(&b, New(hs, changepoint.Sequential, found, options())); err != nil ||
		!strings.Contains(b.String(), "NOTE     4, 5, 6, 7, 8, 9: slower, but not surely enough") {
		t.Errorf("%v %s", err, b.String())
	}
}

func TestWatchOfNewestRuns(t *testing.T) {
	h := aHistory("w")
	r := result("w")
	for name, c := range map[string]struct {
		values   []float64 // of the last runs
		outliers []int
		want     string
	}{
		"none":     {nil, nil, ""},
		"one":      {[]float64{60}, []int{35}, "The last run is 20.0 % slower"},
		"two":      {[]float64{60, 55}, []int{34, 35}, "The last 2 runs are 10.0 % slower"},
		"faster":   {[]float64{40}, []int{35}, ""},
		"disagree": {[]float64{60, 40}, []int{34, 35}, ""},
		"earlier":  {[]float64{60, 50}, []int{34}, ""},
		"missing":  {[]float64{60, math.NaN()}, []int{34}, "The last run is 20.0 % slower"},
		"three":    {[]float64{60, 61, 59}, []int{33, 34, 35}, "The last 3 runs are 19.9 % slower"},
		"unlike":   {[]float64{60, 90, 75}, []int{33, 34, 35}, "The last 3 runs are 49.8 % slower"},
		"level":    {[]float64{53, 53.5, 52.5, 53, 53}, nil, "The last 4 runs are 5.8 % slower"},
		"small":    {[]float64{50.9, 50.9, 50.9, 50.9, 50.9, 50.9}, nil, ""}, // 1.8 %
		"swings": {[]float64{60, 60, 60, 60, 50, 60, 60, 60}, []int{28, 29, 30, 31, 33, 34, 35},
			"The last 3 runs are 20.0 % slower than usual or more"},
		"no values": {[]float64{math.NaN()}, nil, ""},
	} {
		h := h
		r.Regimes[0].First = 0
		h.Y = append(wave(36-len(c.values), 50), c.values...)
		r.Outliers = c.outliers
		got := watchOf(h, r)
		if !strings.HasPrefix(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// For any result of the analysis the JSON is valid, its lists are lists, and indexes are those of the input.
func TestJSONOfOddResults(t *testing.T) {
	nan := math.NaN()
	h := aHistory("odd")
	h.Order = make([]int, len(h.Y))
	for i := range h.Order {
		h.Order[i] = len(h.Y) - 1 - i
	}
	h.Given = make([]table.Moment, len(h.Y))
	h.Given[20] = table.Moment{Text: "2026-10-21"}
	c := step(20, nan, math.Inf(1))
	c.LoPct, c.HiPct, c.FalsePer1000, c.EndIndex, c.Level = &nan, nil, &nan, ptr(22), nan
	c.Causes = []changepoint.Cause{{Field: "a", P: nan}}
	found := changepoint.Analysis{Expected: nan,
		Series: []changepoint.SeriesResult{{ID: "odd", N: 36, Changes: []changepoint.Change{c},
			Regimes: []changepoint.Regime{{First: 0, Last: 19, Mean: nan, Median: nan, SD: nan}}, Outliers: []int{3, 5},
			SlowNodes: []changepoint.SlowNode{{Node: "n", EffectPct: nan, P: nan}}}},
		Machine: []changepoint.MachineEvent{{Start: nan, End: &nan, EffectPct: nan}}}
	var b bytes.Buffer
	r := New([]History{h}, changepoint.Paper, found, options())
	if err := JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"index":15,"job":"U1","t":"2026-10-21","detected_index":12`, `"effect_pct":null`,
		`"end_index":13`, `"outliers":[30,32]`, `"first":35,"last":16`,
		`"machine":[{"start":null,"end":null,"effect_pct":null,"series":[]}]`, `"notes":[]`, `"from":null,"to":null,"p":null`,
		`"expected_by_chance":null,"series"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in %s", want, b.String())
		}
	}
	if !json.Valid(b.Bytes()) {
		t.Error("not valid")
	}
	b.Reset()
	if err := JSON(&b, New(nil, changepoint.Sequential, changepoint.Analysis{}, options())); err != nil ||
		!strings.Contains(b.String(), `"series":[],"machine":[]`) {
		t.Errorf("nothing: %v %s", err, b.String())
	}
	b.Reset()
	empty := Pair{Comparison: pair.Comparison{RelativePct: &nan, P: &nan, Level: nan, SeePct: nan,
		Histogram: []pair.Bin{{Lo: nan}}, Changes: []changepoint.Change{c}}}
	if err := PairJSON(&b, empty); err != nil || !json.Valid(b.Bytes()) {
		t.Errorf("pair: %v %s", err, b.String())
	}
	if err := Text(io.Discard, r); err != nil {
		t.Error(err)
	}
}

func TestPairSentences(t *testing.T) {
	p := aPair()
	p.Significant = false
	p.LoPct, p.HiPct = ptr(-5.5), ptr(1.)
	if got := p.Sentence(); got != "new against old: ~ (no difference shown; 99 % interval -5.5 .. 1.0 %)." {
		t.Error(got)
	}
	p.RelativePct = nil
	if got := p.Sentence(); got != "new against old: not enough runs to tell." {
		t.Error(got)
	}
	one := aPair()
	one.Need, one.Pairs = ptr(1), 3
	if got := strings.Join(one.Facts(), "|"); !strings.Contains(got, "need 1 more pair to see 3 %") ||
		strings.Contains(got, "correlation") {
		t.Error(got)
	}
	rate := aPair()
	rate.Unit = "GB/s"
	if got := rate.Sentence(); !strings.HasPrefix(got, "new is 4.2 % lower than old") {
		t.Error(got)
	}
	if got := strings.Join(aPair().Facts(), "|"); !strings.Contains(got, "p < 0.001") ||
		!strings.Contains(got, "need 5 more pairs to see 3 %") {
		t.Error(got)
	}
}

// Many empty bins in a row are replaced by one line.
func TestEmptyBinsAreShort(t *testing.T) {
	var b strings.Builder
	p := aPair()
	p.Histogram = nil
	for i, n := range []int{1, 0, 0, 0, 5, 0, 2, 0, 0} {
		p.Histogram = append(p.Histogram, pair.Bin{Lo: float64(i), Hi: float64(i + 1), Count: n})
	}
	if err := PairText(&b, p); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); strings.Count(text, "...") != 2 || strings.Count(text, "|") != 4 {
		t.Error(text)
	}
}

func TestReadAcks(t *testing.T) {
	acks, err := ReadAcks(strings.NewReader("# seen\nid,index,t,who\na,3,,alice\nb,,2026-10-21,bob\n\"c,d\", 4, 7,\n"),
		"f", table.Days)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		id    string
		index int
		day   float64
		want  bool
	}{{"a", 3, 99, true}, {"a", 4, 99, false}, {"b", 9, 20747.4, true}, {"b", 9, 20748, false}, {"c,d", 4, 7.5, true},
		{"c,d", 4, 8, false}, {"x", 3, 99, false}} {
		if got := acks.Has(c.id, c.index, c.day); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	for text, want := range map[string]string{
		"id,why\na,b\n": "f:1:", "index\n3\n": "f:1:", "id,index\na,x\n": "f:2:", "id,index\na,-1\n": "f:2:",
		"id,t\na,soon\n": "f:2:",
		"id,index\na,\n": "f:2:", "id,index\na,1,2\n": "f:", "id,index\n\"": "f:"} {
		if _, err := ReadAcks(strings.NewReader(text), "f", table.Days); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if acks, err := ReadAcks(strings.NewReader(""), "f", table.Days); err != nil || acks == nil {
		t.Errorf("nothing: %v %v", acks, err)
	}
}

// blankLines is endless input of empty lines.
type blankLines struct{}

func (blankLines) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '\n'
	}
	return len(p), nil
}

// A file beyond the limits is an error: a part of it would acknowledge other changes than the user did.
func TestReadAcksOfALargeFile(t *testing.T) {
	large := io.MultiReader(strings.NewReader("id,index\na,3\n"), io.LimitReader(blankLines{}, maxAckBytes),
		strings.NewReader("b,45\n"))
	if acks, err := ReadAcks(large, "f", table.Days); err == nil || !strings.Contains(err.Error(), "f: ") ||
		!strings.Contains(err.Error(), "larger than 256 MiB") {
		t.Errorf("%d acknowledgements, error %v", len(acks), err)
	}
	lines := strings.Repeat("a,3\n", maxAcks)
	if acks, err := ReadAcks(strings.NewReader("id,index\n"+lines), "f", table.Days); err != nil || len(acks) != maxAcks {
		t.Errorf("%d acknowledgements, as many as allowed: read %d, %v", maxAcks, len(acks), err)
	}
	if _, err := ReadAcks(strings.NewReader("id,index\n"+lines+"a,3\n"), "f", table.Days); err == nil ||
		!strings.Contains(err.Error(), "more than 1000000") {
		t.Errorf("one acknowledgement too many: %v", err)
	}
}

func FuzzReadAcks(f *testing.F) {
	f.Add("id,index,t\na,3,\nb,,2026-10-21\n")
	f.Add("id,t\n\"a\n")
	f.Fuzz(func(t *testing.T, text string) {
		acks, err := ReadAcks(strings.NewReader(text), "f", table.Seconds)
		if err != nil && !strings.HasPrefix(err.Error(), "f:") {
			t.Fatalf("error without the file's name: %v", err)
		}
		for _, a := range acks {
			if a.Index < 0 && math.IsNaN(a.Day) {
				t.Fatalf("acknowledges everything: %+v", a)
			}
		}
	})
}

func TestPlot(t *testing.T) {
	hs, found := everything()
	hs[0].Name = `</text><script>alert(1)</script>&"'`
	hs[1].Meta["commit"][35] = "<b>\x1b[31m"
	var b bytes.Buffer
	if err := Plot(&b, New(hs, changepoint.Sequential, found, options())); err != nil {
		t.Fatal(err)
	}
	pagetest.Picture(t, b.String())
	if n := strings.Count(b.String(), `class="chart history"`); n != 8 {
		t.Errorf("%d of 8 histories are drawn", n)
	}
	b.Reset()
	if err := Plot(&b, New(nil, changepoint.Sequential, changepoint.Analysis{}, options())); err != nil {
		t.Fatal(err)
	}
	pagetest.Picture(t, b.String())
}

// A picture of many runs stays small, and says what it sums up.
func TestTimelineOfManyRuns(t *testing.T) {
	h := aHistory("many")
	h.Y, h.Jobs, h.Meta = wave(50_000, 3), nil, nil
	h.T = make([]float64, len(h.Y))
	for i := range h.T {
		h.T[i] = firstDay + float64(i)/100
	}
	r := result("many")
	r.Outliers = make([]int, 3000)
	for i := range r.Outliers {
		r.Outliers[i] = 3 * i
	}
	s := JudgedHistory{History: h, Result: r}
	svg := Timeline(s, DefaultView(options()))
	pagetest.Picture(t, svg)
	if len(svg) > 40_000 || !strings.Contains(svg, ": 1,250 runs, 2.97") {
		t.Errorf("%d bytes", len(svg))
	}
	v := DefaultView(options())
	v.Tips = 0
	if svg := Timeline(s, v); strings.Contains(svg, `class="tips"`) {
		t.Error("tips that nobody asked for")
	}
}

// Each run's tooltip names its date, job, commit and value.
func TestTips(t *testing.T) {
	hs, found := everything()
	svg := Timeline(New(hs, changepoint.Sequential, found, options()).Series[0], DefaultView(options()))
	for _, want := range []string{"<title>1 Oct 12:00 #A1 4c1d7a2e 50.00 s</title>",
		"<title>21 Oct 12:00 #U1 9e66dad1 57.50 s</title>", ">+14.9 %<title>14.9 % slower since 21 October"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in %s", want, svg)
		}
	}
	for n := range 8 { // histories of hardly any run
		h := aHistory("few")
		h.Y, h.T, h.Jobs = h.Y[:n], h.T[:n], h.Jobs[:n]
		r := result("few")
		r.Regimes = nil
		if svg := Timeline(JudgedHistory{History: h, Result: r}, DefaultView(options())); svg != "" {
			pagetest.Picture(t, svg)
		} else if n > 0 {
			t.Errorf("%d runs are not drawn", n)
		}
	}
}

func TestLeadAndSupport(t *testing.T) {
	mk := func(id, app, shape, metric string) History {
		h := aHistory(id)
		h.App, h.Shape, h.Metric = app, shape, metric
		return h
	}
	withAlso := mk("e", "", "", "")
	withAlso.Also = map[string][]float64{"cpu_s": withAlso.Y, "step_s": withAlso.Y}
	leading, supporting := SplitLeadingMetric([]History{mk("a", "x", "4", "elapsed"), mk("b", "x", "4", "step"),
		mk("c", "x", "8", "elapsed"), mk("d", "", "", "step"), withAlso})
	var ids []string
	for _, h := range leading {
		ids = append(ids, h.ID)
	}
	for _, group := range supporting {
		for _, h := range group {
			if !h.Support {
				t.Errorf("%s does not say that it supports", h.ID)
			}
			ids = append(ids, "+"+h.ID)
		}
	}
	if got := strings.Join(ids, " "); got != "b c d e +a +e/cpu_s +e/step_s" {
		t.Error(got)
	}
	h := aHistory("j")
	h.Meta["job_id"] = h.Jobs
	if got := Of([]table.Runs{h.Runs}, "f"); got[0].Jobs[0] != "A1" || got[0].Meta["job_id"] != nil ||
		got[0].Title() != "j" {
		t.Errorf("%+v", got[0])
	}
}

// The ratio's history: days that both have, medians of a day, levels between
// the changes without spikes.
func TestRatio(t *testing.T) {
	a, b := aHistory("a"), aHistory("b")
	b.Y = make([]float64, len(a.Y))
	for i, y := range a.Y {
		b.Y[i] = y * 1.1
		if i >= 20 {
			b.Y[i] = y * 1.3 * (1 + .001*float64(i%3))
		}
	}
	b.Y[0], b.Y[30] = math.NaN(), 500
	a.T = append(a.T, a.T[35]+.1, 99999)
	a.Y = append(a.Y, 1e6, 5)
	s := ratio(a, b, pair.JoinDay, pair.Comparison{Changes: []changepoint.Change{{Index: 19, T: firstDay + 20}}})
	if s.Result.N != 35 || s.T[0] != firstDay+1 || len(s.Result.Regimes) != 2 ||
		math.Abs(s.Result.Regimes[0].Mean-10) > 1e-9 || s.Result.Regimes[0].SD > 1e-6 {
		t.Fatalf("%+v", s.Result.Regimes)
	}
	// Day 35 has two runs in a, of which the middle is far off; run 30 is a spike.
	if g := s.Result.Regimes[1]; math.Abs(g.Mean-30.13) > .05 || g.N != 14 || len(s.Result.Outliers) != 2 {
		t.Errorf("%+v, outliers %v", g, s.Result.Outliers)
	}
}

// watchOf is the sentence on what may be changing.
func watchOf(h History, r changepoint.SeriesResult) string {
	s := JudgedHistory{History: h, Result: r}
	s.Unconfirmed = s.unconfirmed(options())
	return s.WatchSentence("The last run")
}

// Facts from outside a history are not reported as its changes: only the rest of its newest runs is reported.
func TestWatchUsesAdjustedRuns(t *testing.T) {
	h, r := aHistory("w"), result("w")
	r.Regimes[0].First = 0
	h.Y = append(wave(32, 50), 60, 61, 59, 60) // nights on a slow node
	r.Adjusted = wave(36, 50)
	if got := watchOf(h, r); got != "" {
		t.Errorf("explained: %q", got)
	}
	h.Y, r.Adjusted = r.Adjusted, h.Y // a fast machine hid it
	if got := watchOf(h, r); !strings.HasPrefix(got, "The last 3 runs are 19.8 % slower") {
		t.Errorf("hidden: %q", got)
	}
}

// A commit that is new in the first of the runs that deviate, and kept since, is named beside what is not confirmed
// yet; a commit that came later or returned, or other nodes, are not.
func TestWatchNamesTheNewCommit(t *testing.T) {
	values := func(old, new string, from int) []string {
		v := make([]string, 36)
		for i := range v {
			if v[i] = old; i >= from {
				v[i] = new
			}
		}
		return v
	}
	returned := values("a1", "b2", 33)
	returned[5] = "b2"
	for name, c := range map[string]struct {
		meta map[string][]string
		want string
	}{
		"a new commit": {map[string][]string{"commit": values("a1", "b2", 33), "nodes": values("n1", "n2", 33)},
			"slower than usual, and the commit changed before the first of them: not confirmed yet."},
		"a commit one run later": {map[string][]string{"commit": values("a1", "b2", 34)},
			"slower than usual: not confirmed yet."},
		"a commit that returned": {map[string][]string{"commit": returned}, "slower than usual: not confirmed yet."},
	} {
		h, r := aHistory("w"), result("w")
		r.Regimes[0].First = 0
		h.Y, h.Meta = append(wave(33, 50), 60, 61, 60), c.meta
		if got := watchOf(h, r); !strings.HasPrefix(got, "The last 3 runs are ") || !strings.HasSuffix(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

package dashboard

import (
	"bytes"
	"fmt"
	stdhtml "html"
	"html/template"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/changepoint/pair"
	"jobgait/analysis/note"
	"jobgait/analysis/table"
	"jobgait/reports/change"
	"jobgait/reports/html"
	"jobgait/reports/pagetest"
)

func ptr[T any](v T) *T { return &v }

// firstDay is 1 October 2026.
const firstDay = 20727

// one is a history of n runs, one every half day, and its result: slower by
// effect percent over its last fifth if that is not 0.
func one(r *rand.Rand, app, shape, metric string, n int, effect float64) (change.History, changepoint.SeriesResult) {
	h := change.History{Runs: table.Runs{App: app, Shape: shape, Metric: metric, Unit: "s", Calendar: true}}
	h.ID = change.Label(app, shape, metric)
	at := n * 4 / 5
	commits := make([]string, n)
	for i := range n {
		level, commit := 20., "4c1d7a2e"
		if i >= at && effect != 0 {
			level, commit = 20*(1+effect/100), "9e66dad1"
		}
		h.T, h.Y = append(h.T, firstDay+float64(i)/2), append(h.Y, level*(1+.01*r.NormFloat64()))
		h.Jobs = append(h.Jobs, fmt.Sprint(812345+3*i))
		commits[i] = commit
	}
	h.Meta = map[string][]string{"commit": commits}
	res := changepoint.SeriesResult{ID: h.ID, N: n, Outliers: []int{n / 4},
		Regimes: []changepoint.Regime{{First: 0, Last: n - 1, N: n, Mean: 20, Median: 20, SD: .2}}}
	h.Y[n/4] = 30
	if effect != 0 {
		res.Regimes = []changepoint.Regime{{First: 0, Last: at - 1, N: at, Mean: 20, Median: 20, SD: .2},
			{First: at, Last: n - 1, N: n - at, Mean: 20 * (1 + effect/100), SD: .2}}
		res.Changes = []changepoint.Change{{Index: at, T: h.T[at], DetectedIndex: at + 3, EffectPct: effect,
			LoPct: ptr(effect - 1), HiPct: ptr(effect + 1), Level: .95,
			FalsePer1000: ptr(.06), Kind: changepoint.Step,
			Causes: []changepoint.Cause{{Field: "commit", From: "4c1d7a2e", To: "9e66dad1", P: .02}}}}
		res.SlowNodes = []changepoint.SlowNode{{Node: "dahu-12", EffectPct: 9, P: .004}}
		res.Notes = []note.Note{note.New(note.LongGap, "400 days without a run")}
	}
	return h, res
}

// site has apps applications of two shapes and two metrics; every third changed.
func site(apps, runs int) Contents {
	r := rand.New(rand.NewPCG(1, 2))
	var hs []change.History
	found := changepoint.Analysis{Expected: .2}
	for a := range apps {
		for _, shape := range []string{"4 nodes", "16 nodes"} {
			for _, metric := range []string{"step", "elapsed"} {
				effect := 0.
				if a%3 == 0 {
					effect = 14.9
				}
				h, res := one(r, fmt.Sprintf("app-%d", a), shape, metric, runs, effect)
				h.Support = metric == "elapsed"
				hs, found.Series = append(hs, h), append(found.Series, res)
			}
		}
	}
	found.Machine = []changepoint.MachineEvent{{Start: (firstDay + 3) * 86400, End: ptr((firstDay + 3.5) * 86400.),
		EffectPct: 4, Series: []string{"a", "b", "c", "d", "e"}}}
	o := change.Default()
	o.Now = change.Newest(hs)
	return Contents{Title: "runs of alice", Report: change.New(hs, changepoint.Sequential, found, o),
		Pairs: []change.Pair{aPair()}, Days: 14, Options: o,
		Version: "0.0", Created: time.Unix(1795150000, 0), Limits: DefaultPageLimits()}
}

func aPair() change.Pair {
	return change.Pair{Of: "app-0, step", Base: "4 nodes", Other: "16 nodes", Join: pair.JoinDay,
		Comparison: pair.Comparison{Pairs: 24, Dropped: 3, Used: 24,
			RelativePct: ptr(-1.25), LoPct: ptr(-2.5), HiPct: ptr(-.1), Level: .99, P: ptr(.0002), Significant: true, SeePct: 3,
			Histogram: []pair.Bin{{Lo: -16, Hi: -4, Count: 2}, {Lo: -4, Hi: -2, Count: 9}, {Lo: -2, Hi: 0, Count: 30},
				{Lo: 0, Hi: 2, Count: 3}, {Lo: 2, Hi: 40, Count: 1}},
			Notes: []note.Note{note.New(note.FewPairs, "few")}}}
}

func page(t *testing.T, in Contents) string {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, in); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	// The style sheet and its hash are not what this test is about.
	pagetest.Golden(t, "page.html", []byte(page(t, site(1, 24))), mask)
}

func mask(page []byte) []byte {
	page = regexp.MustCompile(`(?s)<style>.*</style>`).ReplaceAll(page, []byte("<style></style>"))
	return regexp.MustCompile(`sha256-[^=]*=`).ReplaceAll(page, []byte("sha256"))
}

// The page is complete in itself, and its policy names its style sheet.
func TestSelfContained(t *testing.T) {
	for name, in := range map[string]Contents{"small": site(1, 24), "of a site": ofASite(),
		"empty": {Options: change.Default(),
			Report: change.New(nil, changepoint.Sequential, changepoint.Analysis{}, change.Default()),
			Limits: DefaultPageLimits()}} {
		p := page(t, in)
		csp := stdhtml.UnescapeString(between(t, p, `http-equiv="Content-Security-Policy" content="`, `"`))
		for _, part := range []string{"default-src 'none'", "style-src '" + html.Hash(between(t, p, "<style>", "</style>")) +
			"'", "base-uri 'none'", "form-action 'none'"} {
			if !strings.Contains(csp, part) {
				t.Errorf("%s: policy %q lacks %q", name, csp, part)
			}
		}
		if strings.Contains(csp, "script-src") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: policy %q", name, csp)
		}
		for _, bad := range []string{"<script", " style=", "href=", "url(", "http:", "https:", "@import", "<form", "NaN",
			"Inf", "ZgotmplZ"} {
			if strings.Contains(strings.ReplaceAll(p, "http://www.w3.org/2000/svg", ""), bad) {
				t.Errorf("%s has %q", name, bad)
			}
		}
	}
}

func between(t *testing.T, s, from, to string) string {
	t.Helper()
	_, s, ok := strings.Cut(s, from)
	s, _, ok2 := strings.Cut(s, to)
	if !ok || !ok2 {
		t.Fatalf("no %q ... %q", from, to)
	}
	return s
}

// Every selection works: ids are unique, each label has its button, and each group has one selected button.
func TestChoices(t *testing.T) {
	p := page(t, site(5, 40))
	ids := map[string]int{}
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(p, -1) {
		ids[m[1]]++
	}
	for id, n := range ids {
		if n != 1 {
			t.Errorf("id %s is there %d times", id, n)
		}
	}
	labels := regexp.MustCompile(`<label for="([^"]*)"`).FindAllStringSubmatch(p, -1)
	for _, m := range labels {
		if ids[m[1]] != 1 {
			t.Errorf("label for %s, which is not there", m[1])
		}
	}
	chosen := map[string]int{}
	for _, m := range regexp.MustCompile(
		`<input type="radio" name="([^"]*)" id="[^"]*"( checked)?>`).FindAllStringSubmatch(p, -1) {
		if m[2] != "" {
			chosen[m[1]]++
		} else {
			chosen[m[1]] += 0
		}
	}
	for name, n := range chosen {
		if n != 1 {
			t.Errorf("%s: %d are chosen", name, n)
		}
	}
	// 5 applications, each with 2 shapes, each with 2 metrics; one comparison of one
	// kind; a small picture of each leading metric.
	if len(labels) != 5+10+20+2+10 || len(chosen) != 1+5+10+2 {
		t.Errorf("%d labels, %d groups", len(labels), len(chosen))
	}
}

func TestPictures(t *testing.T) {
	for _, in := range []Contents{site(3, 40), site(1, 1), site(1, 6)} {
		pictures := pagetest.Pictures(page(t, in))
		for _, svg := range pictures {
			pagetest.Picture(t, svg)
		}
		// A timeline, two curves for each history, one histogram, and a small
		// picture of those that lead.
		if n := len(in.Report.Series); len(in.Report.Series[0].Y) == 40 && len(pictures) != 3*n+n/2+1 {
			t.Errorf("%d histories: %d pictures", n, len(pictures))
		}
	}
}

// The page of a site stays below its limit and says what it leaves out.
func TestStaysSmall(t *testing.T) {
	for _, c := range []struct {
		apps, runs int
		says       string
	}{{1, 40, ""}, {10, 200, "tooltips are those of the newest"},
		{30, 200, "histories are drawn, those that are slower now or changed first"}, {1, 10_000, ""}} {
		p := page(t, site(c.apps, c.runs))
		t.Logf("%d histories of %d runs: %d bytes. %s", 4*c.apps, c.runs, len(p),
			regexp.MustCompile("To keep[^<]*").FindString(p))
		if len(p) > 500_000 {
			t.Errorf("%d histories of %d runs: %d bytes", 4*c.apps, c.runs, len(p))
		}
		left := strings.Contains(p, "To keep the page small")
		if left != (c.says != "") || !strings.Contains(p, c.says) {
			t.Errorf("%d histories of %d runs: does it say what it leaves out? %v", 4*c.apps, c.runs, left)
		}
	}
}

// From MostDrawn on not even the smallest histories all have room, so that nothing is
// lost where all of them are not tried, nor further metrics judged.
func TestMostDrawn(t *testing.T) {
	in := site(0, 0)
	r := rand.New(rand.NewPCG(1, 2))
	var found changepoint.Analysis
	var hs []change.History
	for i := range MostDrawn + 1 {
		h, res := one(r, fmt.Sprint("a", i), "", "", 5, 0)
		hs, found.Series = append(hs, h), append(found.Series, res)
	}
	in.Report, in.NoFurther, in.Pairs = change.New(hs, changepoint.Sequential, found, in.Options), true, nil
	all := detail{noCurves, 0, noLimit, 0}
	var b bytes.Buffer
	if err := template.Must(parsed()).Execute(&b, newView(in, all)); err != nil || b.Len() <= in.Limits.Bytes {
		t.Errorf("%d histories of five runs have %d bytes, %v", len(hs), b.Len(), err)
	}
	if p := page(t, in); !strings.Contains(p, "80 of 251 histories are drawn") ||
		!strings.Contains(p, "further metrics are left out") {
		t.Error(regexp.MustCompile("To keep[^<]*").FindString(p))
	}
}

// Hundreds of shifts of the machine do not make a page too large: every picture shades them.
func TestManyShifts(t *testing.T) {
	in := site(30, 200)
	for i := range 700 {
		start := (firstDay + float64(i)/8) * 86400
		in.Report.Machine = append(in.Report.Machine,
			changepoint.MachineEvent{Start: start, End: ptr(start + 3600), EffectPct: 3,
				Series: []string{"a", "b", "c", "d", "e"}})
	}
	if p := page(t, in); len(p) > 500_000 ||
		!strings.Contains(p, "of 701 shifts of the machine the newest 40 are shaded") {
		t.Errorf("%d bytes; %s", len(p), regexp.MustCompile("To keep[^<]*").FindString(p))
	}
}

func BenchmarkHTML(b *testing.B) {
	in := site(10, 200)
	for b.Loop() {
		if err := HTML(io.Discard, in); err != nil {
			b.Fatal(err)
		}
	}
}

// Recent events come first; earlier ones are in a collapsed section.
func TestEvents(t *testing.T) {
	in := site(4, 100) // the change is 10 days before the newest run
	p := page(t, in)
	recent := between(t, p, "The last 14 days", "</section>")
	if n := strings.Count(recent, "14.9\u00a0% slower since"); n != 4 {
		t.Errorf("%d of 4 changes of leading metrics are told", n)
	}
	if !strings.Contains(recent, "5 series at once were 4.0\u00a0% slower") ||
		!strings.Contains(recent, "Chance alone would give fewer than 0.05 of these changes") ||
		strings.Contains(recent, "Earlier changes") {
		t.Error(recent)
	}
	in.Days = 5
	p = page(t, in)
	if recent := between(t, p, "The last 5 days", "</section>"); !strings.Contains(recent, "Nothing changed.") ||
		!strings.Contains(recent, "Earlier changes (4)") {
		t.Error(recent)
	}
}

// A hostile name is printed as text everywhere.
func TestHostileNames(t *testing.T) {
	in := site(1, 30)
	evil := `</title></script><script>alert(1)</script>"'><img onerror=x>` + "\x1b[31m\u202e"
	for i := range in.Report.Series {
		s := &in.Report.Series[i]
		s.App, s.Shape, s.Metric, s.Unit, s.Name, s.User = evil, evil+fmt.Sprint(i), evil, evil, evil, fmt.Sprint(i)+evil
		s.Jobs[3], s.Meta["commit"][4] = evil, evil
		for k := range s.Result.SlowNodes {
			s.Result.SlowNodes[k].Node = evil
		}
	}
	in.Title, in.Version = evil, "1--><script>"
	in.Pairs[0].Base, in.Pairs[0].Of = change.Label(evil), change.Label(evil)
	p := page(t, in)
	if strings.Contains(p, "<script") || strings.Contains(p, "<img") || strings.ContainsAny(p, "\x1b\u202e") {
		t.Error("markup or control characters of a name are in the page")
	}
	if !strings.Contains(p, "&lt;script&gt;alert(1)") {
		t.Error("the name is not in the page as text")
	}
}

// Results with holes: not a number anywhere, no regimes, no runs.
func TestOddResults(t *testing.T) {
	nan := math.NaN()
	h, res := one(rand.New(rand.NewPCG(1, 2)), "a", "", "", 30, 5)
	res.Changes[0].EffectPct, res.Changes[0].T, res.Regimes[1].Mean, res.Regimes[0].SD = nan, nan, nan, nan
	h.Y[5], h.Y[6] = nan, -3
	none, nothing := change.History{}, changepoint.SeriesResult{}
	o := change.Default()
	p := aPair()
	p.LoPct, p.HiPct, p.RelativePct = &nan, &nan, nil
	in := Contents{Report: change.New([]change.History{h, none}, changepoint.Sequential,
		changepoint.Analysis{Expected: nan, Series: []changepoint.SeriesResult{res, nothing}}, o),
		Pairs: []change.Pair{p, {}}, Options: o, Limits: DefaultPageLimits()}
	if got := page(t, in); strings.Contains(got, "NaN") {
		t.Error("NaN is in the page: " + got[strings.Index(got, "NaN")-200:strings.Index(got, "NaN")+20])
	}
}

// A browser refuses nothing in the page. Needs Chromium.
func TestBrowser(t *testing.T) {
	if dom := pagetest.Open(t, page(t, site(2, 60))); !strings.Contains(dom, "Evidence per split") {
		t.Error("the page is not complete")
	}
}

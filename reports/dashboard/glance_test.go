package dashboard

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/note"
	"jobgait/reports/change"
)

// of is the page's input for histories with these effects at run 20 of 40.
func of(users func(i int) string, effects ...float64) Contents {
	r := rand.New(rand.NewPCG(3, 4))
	var hs []change.History
	found := changepoint.Analysis{}
	for i, e := range effects {
		h, res := one(r, fmt.Sprintf("app-%d", i), "4n ?t ?c", "step_s", 40, e)
		h.User = users(i)
		hs, found.Series = append(hs, h), append(found.Series, res)
	}
	o := change.Default()
	o.Now = change.Newest(hs)
	return Contents{Title: "runs", Report: change.New(hs, changepoint.Sequential, found, o), Days: 14, Options: o,
		Limits: DefaultPageLimits()}
}

func sameUser(int) string { return "alice" }

// The first pictures show what is slower now, the worst first. Each links to its application, and the page opens
// with the worst.
func TestGlanceShowsTheWorstFirst(t *testing.T) {
	p := page(t, of(sameUser, 0, 5, 20, -10))
	cards := regexp.MustCompile(`<label for="(a\d+)" class="(\w+)"><b>([^<]*)</b><span>([^<]*)</span>`+
		`<svg`).FindAllStringSubmatch(p, -1)
	var got []string
	for _, c := range cards {
		got = append(got, strings.Join(c[1:4], " "))
	}
	want := "a0 worse app-2; a1 worse app-1; a2 changed app-3; a3 pass app-0"
	if strings.Join(got, "; ") != want {
		t.Errorf("%s, want %s", strings.Join(got, "; "), want)
	}
	if len(cards) > 0 && !strings.HasPrefix(cards[0][4], "&#43;20.0\u00a0% since ") {
		t.Errorf("%q", cards[0][4])
	}
	if strings.Contains(page(t, of(sameUser, 20)), `class="glance"`) {
		t.Error("a lone history is drawn twice")
	}
}

// On a site with more histories than fit, those that are slower now are drawn.
func TestTheWorstAreDrawn(t *testing.T) {
	effects := make([]float64, 150)
	effects[149], effects[140] = 30, 12
	in := of(func(i int) string { return fmt.Sprint("user", i) }, effects...)
	in.Limits.Bytes = 150_000
	p := page(t, in)
	if len(p) > in.Limits.Bytes || !strings.Contains(p, "histories are drawn") {
		t.Errorf("%d bytes", len(p))
	}
	for _, want := range []string{">user149 / app-149<", ">user140 / app-140<",
		"user149 / app-149, 4 nodes, time of one cycle"} {
		if !strings.Contains(p, want) {
			t.Errorf("no %s", want)
		}
	}
	if !regexp.MustCompile(`id="a0" checked><label for="a0" class="changed">user149 / app-149<`).MatchString(p) {
		t.Error("the worst is not the one that is seen first")
	}
}

// The results of a history are visible without expanding a section; how its runs were recorded is not.
func TestNotesOnRunsAreNotFolded(t *testing.T) {
	in := of(sameUser, 0)
	in.Report.Series[0].Result.Notes = []note.Note{note.New(note.TwoLevels, "runs take turns"),
		note.New(note.MissingRuns, "3 runs have no value")}
	p := page(t, in)
	if !strings.Contains(p, `<p class="line-text">runs take turns</p>`) ||
		!strings.Contains(p, "<summary>Notes (1)</summary>") {
		t.Error(between(t, p, "<h2>Histories", "</section>"))
	}
}

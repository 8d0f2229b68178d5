package dashboard

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/note"
	"jobgait/reports/change"
)

// slowLast makes the last runs of history i of a page's input outliers.
func slowLast(in *Contents, i, runs int) {
	s := &in.Report.Series[i]
	for k := len(s.Y) - runs; k < len(s.Y); k++ {
		s.Y[k] = 30 + float64(i)
		s.Result.Outliers = append(s.Result.Outliers, k)
	}
	found := changepoint.Analysis{Series: []changepoint.SeriesResult{s.Result}}
	*s = change.New([]change.History{s.History}, changepoint.Sequential, found, in.Options).Series[0]
}

// On a site many histories have a slow last run: neither these nor a finding of several runs removes a change
// from the list of the last days.
func TestConfirmedChangesPrecedeUnconfirmed(t *testing.T) {
	in := of(sameUser, append([]float64{20}, make([]float64, 60)...)...)
	for i := 1; i <= 40; i++ {
		slowLast(&in, i, 1)
	}
	slowLast(&in, 50, 2)
	p := page(t, in)
	list := between(t, p, "The last 14 days", "</section>")
	marks := regexp.MustCompile(`aria-label="([\w ]+)">.</span><span><b>([^<,]*)`).FindAllStringSubmatch(list, 3)
	if len(marks) != 3 || marks[0][1] != "warning" || marks[1][1]+marks[1][2] != "may be changingapp-50" ||
		marks[2][2] != "app-40" {
		t.Errorf("%q", marks)
	}
	if !strings.Contains(list, "<details><summary>The last run alone was slow, seen once (40)</summary>") {
		t.Error(list)
	}
	few := of(sameUser, 0, 0)
	slowLast(&few, 1, 1)
	if list := between(t, page(t, few), "The last 14 days", "</section>"); strings.Contains(list, "<details") ||
		!strings.Contains(list, "seen once") {
		t.Error(list)
	}
}

// Series of a file that differ only in their id are named by it.
func TestNamesDistinguishHistories(t *testing.T) {
	in := of(sameUser, 20, 10, 0)
	for i := range in.Report.Series {
		s := &in.Report.Series[i]
		s.History.ID, s.App, s.Shape, s.Metric = fmt.Sprint("line-", i), "heat", "", ""
	}
	in.Report.Series[2].App = "other"
	p := page(t, in)
	for _, want := range []string{"<b>heat, line-0</b>", "<b>heat, line-1</b>", "<b>other</b>", ">line-0</label>",
		">line-1</label>"} {
		if !strings.Contains(p, want) {
			t.Errorf("no %s", want)
		}
	}
}

// Levels and sizes of changes differ where the machine's shifts were taken out, and
// the page says so.
func TestLevelsAreAsMeasured(t *testing.T) {
	in := of(sameUser, 20)
	const says = "levels are as measured, changes without what the machine did"
	if strings.Contains(page(t, in), says) {
		t.Error("nothing was taken out")
	}
	in.Report.Series[0].Result.Notes = []note.Note{note.New(note.CommonMode, "shifts were taken out")}
	if !strings.Contains(page(t, in), `<p class="soft">`+says) {
		t.Error("the page does not say what the levels are")
	}
}

// A single history needs no selection; values have their unit.
func TestLoneHistory(t *testing.T) {
	p := page(t, of(sameUser, 20))
	if strings.Contains(p, "pick an application") ||
		!strings.Contains(page(t, of(sameUser, 20, 0)), "pick an application") {
		t.Error("the page says pick one of one, or does not where there are two")
	}
	if !regexp.MustCompile(`class="tick y"[^>]*>[0-9.]+ s<`).MatchString(p) {
		t.Error("no tick of the picture has the unit")
	}
}

package tables

import (
	"fmt"
	"io"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/changepoint/draw"
)

// tolerances are the largest distances of a reported change from a true one to count for it.
var tolerances = [...]int{1, 3}

// tally counts what was found of what is there.
type tally struct {
	score                [len(tolerances)]draw.Score
	series, events, with int
	rated, beyond        int // events with a rate of false alarms; with the smallest that is given
}

// add compares what was found in h with its true changes.
func (t *tally) add(h history, found []changepoint.Change) {
	t.series++
	t.events += len(found)
	if len(found) > 0 {
		t.with++
	}
	for _, c := range found {
		if c.FalsePer1000 != nil {
			t.rated++
			if c.ExcessNats > 0 {
				t.beyond++
			}
		}
	}
	for q, tolerance := range tolerances {
		t.score[q].Add(draw.DrawnHistory{Series: h.series(), Changes: h.changes}, found, tolerance)
	}
}

func (t *tally) print(w io.Writer, name string) {
	last := t.score[len(tolerances)-1]
	per := func(n int) float64 { return 1000 * float64(n) / float64(last.Runs) }
	fmt.Fprintf(w, "%-26s %6d runs", name, last.Runs)
	if last.Asked == 0 {
		fmt.Fprintf(w, " %4d events: %.2f per 1000, in %.3f of series; with a rate %.3f, with the smallest %.3f\n",
			t.events, per(t.events), float64(t.with)/float64(t.series), per(t.rated), per(t.beyond))
		return
	}
	for q, tolerance := range tolerances {
		fmt.Fprintf(w, "  F1@%d %.3f (recall %.3f)", tolerance, t.score[q].F1(), t.score[q].Recall())
	}
	held := 0
	for _, c := range last.Classes {
		held += c.Held
	}
	fmt.Fprintf(w, "  false %.2f per 1000, with a rate %.3f of events, effects held by %.3f of intervals\n",
		last.FalsePer1000(),
		float64(t.rated)/float64(max(t.events, 1)), float64(held)/float64(max(last.Found, 1)))
}

package main

import (
	"fmt"
	"io"
	"slices"

	"jobgait/analysis/changepoint"
)

// tolerances are how far a detection may be from a change to count for it.
var tolerances = [...]int{1, 3}

// tally counts what was found of what is there.
type tally struct {
	runs, series, events, with int
	rated, beyond              int    // events with a rate of false alarms; of at least two nats
	hit, false_, missed        [2]int // at the tolerances
	delays                     []int
	classes                    [3]class
}

// class is what became of changes of one range of strength.
type class struct {
	there, found, covered int
	ratio                 float64 // sum of found over true effects
}

// names of the classes, and where they begin.
var (
	classNames = [...]string{"4.5-6", "6-9", "over 9"}
	classFrom  = [...]float64{4.5, 6, 9}
)

func (t *tally) changes() int { return t.hit[1] + t.missed[1] }

// add compares what was found in h with its true changes.
func (t *tally) add(h history, found []changepoint.Detection) {
	t.runs += len(h.x)
	t.series++
	t.events += len(found)
	if len(found) > 0 {
		t.with++
	}
	for _, d := range found {
		if d.Rate != nil {
			t.rated++
			if d.Margin >= 2 {
				t.beyond++
			}
		}
	}
	for q, tolerance := range tolerances {
		match := h.match(found, tolerance)
		t.false_[q] += len(found)
		for c, k := range match {
			if k >= 0 {
				t.false_[q]--
			}
			if h.strength(c) < classFrom[0] {
				continue // neither missed nor false
			}
			if k < 0 {
				t.missed[q]++
			} else {
				t.hit[q]++
			}
			if q == 1 {
				t.classify(h, c, k, found)
			}
		}
	}
}

// classify counts change c, found as detection k or not (-1).
func (t *tally) classify(h history, c, k int, found []changepoint.Detection) {
	at := 0
	for i, from := range classFrom {
		if h.strength(c) >= from {
			at = i
		}
	}
	s := &t.classes[at]
	s.there++
	if k < 0 {
		return
	}
	d, true_ := found[k], h.changes[c]
	t.delays = append(t.delays, d.Detected-true_.index+1)
	s.found++
	s.ratio += d.Effect / true_.step
	if d.Lo <= true_.step && true_.step <= d.Hi {
		s.covered++
	}
}

func (t *tally) merge(o tally) {
	t.runs, t.series, t.events, t.with = t.runs+o.runs, t.series+o.series, t.events+o.events, t.with+o.with
	t.rated, t.beyond = t.rated+o.rated, t.beyond+o.beyond
	for q := range tolerances {
		t.hit[q] += o.hit[q]
		t.false_[q] += o.false_[q]
		t.missed[q] += o.missed[q]
	}
	for k := range t.classes {
		a, b := &t.classes[k], o.classes[k]
		a.there, a.found, a.covered, a.ratio = a.there+b.there, a.found+b.found, a.covered+b.covered, a.ratio+b.ratio
	}
	t.delays = append(t.delays, o.delays...)
}

func (t *tally) print(w io.Writer, name string) {
	per := func(n int) float64 { return 1000 * float64(n) / float64(t.runs) }
	fmt.Fprintf(w, "%-26s %6d runs", name, t.runs)
	if t.changes() == 0 {
		fmt.Fprintf(w, " %4d events: %.2f per 1000, in %.3f of series; with a rate %.3f, two nats on %.3f\n",
			t.events, per(t.events), float64(t.with)/float64(t.series), per(t.rated), per(t.beyond))
		return
	}
	for q, tolerance := range tolerances {
		hit := float64(t.hit[q])
		fmt.Fprintf(w, "  F1@%d %.3f (recall %.3f)", tolerance, 2*hit/(2*hit+float64(t.false_[q]+t.missed[q])), hit/(hit+float64(t.missed[q])))
	}
	slices.Sort(t.delays)
	fmt.Fprintf(w, "  false %.2f per 1000, with a rate %.3f of events", per(t.false_[1]), float64(t.rated)/float64(max(t.events, 1)))
	if n := len(t.delays); n > 0 {
		fmt.Fprintf(w, "  median delay %d", t.delays[n/2])
	}
	fmt.Fprintln(w)
	for k, c := range t.classes {
		if c.found > 0 {
			n := float64(c.found)
			fmt.Fprintf(w, "    strength %-7s found %d of %d, covered %.3f, found/true %.3f\n", classNames[k], c.found, c.there, float64(c.covered)/n, c.ratio/n)
		}
	}
}

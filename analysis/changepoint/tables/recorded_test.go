package tables

import (
	"fmt"
	"io"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/changepoint/draw"
)

// found is what was found of a kind of histories at tolerances of one and three
// runs.
type found [2]draw.Score

// recorded prints what recorded fields add, for every kind of history.
func recorded(w io.Writer, seed uint64, draws int) {
	var without, with found
	for _, kind := range draw.Kinds() {
		var a, b found
		for i := range draws {
			r := source(seed, i, 5)
			for range 20 {
				h := draw.DrawRecorded(r, kind)
				b.add(h, &with)
				h.Meta = nil
				a.add(h, &without)
			}
		}
		a.print(w, kind, "without fields")
		b.print(w, kind, "with")
	}
	without.print(w, "all", "without fields")
	with.print(w, "all", "with")
	for i, name := range []string{"4.5 to 6", "6 to 9", "over 9"} {
		c := with[1].Classes[i]
		fmt.Fprintf(w, "fields: z %-8s with: found %d of %d, effect held by %.3f of their intervals\n", name, c.Found,
			c.Asked, ratio(c.Held, c.Found))
	}
}

// add judges h and counts it here and in all.
func (f *found) add(h draw.DrawnHistory, all *found) {
	var changes []changepoint.Change
	for _, c := range one(h.Series).Changes {
		if !h.OnRamp(c.Index) {
			changes = append(changes, c)
		}
	}
	for q, tolerance := range []int{1, 3} {
		f[q].Add(h, changes, tolerance)
		all[q].Add(h, changes, tolerance)
	}
}

func (f *found) print(w io.Writer, kind, how string) {
	fmt.Fprintf(w, "fields: %-17s %-14s %4d changes: F1@1 %.3f F1@3 %.3f recall %.3f, false per 1000 %.2f of %d runs\n",
		kind, how,
		f[1].Asked, f[0].F1(), f[1].F1(), f[1].Recall(), f[1].FalsePer1000(), f[1].Runs)
}

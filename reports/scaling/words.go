package scaling

import (
	"fmt"
	"math"
	"strings"

	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
	"jobgait/analysis/scaling"
	"jobgait/reports/text"
)

// verdict returns one sentence on the law of a series and where it changes, without the name of the series.
func verdict(r scaling.Result, p []float64) string {
	switch {
	case r.Segmented && len(r.Changes) > 0:
		return changed(r, p)
	case r.Segmented:
		return "more than one law, but where one gives way to the other is unknown"
	case r.Whole != nil && len(p) > 0:
		return fmt.Sprintf("%s; one law over %s .. %s", growth(*r.Whole, scaling.Symbol(r.Parameter)), quantity.Exact(p[0]),
			quantity.Exact(p[len(p)-1]))
	}
	return "no model: " + reason(r)
}

// noModel returns the note that the verdict contains where there is no model, else "".
func noModel(r scaling.Result) string {
	if r.Segmented || r.Whole != nil {
		return ""
	}
	return reason(r)
}

// reason says why there is no model: the first note on a bad series or on too few sizes, else the last note, else the
// number of points.
func reason(r scaling.Result) string {
	for _, code := range []note.Code{note.BadSeries, note.NeedMore} {
		for _, n := range r.Notes {
			if n.Code == code {
				return text.Clean(n.Text)
			}
		}
	}
	if len(r.Notes) > 0 {
		return text.Clean(r.Notes[len(r.Notes)-1].Text)
	}
	return quantity.Plural(r.N, "point")
}

// changed returns the verdict on a series with changes: the place of each change and the law of each segment.
func changed(r scaling.Result, p []float64) string {
	var changes []string
	for _, c := range r.Changes {
		changes = append(changes, place(c, p))
	}
	s := "law changes " + strings.Join(changes, " and ")
	var laws []string
	last := len(r.Segments) - 1
	for i, g := range r.Segments {
		if g.Model == nil || !liesWithin(g, p) {
			continue
		}
		law := growth(*g.Model, scaling.Symbol(r.Parameter))
		switch {
		case i == 0:
			law += " up to " + quantity.Exact(p[g.Last])
		case i == last:
			law += " from " + quantity.Exact(p[g.First])
		default:
			law += " from " + quantity.Exact(p[g.First]) + " to " + quantity.Exact(p[g.Last])
		}
		if i > 0 && r.Segments[i-1].Model != nil {
			law += steeper(*r.Segments[i-1].Model, *g.Model)
		}
		laws = append(laws, law)
	}
	if len(laws) > 0 {
		s += ": " + strings.Join(laws, ", ")
	}
	return s
}

// steeper says how many times as steep b is as a; "" if their leading terms differ, the terms fall with the
// size, or the slopes are within 5 %.
func steeper(a, b scaling.Model) string {
	x, ok := leadingTerm(a)
	y, also := leadingTerm(b)
	if !ok || !also || x.I != y.I || x.J != y.J || x.I < 0 {
		return ""
	}
	switch ratio := y.Coefficient / x.Coefficient; {
	case ratio > 1.05:
		return ", " + quantity.Plain(ratio, 2) + " times as steep"
	case ratio > 0 && ratio < 0.95:
		return ", " + quantity.Plain(1/ratio, 2) + " times less steep"
	}
	return ""
}

// place returns "between 32 and 64 (after 5 points)", or the point that belongs to both segments.
func place(c scaling.Change, p []float64) string {
	if c.Common != nil {
		return fmt.Sprintf("at %s (point %d belongs to both sides)", quantity.Exact(*c.Common), c.Cut+1)
	}
	if c.Cut < 1 || c.Cut >= len(p) {
		return "after " + quantity.Plural(c.Cut, "point")
	}
	return fmt.Sprintf("between %s and %s (after %s)", quantity.Exact(p[c.Cut-1]), quantity.Exact(p[c.Cut]),
		quantity.Plural(c.Cut, "point"))
}

// doubt says where else a change may be, "" if its place is certain.
func doubt(c scaling.Change, p []float64) string {
	if c.Lo >= c.Hi || c.Lo < 1 || c.Hi >= len(p) {
		return ""
	}
	return fmt.Sprintf("anywhere from %s to %s", quantity.Exact(p[c.Lo-1]), quantity.Exact(p[c.Hi]))
}

// liesWithin reports whether the indexes of a segment are valid for the points.
func liesWithin(g scaling.Segment, p []float64) bool {
	return g.First >= 0 && g.First <= g.Last && g.Last < len(p)
}

// leadingTerm returns the term that grows fastest; false for a constant.
func leadingTerm(m scaling.Model) (scaling.Term, bool) {
	best, ok := scaling.Term{}, false
	for _, t := range m.Terms {
		if t.Coefficient != 0 && (t.I != 0 || t.J != 0) && (!ok || t.I > best.I || t.I == best.I && t.J > best.J) {
			best, ok = t, true
		}
	}
	return best, ok
}

// growth describes the leading term in words: whether it grows or falls, and like what. p is the symbol of the
// parameter.
func growth(m scaling.Model, p string) string {
	t, ok := leadingTerm(m)
	if !ok {
		return "does not change with " + p
	}
	fades := t.I < 0 || t.I == 0 && t.J < 0
	up := t.Coefficient > 0
	switch {
	case fades && up && m.Constant > 0:
		return fmt.Sprintf("falls like %s towards %s", shape(t, p), quantity.Plain(m.Constant, 3))
	case fades && up:
		return "falls like " + shape(t, p)
	case fades:
		return "rises towards " + quantity.Plain(m.Constant, 3)
	case up:
		return "grows like " + shape(t, p)
	}
	return "falls like -" + shape(t, p)
}

// shape prints a term without its coefficient: "p log2 p", "1/p", "p^(3/2) (log2 p)^2".
func shape(t scaling.Term, p string) string {
	var parts []string
	switch {
	case t.I == 1:
		parts = append(parts, p)
	case t.I == -1:
		parts = append(parts, "1/"+p)
	case t.I == 0.5:
		parts = append(parts, "sqrt("+p+")")
	case t.I != 0:
		parts = append(parts, p+"^"+fraction(t.I))
	}
	switch {
	case t.J == 1:
		parts = append(parts, "log2 "+p)
	case t.J != 0:
		parts = append(parts, "(log2 "+p+")^"+fraction(t.J))
	}
	return strings.Join(parts, " ")
}

// fraction prints an exponent, as a fraction where it is one.
func fraction(x float64) string {
	switch num, den := scaling.Ratio(x); den {
	case 0:
		return quantity.Plain(x, 3)
	case 1:
		return quantity.Exact(num)
	default:
		return "(" + quantity.Exact(num) + "/" + quantity.Exact(den) + ")"
	}
}

// formula prints a model: 1.65 + 3.97 (log2 p)^2.
func formula(m scaling.Model, p string) string {
	s := ""
	if m.Constant != 0 || len(m.Terms) == 0 {
		s = quantity.Plain(m.Constant, 4)
	}
	for _, t := range m.Terms {
		sign := " + "
		switch negative := t.Coefficient < 0; {
		case s == "" && negative:
			sign = "-"
		case s == "":
			sign = ""
		case negative:
			sign = " - "
		}
		word, number := shape(t, p), quantity.Plain(math.Abs(t.Coefficient), 4)
		switch {
		case strings.HasPrefix(word, "1/"):
			s += sign + number + word[1:]
		case word == "":
			s += sign + number
		case number == "1":
			s += sign + word
		default:
			s += sign + number + " " + word
		}
	}
	return s
}

// timesBeyond prints how far p lies beyond the largest measured size: "2x"; "" within the measured sizes.
func timesBeyond(p, largest float64) string {
	if !(largest > 0) || p <= largest {
		return ""
	}
	return quantity.Exact(math.Round(p/largest*100)/100) + "x"
}

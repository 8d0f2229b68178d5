package dashboard

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/changepoint/pair"
	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
	"jobgait/reports/change"
	"jobgait/reports/text"
)

// appTabs returns tabs of applications, which contain tabs of shapes, which contain tabs of metrics. The
// template leaves out the button of a lone tab.
func appTabs(in Contents, groups []app, d detail) tabs {
	out := tabs{Name: "app"}
	for i, a := range groups {
		shapes, names := tabs{Name: fmt.Sprintf("shape%d", i)}, a.shapeNames()
		for j, h := range a.Shapes {
			metrics := tabs{Name: fmt.Sprintf("metric%d-%d", i, j)}
			for k, m := range h.Metrics {
				metrics.List = append(metrics.List, tab{ID: fmt.Sprintf("m%d-%d-%d", i, j, k), Label: m.Name,
					Class: class(m.Status), Panel: newPanel(in, m, d)})
			}
			shapes.List = append(shapes.List, tab{ID: fmt.Sprintf("s%d-%d", i, j), Label: cmp.Or(names[j], "other"),
				Class: metrics.class(), Inner: &metrics})
		}
		out.List = append(out.List, tab{ID: fmt.Sprintf("a%d", i), Label: a.Name, Class: shapes.class(), Inner: &shapes})
	}
	return out
}

// class returns the CSS class of a button, which marks histories that changed or may be changing.
func class(s change.Status) string {
	if s == change.Changed || s == change.Watch {
		return string(s)
	}
	return ""
}

// class returns the CSS class of the button that opens these tabs: that of a change if one of them has it, else that of
// a possible change, else "".
func (t tabs) class() string {
	for _, s := range []change.Status{change.Changed, change.Watch} {
		if slices.ContainsFunc(t.List, func(one tab) bool { return one.Class == string(s) }) {
			return string(s)
		}
	}
	return ""
}

// newPanel returns the panel of one history.
func newPanel(in Contents, m metric, d detail) *panel {
	s := m.JudgedHistory
	p := &panel{Status: s.StatusText(), Class: string(s.Status),
		Timeline: template.HTML(change.Timeline(s, d.view(in.Report, in.Options)))}
	p.What, p.Text, p.Title = s.LastEventText(), s.CurrentLevelText(in.Options),
		ownerAndLabel(s, severalUsers(in.Report.Series))
	if s.Watch != "" {
		p.Lines = append(p.Lines, s.Watch)
	}
	const mostNodes = 8
	for i, n := range s.Result.SlowNodes {
		if i == mostNodes {
			p.Lines = append(p.Lines, fmt.Sprintf("and %d more slow nodes", len(s.Result.SlowNodes)-mostNodes))
			break
		}
		p.Lines = append(p.Lines, change.SlowNodeSentence(n))
	}
	p.levels(s, in.Options)
	p.notes(s)
	if line := s.Detectable(); line != "" {
		p.Lines = append(p.Lines, line)
	}
	if d.tips != 0 {
		p.addRuns(in, m)
	}
	if d.drawsCurves(s) {
		p.Curves = curves(s)
	}
	return p
}

// notes adds the notes of the history. Notes on the runs, or on why there is no result, are visible while the
// panel has fewer than mostNotes lines; further ones, and those on how runs were recorded, are in a collapsed
// section.
func (p *panel) notes(s change.JudgedHistory) {
	const mostNotes = 8
	for _, n := range s.AllNotes() {
		text := text.Clean(n.Text)
		switch {
		case !change.Routine(n.Code) && len(p.Lines) < mostNotes:
			p.Lines = append(p.Lines, text)
		case len(p.Notes) < mostNotes:
			p.Notes = append(p.Notes, text)
		}
	}
	if more := len(s.AllNotes()) - 2*mostNotes; more > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("and %d more notes", more))
	}
}

// levels lists the newest levels, newest first.
func (p *panel) levels(s change.JudgedHistory, o change.Options) {
	const maxLevels = 12
	var more []string
	for i := len(s.Result.Regimes) - 1; i >= 0; i-- {
		if len(p.Levels) == maxLevels {
			more = append(more, fmt.Sprintf("and %d earlier levels", i+1))
			break
		}
		g := s.Result.Regimes[i]
		row := levelRow{Since: s.Date(g.First, o), Runs: fmt.Sprint(g.N), Level: s.Spread(g.Mean, g.SD)}
		if i > 0 {
			if before := s.Result.Regimes[i-1].Mean; before > 0 && !math.IsNaN(g.Mean) {
				row.Change = quantity.Signed(100 * (g.Mean/before - 1))
			}
		}
		p.Levels = append(p.Levels, row)
	}
	if slices.ContainsFunc(s.AllNotes(), func(n note.Note) bool { return n.Code == note.CommonMode }) {
		more = append(more, "levels are as measured, changes without what the machine did")
	}
	p.MoreLevels = strings.Join(more, "; ")
}

// pairTabs returns the tabs of comparisons: by subject, if it is known, then by the two histories.
func pairTabs(in Contents, d detail) tabs {
	out := tabs{Name: "of"}
	place := map[string]int{}
	for i, p := range in.Pairs[:min(len(in.Pairs), in.Limits.Pairs, d.pairs)] {
		kind := ""
		if len(p.Changes) > 0 {
			kind = "changed"
		}
		one := tab{ID: fmt.Sprintf("p%d", i), Label: p.Other + " against " + p.Base, Class: kind, Pair: newPairPanel(p, in)}
		if p.Of == "" {
			out.List = append(out.List, one)
			continue
		}
		at, ok := place[p.Of]
		if !ok {
			at = len(out.List)
			place[p.Of] = at
			out.List = append(out.List, tab{ID: fmt.Sprintf("o%d", i), Label: p.Of,
				Inner: &tabs{Name: fmt.Sprintf("pair%d", i)}})
		}
		group := &out.List[at]
		group.Inner.List = append(group.Inner.List, one)
		group.Class = cmp.Or(group.Class, kind)
	}
	return out
}

// newPairPanel returns the panel of one comparison.
func newPairPanel(p change.Pair, in Contents) *pairPanel {
	q := &pairPanel{Of: p.Of, Text: p.Sentence(), Facts: append(p.Facts(), p.ChangeLines()...),
		Histogram: histogramFigure(p).SVG, Timeline: ratioPicture(p, in.Options)}
	if p.RelativePct != nil {
		q.Remark = "bars: pairs of runs since the ratio last changed; shaded: " + quantity.Chosen(100*p.Level) +
			" interval of their mean difference"
	}
	for _, n := range p.Notes {
		q.Notes = append(q.Notes, text.Clean(n.Text))
	}
	return q
}

// ratioPicture draws the relative difference over time, without tooltips; "" unless the runs were paired by
// day, on three days or more.
func ratioPicture(p change.Pair, o change.Options) template.HTML {
	const fewest = 3
	if p.Join != pair.JoinDay || len(p.Ratio.Y) < fewest {
		return ""
	}
	v := change.DefaultView(o)
	v.Tips, v.Height = 0, 110
	return template.HTML(change.Timeline(p.Ratio, v))
}

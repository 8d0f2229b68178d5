package dashboard

import (
	"slices"
	"time"

	"jobgait/analysis/history"
	"jobgait/reports/change"
	"jobgait/reports/text"
)

// Contents is what a page shows.
type Contents struct {
	// Title is what the histories are of: a user, a site, a file.
	Title string
	// Of says which of all histories these are, "" for all.
	Of string
	// Report is the histories with what was found in them.
	Report change.Report
	// NoFurther says that further metrics of the same runs were not judged.
	NoFurther bool
	// Pairs are comparisons of two of them.
	Pairs []change.Pair
	// Site is what the whole site did lately, nil for a page of less.
	Site *history.Site
	// Days is how far back the first list reaches.
	Days    float64
	Options change.Options
	Version string
	Created time.Time
	Limits  PageLimits
}

// Limits bound the page.
type PageLimits struct {
	Bytes  int // of the whole page
	Events int // in the first list; the same again behind a fold
	Pairs  int
}

// DefaultLimits keep the page below 500,000 bytes.
func DefaultPageLimits() PageLimits { return PageLimits{Bytes: 490_000, Events: 25, Pairs: 24} }

// app is one application with its shapes; an application of several users is
// one for each.
type app struct {
	Name   string
	Shapes []shape
}

type shape struct {
	Name    string
	Metrics []metric
}

type metric struct {
	Name string
	at   int // place in the report
	change.Judged
}

// apps groups the n histories that want to be seen most by application, shape and metric,
// in their order. A history without an application stands under its own name.
func apps(r change.Report, n int) []app {
	several := severalUsers(r.Series)
	var out []app
	order, _, _ := r.ByWeight()
	for _, i := range order[:n] {
		s := r.Series[i]
		name := appName(s)
		if several && s.User != "" {
			name = text.Clean(s.User) + " / " + name
		}
		a := place(&out, func(a app) bool { return a.Name == name }, app{Name: name})
		h := place(&a.Shapes, func(h shape) bool { return h.Name == text.Clean(s.Shape) }, shape{Name: text.Clean(s.Shape)})
		h.Metrics = append(h.Metrics, metric{metricName(s), i, s})
	}
	return out
}

// severalUsers is whether an application has to be named with its user.
func severalUsers(series []change.Judged) bool {
	return slices.ContainsFunc(series, func(s change.Judged) bool { return s.User != series[0].User })
}

// apart gives histories that only their names tell from each other, as the lines
// of a file may be, a metric that has the name in it.
func apart(series []change.Judged) []change.Judged {
	type key struct{ user, app, shape, metric string }
	of := func(s change.Judged) key { return key{s.User, appName(s), s.Shape, s.Metric} }
	n := map[key]int{}
	for _, s := range series {
		n[of(s)]++
	}
	out := slices.Clone(series)
	for i, s := range series {
		if n[of(s)] > 1 {
			out[i].Metric = change.Label(s.Title(), s.Metric)
		}
	}
	return out
}

// place returns the element that is meant, added if it is not there yet.
func place[T any](list *[]T, is func(T) bool, fresh T) *T {
	i := slices.IndexFunc(*list, is)
	if i < 0 {
		i = len(*list)
		*list = append(*list, fresh)
	}
	return &(*list)[i]
}

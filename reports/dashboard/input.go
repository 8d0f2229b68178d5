package dashboard

import (
	"cmp"
	"slices"
	"time"

	"jobgait/analysis/history"
	"jobgait/reports"
	"jobgait/reports/change"
)

// Input is what a page shows.
type Input struct {
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
	Limits  Limits
}

// Limits bound the page.
type Limits struct {
	Bytes  int // of the whole page
	Events int // in the first list; the same again behind a fold
	Pairs  int
}

// DefaultLimits keep the page below 500,000 bytes.
func DefaultLimits() Limits { return Limits{Bytes: 490_000, Events: 25, Pairs: 24} }

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
	Name   string
	at     int // place in the report
	weight int // place among those that want to be seen
	change.Judged
}

// apps groups histories by application, shape and metric, those that changed
// first. A history without an application stands under its own name.
func apps(r change.Report) []app {
	series := r.Series
	weight := slices.Repeat([]int{len(series)}, len(series)) // of further metrics
	order, _ := r.ByWeight()
	for k, at := range order {
		weight[at] = k
	}
	several := severalUsers(series)
	var out []app
	at := map[string]int{}
	for i, s := range series {
		name := appName(s)
		if several && s.User != "" {
			name = reports.Clean(s.User) + " / " + name
		}
		k, ok := at[name]
		if !ok {
			k, at[name] = len(out), len(out)
			out = append(out, app{Name: name})
		}
		a := &out[k]
		h := place(&a.Shapes, func(h shape) bool { return h.Name == s.Shape }, shape{Name: reports.Clean(s.Shape)})
		h.Metrics = append(h.Metrics, metric{metricName(s), i, weight[i], s})
	}
	for _, a := range out {
		for _, h := range a.Shapes {
			slices.SortStableFunc(h.Metrics, func(a, b metric) int { return byRank(a.rank(), b.rank()) })
		}
		slices.SortStableFunc(a.Shapes, func(a, b shape) int { return byRank(a.rank(), b.rank()) })
	}
	slices.SortStableFunc(out, func(a, b app) int { return byRank(a.rank(), b.rank()) })
	return out
}

// severalUsers is whether an application has to be named with its user.
func severalUsers(series []change.Judged) bool {
	return slices.ContainsFunc(series, func(s change.Judged) bool { return s.User != series[0].User })
}

func appName(s change.Judged) string {
	if s.App != "" {
		return reports.Clean(s.App)
	}
	return s.Title()
}

func metricName(s change.Judged) string { return reports.Clean(cmp.Or(s.Metric, "time")) }

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

// choices is how many histories can be picked.
func choices(groups []app) int {
	n := 0
	for _, a := range groups {
		for _, h := range a.Shapes {
			n += len(h.Metrics)
		}
	}
	return n
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

// rank says how much something wants to be seen: what changed before what did
// not, and of those what is slower now and by most.
type rank struct{ status, weight int }

func byRank(a, b rank) int {
	if c := cmp.Compare(b.status, a.status); c != 0 {
		return c
	}
	return cmp.Compare(a.weight, b.weight)
}

func (m metric) rank() rank {
	r := rank{weight: m.weight}
	switch m.Status {
	case change.Changed:
		r.status = 2
	case change.Watch:
		r.status = 1
	}
	return r
}

func (h shape) rank() rank { return best(h.Metrics, metric.rank) }
func (a app) rank() rank   { return best(a.Shapes, shape.rank) }

func best[T any](list []T, of func(T) rank) rank {
	r := rank{status: -1}
	for _, e := range list {
		if k := of(e); r.status < 0 || byRank(k, r) < 0 {
			r = k
		}
	}
	return r
}

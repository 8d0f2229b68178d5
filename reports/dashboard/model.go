package dashboard

import (
	"slices"
	"time"

	"jobgait/analysis/history"
	"jobgait/reports/change"
	"jobgait/reports/text"
)

// Contents is the input of a page.
type Contents struct {
	// Title names the source of the histories: a user, a site, a file.
	Title string
	// Of says which subset of the histories the page shows, "" for all.
	Of string
	// Report holds the judged histories.
	Report change.Report
	// NoFurther reports that further metrics of the same runs were not judged.
	NoFurther bool
	// Pairs are comparisons of two histories.
	Pairs []change.Pair
	// Runs are the newest runs; nil for histories of files.
	Runs *RunList
	// ShowUsers names the user of each listed run.
	ShowUsers bool
	// Link returns the URL of a report's page from its path, "" if the page cannot be read; nil if no run has a page.
	Link func(path string) string
	// Site is the recent data of the whole site, nil for a page of less than a site.
	Site *history.Site
	// Days is the number of days that the first list covers.
	Days    float64
	Options change.Options
	Version string
	Created time.Time
	Limits  PageLimits
}

// PageLimits are the size limits of the page.
type PageLimits struct {
	Bytes  int // of the whole page
	Events int // in the first list; the same again behind a fold
	Pairs  int
}

// DefaultPageLimits returns limits that keep the page below 500,000 bytes.
func DefaultPageLimits() PageLimits { return PageLimits{Bytes: 490_000, Events: 25, Pairs: 24} }

// app is one application with its shapes; an application of several users is one app per user.
type app struct {
	Name   string
	Shapes []shape
}

// shape is one shape of an application, with its metrics.
type shape struct {
	Name    string
	Metrics []metric
}

// metric is one metric of a shape: a judged history.
type metric struct {
	Name string
	at   int // place in the report
	change.JudgedHistory
}

// apps groups the n most important histories by application, shape and metric, in order of importance. A
// history without an application is listed under its own name.
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
		a := findOrAdd(&out, func(a app) bool { return a.Name == name }, app{Name: name})
		h := findOrAdd(&a.Shapes, func(h shape) bool {
			return h.Name == text.Clean(s.Shape)
		}, shape{Name: text.Clean(s.Shape)})
		h.Metrics = append(h.Metrics, metric{metricName(s), i, s})
	}
	return out
}

// severalUsers reports whether the histories belong to more than one user, so that applications are named with
// their user.
func severalUsers(series []change.JudgedHistory) bool {
	return slices.ContainsFunc(series, func(s change.JudgedHistory) bool { return s.User != series[0].User })
}

// separateByName adds the name to the metric of histories that differ only by their names, such as series of
// one file.
func separateByName(series []change.JudgedHistory) []change.JudgedHistory {
	type key struct{ user, app, shape, metric string }
	of := func(s change.JudgedHistory) key { return key{s.User, appName(s), s.Shape, s.Metric} }
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

// findOrAdd returns the element that is selects; it adds fresh if none exists.
func findOrAdd[T any](list *[]T, is func(T) bool, fresh T) *T {
	i := slices.IndexFunc(*list, is)
	if i < 0 {
		i = len(*list)
		*list = append(*list, fresh)
	}
	return &(*list)[i]
}

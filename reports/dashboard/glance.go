package dashboard

import (
	"fmt"
	"html/template"

	"jobgait/analysis/changepoint"
	"jobgait/reports/change"
	"jobgait/reports/html"
	"jobgait/reports/text"
)

// card is one history in the overview.
type card struct {
	For, Class string // the id of its application's button; its CSS class
	Name, Text string
	Picture    template.HTML
}

// glanceCards returns the small pictures of the most important histories, and a sentence on those left out. A
// lone history has none, because its large picture is just below.
func glanceCards(in Contents, groups []app) (cards []card, left string) {
	series := in.Report.Series
	order, worse, leading := in.Report.ByWeight()
	order = order[:leading]
	if len(order) < 2 {
		return nil, ""
	}
	buttons := map[int]string{}
	for i, a := range groups {
		for _, h := range a.Shapes {
			for _, m := range h.Metrics {
				buttons[m.at] = fmt.Sprintf("a%d", i)
			}
		}
	}
	several, metrics := severalUsers(series), severalMetrics(series)
	brief := map[int]string{}
	for _, a := range groups {
		names := a.shapeNames()
		for j, h := range a.Shapes {
			for _, m := range h.Metrics {
				brief[m.at] = names[j]
			}
		}
	}
	for k, at := range order[:min(len(order), maxCards)] {
		s := series[at]
		c := card{For: buttons[at], Class: string(s.Status), Name: change.Label(appName(s), brief[at]),
			Text: html.Nice(s.BriefText(in.Options)), Picture: template.HTML(change.Thumbnail(s))}
		if metrics && s.Metric != "" {
			c.Name = change.Label(c.Name, metricName(s))
		}
		if several && s.User != "" {
			c.Name = text.Clean(s.User) + " / " + c.Name
		}
		if k < worse {
			c.Class = "worse"
		}
		cards = append(cards, c)
	}
	if more := len(order) - len(cards); more > 0 {
		left = fmt.Sprintf("and %d more", more)
	}
	return cards, left
}

// severalMetrics reports whether the leading histories have more than one metric.
func severalMetrics(series []change.JudgedHistory) bool {
	first := ""
	for _, s := range series {
		switch {
		case s.Support:
		case first == "":
			first = s.Metric
		case s.Metric != first:
			return true
		}
	}
	return false
}

// shaded reports whether a picture may show a shift of the machine.
func shaded(list []changepoint.MachineEvent, series []change.JudgedHistory) bool {
	for _, s := range series {
		if s.Calendar && len(list) > 0 {
			return true
		}
	}
	return false
}

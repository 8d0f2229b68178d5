package dashboard

import (
	"fmt"
	"html/template"

	"jobgait/analysis/changepoint"
	"jobgait/reports/change"
	"jobgait/reports/html"
	"jobgait/reports/text"
)

// card is one history of those that are seen at a glance.
type card struct {
	For, Class string // the button of its application; how it stands out
	Name, Text string
	Picture    template.HTML
}

// glance is the small pictures of the histories that want to be seen most. A
// lone history has its large picture just below.
func glance(in Contents, groups []app) (cards []card, left string) {
	series := in.Report.Series
	places, worse, leading := in.Report.ByWeight()
	places = places[:leading]
	if len(places) < 2 {
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
	for k, at := range places[:min(len(places), mostCards)] {
		s := series[at]
		c := card{For: buttons[at], Class: string(s.Status), Name: change.Label(appName(s), change.ShapeName(s.Shape)),
			Text: html.Nice(s.Shortly(in.Options)), Picture: template.HTML(change.Small(s))}
		if metrics {
			c.Name = label(s)
		}
		if several && s.User != "" {
			c.Name = text.Clean(s.User) + " / " + c.Name
		}
		if k < worse {
			c.Class = "worse"
		}
		cards = append(cards, c)
	}
	if more := len(places) - len(cards); more > 0 {
		left = fmt.Sprintf("and %d more", more)
	}
	return cards, left
}

// severalMetrics is whether histories that lead are not all of one metric.
func severalMetrics(series []change.Judged) bool {
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

// shaded says whether a picture may show a shift of the machine.
func shaded(list []changepoint.MachineEvent, series []change.Judged) bool {
	for _, s := range series {
		if s.Calendar && len(list) > 0 {
			return true
		}
	}
	return false
}

package dashboard

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/quantity"
	"jobgait/reports/change"
	"jobgait/reports/html"
	"jobgait/reports/text"
)

// view is the data of the page's template.
type view struct {
	Head                 html.Head
	Title, Over, Version string
	Counts               []count
	Days                 string
	Glance               []card
	GlanceLeft           string
	Shaded               bool // whether pictures show shifts of the machine
	Choice               bool // whether there is more than one history
	Recent, Earlier      []item
	MoreEarlier          string
	Once                 []item // slow last runs, where there are many
	OnceCount            int
	Machine              []item
	MachineCount         int
	Chance               string
	Tabs                 tabs
	Pairs                tabs
	Runs                 []runTable
	Left                 string // what was left out
	Site                 *siteView
}

// count is one of the numbers at the top.
type count struct{ Name, Value, Remark string }

// item is one entry of a list of events.
type item struct {
	Class, Mark, Label string // Mark and Label repeat what the colour says
	Who, Text          string
	day                float64
}

// tabs are alternatives of which one is visible. Name is the name of their radio buttons.
type tabs struct {
	Name string
	List []tab
}

// tab is one alternative, with inner tabs or a panel.
type tab struct {
	ID, Label, Class string
	Inner            *tabs
	Panel            *panel
	Pair             *pairPanel
}

// panel is one history.
type panel struct {
	Title, Status string
	What, Text    string // the last event; the current level
	Class         string
	Timeline      template.HTML
	Levels        []levelRow
	MoreLevels    string
	Lines         []string // slow nodes and what to watch
	Notes         []string
	Runs          []panelRun // the newest
	Curves        []html.Figure
}

type levelRow struct{ Since, Runs, Level, Change string }

// pairPanel is the panel of one comparison.
type pairPanel struct {
	Of, Text, Remark string
	Facts            []string
	Histogram        template.HTML
	Timeline         template.HTML
	Notes            []string
}

// newView returns the data of the page at a level of detail.
func newView(in Contents, d detail) view {
	in.Report.Series = separateByName(in.Report.Series)
	title := text.Clean(in.Title)
	v := view{Head: html.NewHead(title+" - jobgait", "jobgait "+in.Version, style(in), ""), Title: title,
		Version: in.Version,
		Over:    "jobgait dashboard", Days: "Changes"}
	if in.Days > 0 {
		v.Days = "The " + change.LastDays(in.Days)
	}
	if !in.Created.IsZero() {
		v.Over += ", " + in.Created.UTC().Format("2006-01-02 15:04") + " UTC"
	}
	series := in.Report.Series
	v.Counts = counts(in)
	v.events(in)
	v.Chance = strings.TrimSpace(in.Report.ByChance() + " " + in.Report.OwnRate())
	n := len(series)
	if d.histories != noLimit {
		n = min(n, d.histories)
	}
	groups := apps(in.Report, n)
	v.Tabs = appTabs(in, groups, d)
	v.Glance, v.GlanceLeft = glanceCards(in, groups)
	v.Shaded = shaded(in.Report.Machine, series)
	v.Choice = n > 1
	v.Pairs = pairTabs(in, d)
	v.Site = newSiteView(in)
	v.Runs = runTables(in)
	v.Left = strings.TrimSpace(in.Of + " " + d.omissionText(in))
	return v
}

// counts returns the numbers at the top.
func counts(in Contents) []count {
	runs, total, n := 0, 0, map[change.Status]int{}
	for _, s := range in.Report.Series {
		if !s.Support {
			runs, total = runs+s.Result.N, total+1
			n[s.Status]++
		}
	}
	how := "by " + quantity.Chosen(in.Options.MinEffectPct) + " or more"
	if _, worse, _ := in.Report.ByWeight(); n[change.Changed] > 0 {
		how += fmt.Sprintf("; %d slower now", worse)
	}
	out := []count{
		{"changed speed", fmt.Sprint(n[change.Changed]), how},
		{"may be changing", fmt.Sprint(n[change.Watch]), "seen, not confirmed"},
		{"without a change", fmt.Sprint(n[change.Pass]), unchangedRemark(n[change.Unknown])},
		{"histories", fmt.Sprint(total), quantity.Plural(runs, "run")},
	}
	if in.Runs != nil {
		out = append(out, count{"failed runs", quantity.Count(in.Runs.TotalFailed),
			"of " + quantity.Count(in.Runs.Total) + " in the " + daysText(in.Days)})
	}
	return out
}

// events fills the lists of events of the last days and of earlier events, of what may be changing, and of
// shifts of the machine.
func (v *view) events(in Contents) {
	var items []item
	several := severalUsers(in.Report.Series)
	for _, s := range in.Report.Series {
		if !s.Support {
			items = append(items, eventItems(s, several)...)
		}
	}
	watched := v.watched(in, several)
	v.machine(in)
	slices.SortStableFunc(items, func(a, b item) int {
		return cmp.Compare(b.day, a.day)
	})
	for _, e := range items {
		if in.Days <= 0 || e.day >= math.Floor(in.Options.Now)-in.Days {
			v.Recent = append(v.Recent, e)
		} else {
			v.Earlier = append(v.Earlier, e)
		}
	}
	limit := in.Limits.Events
	if extra := len(v.Recent) - limit; extra > 0 {
		v.Earlier = append(slices.Clone(v.Recent[limit:]), v.Earlier...)
		v.Recent = v.Recent[:limit]
	}
	v.Recent = append(v.Recent, watched...)
	if extra := len(v.Earlier) - 4*limit; extra > 0 {
		v.Earlier, v.MoreEarlier = v.Earlier[:4*limit], fmt.Sprintf("and %d more", extra)
	}
}

// watched returns the entries on what may be changing, most urgent first. They follow the changes. Of a site's
// many histories some have a slow last run on any day; these go into a collapsed section.
func (v *view) watched(in Contents, severalUsers bool) (list []item) {
	const few = 5
	order, _, leading := in.Report.ByWeight()
	for _, at := range order[:leading] {
		s := in.Report.Series[at]
		if s.Watch == "" || in.Days > 0 && s.T[len(s.T)-1] < math.Floor(in.Options.Now)-in.Days {
			continue
		}
		it := item{Class: "info", Mark: "?", Label: "may be changing", Who: ownerAndLabel(s, severalUsers), Text: s.Watch}
		if s.OnlyLastRun() {
			v.Once = append(v.Once, it)
		} else if len(list) < in.Limits.Events {
			list = append(list, it)
		}
	}
	if v.OnceCount = len(v.Once); v.OnceCount <= few {
		list, v.Once = append(list, v.Once...), nil
	}
	v.Once = v.Once[:min(len(v.Once), in.Limits.Events)]
	return list
}

// machine lists the newest shifts of the machine, newest first, up to the limit of events, and counts all.
func (v *view) machine(in Contents) {
	const daySeconds = 86400
	for _, m := range slices.Backward(in.Report.Machine) {
		day := m.Start / daySeconds
		if len(v.Machine) < in.Limits.Events {
			v.Machine = append(v.Machine, item{Class: "info", Mark: "m", Label: "machine", Text: change.MachineSentence(m),
				day: day})
		}
	}
	v.MachineCount = len(in.Report.Machine)
}

// eventItems returns the events of a history. Only a single slowdown that is neither small nor acknowledged is
// a warning.
func eventItems(s change.JudgedHistory, severalUsers bool) []item {
	var out []item
	for _, e := range s.Events {
		it := item{Class: "info", Mark: "i", Label: "information", Who: ownerAndLabel(s, severalUsers), Text: e.Text,
			day: e.Last().T}
		switch {
		case e.Known:
			it.Mark, it.Label, it.Text = "=", "acknowledged", it.Text+" Acknowledged."
		case !e.Small && e.First().EffectPct > 0 && len(e.Changes) == 1:
			it.Class, it.Mark, it.Label = "warning", "!", "warning"
		}
		out = append(out, it)
	}
	return out
}

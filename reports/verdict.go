package reports

import (
	"fmt"
	"slices"
	"strings"

	"jobgait/analysis/note"
	"jobgait/analysis/phase"
	"jobgait/analysis/quantity"
	"jobgait/analysis/summary"
)

// Verdict is one statement at the head of the report.
type Verdict struct {
	Level string `json:"level"` // "info" or "warning"
	Text  string `json:"text"`
	// Action is what to change or to type, "" where nothing is known.
	Action string `json:"-"`
}

const (
	info    = "info"
	warning = "warning"
)

// mostVerdicts stand at the head of a report.
const mostVerdicts = 5

// newVerdicts says what matters most, at most as many statements as the limit:
// the rhythm first, then what other runs say of this one, then what went wrong,
// then where the rest of the time went.
func newVerdicts(r Report) []Verdict {
	all := append(rhythmVerdicts(r), r.across.verdicts()...)
	all = append(all, endVerdict(r)...)
	all = append(all, driftVerdict(r)...)
	all = append(all, nodeVerdicts(r.Nodes)...)
	all = append(all, dataVerdicts(r)...)
	all = append(all, useVerdict(r)...)
	all = append(all, restVerdict(r.Rhythm)...)
	return all[:min(len(all), mostVerdicts)]
}

// rhythmVerdicts names the period, or says why there is none.
func rhythmVerdicts(r Report) []Verdict {
	if !r.Rhythm.Periodic {
		level := info
		if !r.Quality.sampled() {
			level = warning
		}
		return []Verdict{{Level: level, Text: "No period found: " + r.Rhythm.whyText() + "."}}
	}
	p := r.Rhythm.Patterns[0]
	text := p.claim() + "."
	if n := len(r.Rhythm.Patterns); n > 1 {
		q := r.Rhythm.Patterns[1]
		text = fmt.Sprintf("%s (%s), or %s (%s: %s times, %s).", p.claim(), p.ID,
			quantity.Period(q.Period.value()), q.ID, quantity.Count(q.Instances), quantity.Share(q.Coverage))
	}
	return []Verdict{{Level: info, Text: text}}
}

// endVerdict warns of an end that is known not to be in order.
func endVerdict(r Report) []Verdict {
	s := summary.Summary{State: string(r.Job.State)}
	if j := r.Job; j.ExitCode != nil && j.ExitSignal != nil {
		s.Exit = &summary.Exit{Code: *j.ExitCode, Signal: *j.ExitSignal}
	}
	if !failed(s) {
		return nil
	}
	return []Verdict{{Level: warning, Text: "The run did not end in order: " + r.ended() + "."}}
}

func nodeVerdicts(n Nodes) []Verdict {
	var out []Verdict
	if len(n.Missing) > 0 {
		verb := "are"
		if len(n.Missing) == 1 {
			verb = "is"
		}
		out = append(out, Verdict{Level: warning, Text: fmt.Sprintf("%d of %s %s not in this report: %s.",
			len(n.Missing), quantity.Plural(n.Total, "node"), verb, some(n.Missing, 4))})
	}
	switch odd := n.odd(); {
	case len(odd) == 1:
		out = append(out, Verdict{Level: warning, Text: fmt.Sprintf("Node %s differs from the others: %s.",
			Cut(odd[0].Name, 40), strings.Join(odd[0].Odd, "; "))})
	case len(odd) > 1:
		names := make([]string, len(odd))
		for i, m := range odd {
			names[i] = m.Name
		}
		out = append(out, Verdict{Level: warning, Text: fmt.Sprintf("%d nodes differ from the others: %s.", len(odd), some(names, 4))})
	}
	return out
}

// dataVerdicts warns of samples that do not cover the run.
func dataVerdicts(r Report) []Verdict {
	texts := [...]struct {
		code note.Code
		text string
	}{
		{note.AgentDied, "Sampling stopped before the end of the run; the rest is not in this report."},
		{note.ProfileBad, "Part of the samples could not be read."},
		{note.SpoolFull, "The spool was full: part of the samples was not written."},
		{note.AgentLate, "Sampling began after the job did; its start is not in this report."},
	}
	for _, t := range texts {
		for _, n := range r.Notes {
			if n.Code == t.code {
				return []Verdict{{Level: warning, Text: t.text}}
			}
		}
	}
	head, _ := r.missing()
	return head
}

// fewBusy is the share of its CPUs below which a job is told how few it kept busy:
// one process on two CPUs, which is half, is what its user meant.
const fewBusy = 0.45

// useVerdict says so where the job kept few of its CPUs busy.
func useVerdict(r Report) []Verdict {
	busy, n := r.Nodes.BusyCPUs, r.Job.NCPUs
	idle := slices.ContainsFunc(r.Rhythm.Why, func(n Note) bool { return n.Code == note.Idle })
	if busy == nil || n == nil || *n < 1 || r.Job.NNodes < 1 || idle {
		return nil
	}
	given := float64(*n) / float64(r.Job.NNodes)
	if *busy >= fewBusy*given {
		return nil
	}
	where := "On average"
	if r.Job.NNodes > 1 {
		where = "On each node"
	}
	return []Verdict{{Level: info, Text: fmt.Sprintf("%s %s of %s were busy.", where, quantity.Figures(*busy, 2), quantity.Plural(int(given), "CPU"))}}
}

// restVerdict says where the time outside the loops went, from 1 % of the run.
func restVerdict(r Rhythm) []Verdict {
	if !r.Periodic {
		return nil
	}
	var parts []string
	all := 0.0
	for _, k := range []phase.Kind{phase.StartUp, phase.Checkpoint, phase.Gap, phase.Tail} {
		s, n, share := 0.0, 0, 0.0
		for _, t := range r.Totals {
			if t.Kind == k {
				s, n, share = s+t.S, n+t.Count, share+t.Share
			}
		}
		name := string(k)
		if n > 1 {
			name = quantity.Plural(n, name)
		}
		if share >= 0.01 {
			parts = append(parts, name+" "+quantity.Duration(s))
			all += share
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return []Verdict{{Level: info, Text: "Outside the cycles: " + strings.Join(parts, ", ") + " (" + quantity.Share(all) + ")."}}
}

// some names the first few of a list, each cut to 40 columns, and counts the rest.
func some(all []string, n int) string {
	names := make([]string, len(all))
	for i, name := range all {
		names[i] = Cut(name, 40)
	}
	if len(names) <= n {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:n], ", "), len(names)-n)
}

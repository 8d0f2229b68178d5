package reports

import (
	"fmt"
	"math"
	"strings"
)

const (
	// matters is the change in percent from which the head of the report
	// speaks of it, warns that from which it warns.
	matters, warns = 2.0, 5.0
	// slowShare is the share of the run that slow iterations have to cost for
	// the same.
	slowShare = 0.02
)

// leastSlow is the share of the run that slow iterations have to cost to be
// mentioned at all: a few always stand out a little.
const leastSlow = 0.002

// says is whether there is anything to print of a drift in a run of elapsedS.
func (d *Drift) says(elapsedS float64) bool {
	if d == nil {
		return false
	}
	for _, s := range d.Steps {
		if math.Abs(s.EffectPct) >= matters {
			return true
		}
	}
	return math.Abs(d.ChangePct) >= matters || d.SlowCount > 0 && d.SlowS >= leastSlow*elapsedS
}

// driftVerdict speaks of iterations that slowed down, if that matters.
func driftVerdict(r Report) []Verdict {
	if !r.Rhythm.Periodic || r.Rhythm.Patterns[0].Drift == nil {
		return nil
	}
	d := *r.Rhythm.Patterns[0].Drift
	at := func(s float64) string { return position(s, r.Job.ElapsedS) }
	level := info
	if d.ChangePct >= warns {
		level = warning
	}
	switch n := len(d.Steps); {
	case d.excursion() && d.Steps[0].EffectPct >= matters:
		return []Verdict{{info, fmt.Sprintf("Iterations were %s %% slower from %s to %s.",
			plain(d.Steps[0].EffectPct), at(d.Steps[0].TS), at(d.Steps[1].TS))}}
	case n == 1 && d.ChangePct >= matters:
		return []Verdict{{level, fmt.Sprintf("Iterations slowed down by %s %% from %s on.", plain(d.ChangePct), at(d.Steps[0].TS))}}
	case n > 1 && d.ChangePct >= matters:
		return []Verdict{{level, fmt.Sprintf("Iterations slowed down by %s %% in %d steps, from %s on.", plain(d.ChangePct), n, at(d.Steps[0].TS))}}
	case n == 0 && d.ChangePct >= matters:
		return []Verdict{{level, fmt.Sprintf("Iterations slowed down steadily, by %s %% over the run.", plain(d.ChangePct))}}
	}
	if d.SlowCount > 0 && d.SlowS >= slowShare*r.Job.ElapsedS {
		return []Verdict{{info, fmt.Sprintf("%s took much longer than their neighbours: %s in all, %s of the run.",
			plural(d.SlowCount, "iteration"), duration(d.SlowS), percent(d.SlowS/r.Job.ElapsedS))}}
	}
	return nil
}

// excursion is whether the length changed and came back.
func (d Drift) excursion() bool {
	return len(d.Steps) == 2 && d.Steps[0].EffectPct*d.Steps[1].EffectPct < 0 && math.Abs(d.ChangePct) < math.Abs(d.Steps[0].EffectPct)/4
}

// driftTexts are the sentences of the section on the main pattern's iterations.
func (r Report) driftTexts() []string {
	q := r.Rhythm.Patterns[0]
	d := q.Drift
	var out []string
	if len(d.Like) > 0 {
		out = append(out, fmt.Sprintf("%s and %s look alike and are judged together.", q.ID, strings.Join(d.Like, ", ")))
	}
	for i, s := range d.Steps {
		if i == maxSteps {
			out = append(out, fmt.Sprintf("And %s more, in the JSON form of this report.", plural(len(d.Steps)-i, "change")))
			break
		}
		word := "grew"
		if s.EffectPct < 0 {
			word = "shrank"
		}
		out = append(out, fmt.Sprintf("At %s the iteration %s by %s %%, from %s to %s.", position(s.TS, r.Job.ElapsedS), word,
			plain(math.Abs(s.EffectPct)), duration(s.BeforeS), duration(s.AfterS)))
	}
	if len(d.Steps) == 0 && math.Abs(d.ChangePct) >= matters {
		out = append(out, fmt.Sprintf("The length of iterations changed steadily, by %+.1f %% over the run: %+.3g %% an hour (95 %% interval %+.3g .. %+.3g).",
			d.ChangePct, d.Slope, d.Lo, d.Hi))
	}
	if math.Abs(d.ChangePct) >= matters && d.CostS >= 1 {
		out = append(out, fmt.Sprintf("Against those at the beginning, iterations took %s more in this run.", duration(d.CostS)))
	}
	if d.SlowCount > 0 {
		verb := "stand"
		if d.SlowCount == 1 {
			verb = "stands"
		}
		out = append(out, fmt.Sprintf("%s %s out from the neighbours, %s longer in all.", plural(d.SlowCount, "iteration"), verb, duration(d.SlowS)))
	}
	return out
}

// maxSteps bounds the steps that are printed.
const maxSteps = 4

// slowest lists the iterations that stand out most in a sentence.
func (d Drift) slowest(r Report) []string {
	var parts []string
	for _, s := range d.Slow {
		parts = append(parts, duration(s.LengthS)+" at "+position(s.StartS, r.Job.ElapsedS))
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{"The slowest: " + strings.Join(parts, ", ") + "."}
}

// slowRows lists the iterations that stand out most.
func (r Report) slowRows() []row {
	d := r.Rhythm.Patterns[0].Drift
	if d == nil || len(d.Slow) == 0 {
		return nil
	}
	rows := []row{{left("slow iteration at"), right("took"), right("longer by")}}
	for _, s := range d.Slow {
		rows = append(rows, row{left(position(s.StartS, r.Job.ElapsedS)), right(duration(s.LengthS)), right(duration(s.ExcessS))})
	}
	return rows
}

// driftRemark says of how many iterations the section speaks.
func (r Report) driftRemark() string {
	q := r.Rhythm.Patterns[0]
	text := fmt.Sprintf("%s of %s", plural(q.Drift.Iterations, "iteration"), strings.Join(append([]string{q.ID}, q.Drift.Like...), " and "))
	if !q.Drift.says(r.Job.ElapsedS) {
		text += ", no change of their length worth mention"
	}
	return text
}

// drift returns the main pattern's, nil without one.
func (r Rhythm) drift() *Drift {
	if !r.Periodic {
		return nil
	}
	return r.Patterns[0].Drift
}

// textDrift is the section on iterations over the run: only where they changed.
func (r Report) textDrift(p *page) {
	d := r.Rhythm.drift()
	if !d.says(r.Job.ElapsedS) {
		return
	}
	p.section("ITERATIONS OVER THE RUN", r.driftRemark())
	end := r.Rhythm.Timeline.end(r.Job.ElapsedS)
	v := d.over(end, strip)
	if lo, hi, ok := historyRange(v); ok {
		p.line("  " + padRight("length", gutter-2) + spark(v, lo, hi, r.ascii))
		p.line(spaces(gutter) + axis(end))
		p.line(spaces(gutter) + fmt.Sprintf("%s .. %s", duration(lo), duration(hi)))
	}
	for _, s := range append(r.driftTexts(), d.slowest(r)...) {
		p.text("  ", s)
	}
}

package finding

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"jobgait/analysis/quantity"
)

// Level is the severity of a finding.
type Level string

const (
	Error   Level = "error"   // the run did not do what it was meant to
	Warning Level = "warning" // something took or may take resources or results away
	Info    Level = "info"    // there is something to save
)

// Finding is one statement on a run.
type Finding struct {
	Code  string `json:"code"`
	Level Level  `json:"level"`
	Text  string `json:"text"`
	// Action is the directive or command to type; nil unless the evidence supports
	// exactly that change.
	Action *string `json:"action"`
	// CostCoreS is what it cost in core seconds, nil where that is not known.
	CostCoreS *float64 `json:"cost_core_s"`
	// Next is what a user can do about it: the action, else the advice of its rule; "" without either.
	Next string `json:"-"`
	// PartOf is the code of the finding whose text includes this one, "" for most findings.
	PartOf string `json:"-"`
	// Evidence holds the numbers and words on which it is based, by name.
	Evidence map[string]any `json:"evidence"`
	// comparison is what the finding reports, nil unless that is a comparison with earlier runs.
	comparison *Comparison
}

const (
	// maxHead is the most findings at the head of a report.
	maxHead = 3
	// An info has to cost a tenth of the run, and a core hour of a batch job: less is not
	// worth a user's time. A run without a scheduler is a trial, often of seconds.
	leastShare, leastCoreS, leastTrialCoreS = 0.1, 3600.0, 2.0
)

// Of returns the findings of a run, except those whose code is in silent: first those about its end, errors before
// warnings as in Rules, then the others by cost. Doubts about the samples precede the first finding that rests on
// samples.
func Of(r RunFacts, silent []string) []Finding {
	var ended, rest, doubt []rankedFinding
	for _, rule := range Rules() {
		if slices.Contains(silent, rule.Code) {
			continue
		}
		for _, f := range rule.find(r) {
			f.Code, f.Level, f.Next = rule.Code, rule.Level, rule.nextStep(r, f)
			t := rankedFinding{f, rule.rests}
			switch {
			case !f.isReportable(r):
			case rule.rests == onEnd:
				ended = append(ended, t)
			case rule.rests == onNothing:
				doubt = append(doubt, t)
			default:
				rest = append(rest, t)
			}
		}
	}
	r.joinSlowdownAndWait(rest)
	sortByCost(rest)
	first := slices.IndexFunc(rest, func(t rankedFinding) bool { return t.rests == onSamples })
	if first < 0 {
		first = len(rest)
	}
	out := make([]Finding, 0, len(ended)+len(rest)+len(doubt))
	for _, t := range slices.Concat(ended, rest[:first], doubt, rest[first:]) {
		out = append(out, t.Finding)
	}
	return out
}

// Head returns the findings that are printed at the head of a report: the first maxHead whose text is not part of
// another one.
func Head(all []Finding) []Finding {
	out := []Finding{}
	for _, f := range all {
		if len(out) < maxHead && f.PartOf == "" {
			out = append(out, f)
		}
	}
	return out
}

// NextStep returns the one thing to do after a run with these findings: that of the first one in the head for which
// there is something to do; "" without any. If that finding is a warning and no difference from usual runs, and the
// wait for CPUs that other work used cost as much or more, what to do about the wait follows.
func NextStep(all []Finding) string {
	head := Head(all)
	i := slices.IndexFunc(head, func(f Finding) bool { return f.Next != "" })
	if i < 0 {
		return ""
	}
	first := head[i]
	_, compared := first.Evidence["effect_pct"] // usual runs waited as well
	if compared || first.Level != Warning || first.CostCoreS == nil {
		return first.Next
	}
	for _, f := range head[i+1:] {
		if f.Code == "crowded" && f.cost() >= first.cost() {
			return first.Next + " " + f.Next
		}
	}
	return first.Next
}

// contentionDivisor is how many times as much as a finding on the run itself the work of others must have cost to be
// printed before that finding: a user can change the run.
const contentionDivisor = 3

// sortByCost orders findings by what they cost the run, in core seconds. The CPU time that other work took counts a
// contentionDivisor-th. Neither that finding nor idle CPUs come before a difference from usual runs: the usual runs had
// both as well, so that they do not explain it. Sleeping does not come before a longer wait for CPUs: each costs the
// run that time, however many CPUs were idle meanwhile. A warning of growing memory comes first, but for that
// difference.
func sortByCost(list []rankedFinding) {
	k := newRanking(list)
	slices.SortStableFunc(list, func(a, b rankedFinding) int { return cmp.Compare(k.weight(b), k.weight(a)) })
}

// ranking holds what limits the weights by which findings are ordered, in core seconds: the least cost of a difference
// from usual runs, infinite without any; and for how many seconds the run waited for CPUs, 0 unless that is a finding,
// with the weight of that finding.
type ranking struct{ usual, waitedS, waitWeight float64 }

// newRanking returns the ranking of these findings.
func newRanking(list []rankedFinding) ranking {
	k := ranking{usual: math.Inf(1)}
	for _, t := range list {
		if _, compared := t.Evidence["effect_pct"]; compared && t.Level == Warning {
			k.usual = min(k.usual, t.cost())
		}
	}
	for _, t := range list {
		if s, timed := t.Evidence["waited_s"].(float64); timed && t.Code == "crowded" {
			k.waitedS, k.waitWeight = s, k.weight(t)
		}
	}
	return k
}

// weight returns the cost by which a finding is ordered.
func (k ranking) weight(t rankedFinding) float64 {
	below := math.Nextafter(k.usual, 0)
	switch t.Code {
	case "crowded":
		return min(t.cost()/contentionDivisor, below)
	case "memory_growing":
		if t.Level == Warning { // it may end the next run
			return max(t.cost(), min(below, math.MaxFloat64))
		}
	case "cpus_idle":
		if asleepS, _ := t.Evidence["asleep_s"].(float64); asleepS < k.waitedS {
			below = min(below, math.Nextafter(k.waitWeight, 0))
		}
		return min(t.cost(), below)
	}
	return t.cost()
}

// rankedFinding is a finding with the kind of evidence on which it is based, by which findings are ordered.
type rankedFinding struct {
	Finding
	rests evidence
}

// cost returns the cost in core seconds by which findings are ordered; 0 if unknown.
func (f Finding) cost() float64 {
	if f.CostCoreS == nil {
		return 0
	}
	return *f.CostCoreS
}

// InfoRule returns a sentence for manuals on the least cost at which an info is reported, whatever the
// thresholds of Rules.
func InfoRule() string {
	return fmt.Sprintf("An info whose cost in CPU time is known is reported only if it cost %s of the run or more, and "+
		"%s or more in a batch job, %s or more under `jobgait run`.", quantity.Share(leastShare),
		quantity.Plural(int(leastCoreS/3600), "core hour"), quantity.Duration(leastTrialCoreS))
}

// isReportable reports whether a finding has finite evidence and, for an info, costs enough.
func (f Finding) isReportable(r RunFacts) bool {
	for _, v := range f.Evidence {
		if x, ok := v.(float64); ok && (math.IsNaN(x) || math.IsInf(x, 0)) {
			return false
		}
	}
	if f.CostCoreS == nil {
		return true
	}
	if c := *f.CostCoreS; math.IsNaN(c) || math.IsInf(c, 0) {
		return false
	}
	return f.Level != Info || *f.CostCoreS >= r.leastCost() && *f.CostCoreS >= leastShare*r.coreS()
}

// leastCost returns the least cost, in core seconds, of an info that is reported.
func (r RunFacts) leastCost() float64 {
	if r.Batch {
		return leastCoreS
	}
	return leastTrialCoreS
}

package changepoint

import (
	"cmp"
	"math"
	"slices"
)

// Family is the metrics of one application, shape and cluster: one family of
// tests, because they are metrics of the same runs and change together. The
// first result leads (step_s before elapsed time); the others support it.
type Family struct {
	Key     string
	Results []Result
}

// Discovery is a family whose change is listed.
type Discovery struct {
	Family string
	Result int // of the family: the first that has the change
	Change int // of that result
	// Q is the share of entries at least this strong that chance alone would
	// give.
	Q float64
}

// Discover keeps the changes of many families at a false discovery rate of q
// (.05), after Benjamini and Hochberg. It also returns how many of the entries
// listed chance alone would give.
//
// Each family puts up one change: the newest of its leading metric. Its p is
// the chance of at least one event so strong in as many runs without a change.
// A change whose noise is of a kind that was never calibrated has no p and is
// not listed: with many users somebody always has such a one.
func Discover(families []Family, q float64) (list []Discovery, expected float64) {
	type entry struct {
		Discovery
		p float64
	}
	var all []entry
	for _, f := range families {
		if d, p, ok := f.newest(); ok {
			all = append(all, entry{d, p})
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(a.p, b.p) })
	m := float64(len(families))
	// Step-up: the q-value of an entry is the least over it and weaker ones.
	least := 1.0
	for i := len(all) - 1; i >= 0; i-- {
		least = math.Min(least, all[i].p*m/float64(i+1))
		all[i].Q = least
	}
	for _, e := range all {
		if e.Q <= q {
			list = append(list, e.Discovery)
			expected = e.Q * float64(len(list))
		}
	}
	return list, expected
}

// newest is the newest change of the family's leading metric that has one, with
// its p. Another metric speaks only where those before it were not measured.
func (f Family) newest() (d Discovery, p float64, ok bool) {
	for i, r := range f.Results {
		if r.N == 0 {
			continue
		}
		if len(r.Changes) == 0 {
			return d, 0, false
		}
		k := len(r.Changes) - 1
		p, ok = r.Changes[k].Chance(r.N)
		return Discovery{Family: f.Key, Result: i, Change: k}, p, ok
	}
	return d, 0, false
}

// Chance is the chance that n runs without a change give at least one event
// this strong; not ok where the noise was never calibrated. Beyond the rarest
// that was counted it falls by a factor e in four nats. The counted rates fall
// faster, but among a thousand users somebody's noise has a tail: without any
// fall no list of a thousand could hold an entry.
func (c Change) Chance(n int) (p float64, ok bool) {
	if c.FalsePer1000 == nil {
		return 1, false
	}
	rate := *c.FalsePer1000 * math.Exp(-c.Beyond/tailFold)
	return -math.Expm1(-rate * float64(n) / 1000), true
}

// tailFold is that number of nats.
const tailFold = 4

// beyond is by how many nats a margin exceeds the one of the floor.
func (r Rate) beyond(margin float64) float64 {
	if !(r.Floor > 0) || !(r.PerThousand > r.Floor) {
		return 0
	}
	return math.Max(0, margin-r.Fold*math.Log(r.PerThousand/r.Floor))
}

// ExpectedByChance is how many of the changes listed chance alone would give:
// in each series the rate of its weakest listed change times its runs.
func ExpectedByChance(results []Result) float64 {
	sum := 0.0
	for _, r := range results {
		sum += expected(r)
	}
	return sum
}

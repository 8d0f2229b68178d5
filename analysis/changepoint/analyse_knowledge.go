package changepoint

import "slices"

// knowledge is what is known beside a history, as its runs arrive: what the
// machine did, which nodes are slow, where the user's other series changed. It
// is never ahead of the newest run, so that the changes of a history cut short
// are those of the whole.
type knowledge struct {
	x       []float64 // the logarithms with what is known taken out
	machine func(newest int)
	nodes   *nodeWatch
	week    *weekly
	others  *prior
}

// newKnowledge prepares a history for its scan; given are votes of other series.
func newKnowledge(r *ready, given []vote, p Params) *knowledge {
	clean := slices.Clone(r.x)
	if r.machine != nil {
		for i, s := range r.machine.shift {
			clean[i] -= s
		}
	}
	k := &knowledge{x: clean, machine: r.machine.watch(r.x, clean),
		nodes: newNodeWatch(r, clean, p), others: newPrior(r, given, defaultJoint())}
	if k.nodes != nil {
		k.x = k.nodes.x
	}
	if k.week = newWeekly(k.x, r.day, r.startDays()); k.week != nil {
		k.x = k.week.x
	}
	return k
}

// history is what the scan reads.
func (k *knowledge) history(r *ready, f *fields, p Params) history {
	h := history{x: k.x, day: r.day, flips: f.evidence(len(r.x), p)}
	if k.others != nil {
		h.prior = k.others.nats
	}
	if k.machine != nil || k.nodes != nil || k.week != nil || k.others != nil {
		h.learn = k.learn
	}
	return h
}

// adjusted is the logarithms once all runs have arrived. What was believed of
// nodes is gone over at the end, the week with it.
func (k *knowledge) adjusted() []float64 {
	if k.nodes != nil {
		return k.nodes.x
	}
	return k.x
}

// learn takes note that run newest has arrived.
func (k *knowledge) learn(newest int, committed []event) {
	if k.machine != nil {
		k.machine(newest)
	}
	if k.nodes != nil {
		k.nodes.learn(newest, committed)
	}
	if k.week != nil {
		k.week.learn(newest, committed)
	}
	if k.others != nil {
		k.others.learn(newest)
	}
}

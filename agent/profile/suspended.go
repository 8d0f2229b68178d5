package profile

import "jobgait/analysis/summary"

// Kinds of epochs between which the job was suspended. Their times are bounds: of
// the last look at its processes that saw it run, and of the first that saw it run
// again. A reader that does not know them has an epoch without a meaning.
const (
	SuspendedKind = "suspended"
	ResumedKind   = "resumed"
)

// Suspended returns within what bounds the job was suspended, in seconds since the
// run began. A suspension without an end lasted until the last sample.
func (l Loaded) Suspended() []summary.Interval {
	var out []summary.Interval
	at := func(slot int64) float64 {
		return (float64(l.Header.BaseNS-l.Header.RunNS) + float64(slot)*float64(l.Header.StepNS)) / 1e9
	}
	open, last := false, l.endS
	for _, e := range l.Epochs {
		switch s := min(at(e.Slot), l.endS); {
		case e.Kind == SuspendedKind && !open && (len(out) == 0 || s >= last):
			out, open = append(out, summary.Interval{StartS: s, EndS: l.endS}), true
		case e.Kind == ResumedKind && open:
			last = max(s, out[len(out)-1].StartS)
			out[len(out)-1].EndS, open = last, false
		}
	}
	return out
}

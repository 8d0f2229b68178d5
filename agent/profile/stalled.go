package profile

// Kinds of epochs between which no cycle of the job's loop ended while its processes
// did nothing: since SinceS; the text says what they did. A reader that does not know
// them has an epoch without a meaning.
const (
	StalledKind = "stalled"
	MovingKind  = "moving"
)

// Stalled returns since when, in seconds since the run began, no cycle has ended up to
// the last sample, and what the processes did; false if the job was at work.
func (l Loaded) Stalled() (sinceS float64, doing string, ok bool) {
	for _, e := range l.Epochs {
		switch {
		case e.Kind == StalledKind && e.SinceS >= 0 && e.SinceS <= l.endS:
			sinceS, doing, ok = e.SinceS, e.Text, true
		case e.Kind == MovingKind:
			ok = false
		}
	}
	return sinceS, doing, ok
}

package profile

import (
	"errors"
	"fmt"

	"jobgait/analysis/run"
)

// Epoch marks a slot from which on samples mean something else, such as another rate. Columns never change
// within a profile.
type Epoch struct {
	// Slot is the first one that is different, TimeNS its CLOCK_MONOTONIC.
	Slot   int64 `json:"slot"`
	TimeNS int64 `json:"time_ns"`
	// Kind is "scope" (the job's cgroup appeared), "rate" (a rate was lowered to keep within the budget),
	// "hotplug" (a CPU came or went), "size" (the file grew too large), "idle", "suspended", "resumed", "program",
	// "script", "stalled" or "moving".
	Kind string `json:"kind"`
	// Scope and AddressHz hold from here on; "" and null = as before.
	Scope     string   `json:"scope,omitempty"`
	AddressHz *float64 `json:"address_hz,omitempty"`
	// SinceS is since when the statement holds, in seconds since the run began, if that is before the slot.
	SinceS float64 `json:"since_s,omitempty"`
	// NoLoop is true if a job that is stalled was not in a loop before.
	NoLoop bool `json:"no_loop,omitempty"`
	// Text describes what happened.
	Text string `json:"text"`
}

// check returns an error if a reader would reject the epoch.
func (e *Epoch) check() error {
	switch {
	case e.Slot < 0 || e.Slot > maxSlot:
		return fmt.Errorf("invalid slot %d of an epoch: want a slot number from 0", e.Slot)
	case e.Kind == "":
		return errors.New("an epoch of the profile has no kind: every epoch needs one")
	case e.AddressHz != nil && !validHz(*e.AddressHz):
		return fmt.Errorf("invalid code sampling rate %g Hz of an epoch: want 0, or 0.001 Hz to 1 MHz", *e.AddressHz)
	}
	return nil
}

// Kinds of epochs between which the job was suspended. Their times are bounds: the last check of its processes
// that saw it run, and the first that saw it run again. A reader that does not know the kinds ignores them.
const (
	SuspendedKind = "suspended"
	ResumedKind   = "resumed"
)

// Suspensions returns the intervals in which the job was suspended, as bounds, in seconds since the run began.
// A suspension without an end lasted until the last sample.
func (l LoadedProfile) Suspensions() []run.Interval {
	var out []run.Interval
	at := func(slot int64) float64 {
		return (float64(l.Header.BaseNS-l.Header.RunNS) + float64(slot)*float64(l.Header.StepNS)) / 1e9
	}
	open, last := false, l.endS
	for _, e := range l.Epochs {
		switch s := min(at(e.Slot), l.endS); {
		case e.Kind == SuspendedKind && !open && (len(out) == 0 || s >= last):
			out, open = append(out, run.Interval{StartS: s, EndS: l.endS}), true
		case e.Kind == ResumedKind && open:
			last = max(s, out[len(out)-1].StartS)
			out[len(out)-1].EndS, open = last, false
		}
	}
	return out
}

// Kinds of epochs between which the job was stalled: since SinceS its processes did nothing, and what Text says they
// did instead. No cycle of its loop ended, or, with NoLoop, none of its own code ran. A reader that does not know the
// kinds has an epoch without a meaning.
const (
	StalledKind = "stalled"
	MovingKind  = "moving"
)

// StalledSince returns the epoch since which the job was stalled up to the last sample: the last one of StalledKind
// with a valid SinceS. ok is false if one of MovingKind follows it, or without one.
func (l LoadedProfile) StalledSince() (since Epoch, ok bool) {
	for _, e := range l.Epochs {
		switch {
		case e.Kind == StalledKind && e.SinceS >= 0 && e.SinceS <= l.endS:
			since, ok = e, true
		case e.Kind == MovingKind:
			ok = false
		}
	}
	return since, ok
}

// ProgramKind is the kind of an epoch whose text names the program that has used most CPU time so far. The
// footer also names it, but a killed agent writes no footer. A reader that does not know the kind ignores it.
const ProgramKind = "program"

// ScriptKind is the kind of an epoch whose text is the script that the program interprets.
const ScriptKind = "script"

// Program returns the base name of the program that used most CPU time up to the end of the profile, "" if
// unknown.
func (l LoadedProfile) Program() string {
	if l.Footer != nil {
		return l.Footer.Executable
	}
	return l.lastEpochText(ProgramKind)
}

// Script returns the script that the program interprets, "" if it is not an interpreter or the script is
// unknown.
func (l LoadedProfile) Script() string {
	if l.Footer != nil {
		return l.Footer.Script
	}
	return l.lastEpochText(ScriptKind)
}

// lastEpochText returns the text of the last epoch of a kind, "" without one.
func (l LoadedProfile) lastEpochText(kind string) (text string) {
	for _, e := range l.Epochs {
		if e.Kind == kind {
			text = e.Text
		}
	}
	return text
}

package address

import (
	"errors"
	"fmt"
	"math"

	"jobgait/analysis/note"
)

// stormParams are the limits of what processes outside the job may make the agent record.
type stormParams struct {
	// recordsPerS is the number of records per second and CPU from which tracking is paused. At 1 us each, 2,000
	// cost a fifth of a percent of a CPU.
	recordsPerS float64
	// windowNS is the time over which records are counted before they are compared.
	windowNS int64
	// pauseNS is the length of the first pause. It doubles up to maxPauseNS while the storm lasts, and is back at
	// pauseNS after calmNS without one.
	pauseNS, maxPauseNS, calmNS int64
	// forgetNS is how long what is known of processes is kept in a pause: their execs and exits are not seen.
	forgetNS int64
}

// defaultStorm are the limits that agents use.
func defaultStorm() stormParams {
	return stormParams{recordsPerS: 2000, windowNS: 1e9, pauseNS: 10e9, maxPauseNS: 80e9, calmNS: 60e9, forgetNS: 10e9}
}

// foreignRecordLimiter recognizes a flood of records of processes outside the job. While it lasts, tracking is paused:
// the timers go on, so that no sample is lost, and processes are identified by lookups alone, as after lost records.
type foreignRecordLimiter struct {
	stormParams
	// byPID counts the records of each process since the last drain.
	byPID map[int32]int64
	// sinceNS is when the present window began, foreign the records of other processes in it.
	sinceNS, foreign int64
	// pausedNS is when the present pause began, 0 without one; untilNS its end, or the end of the last. nextNS
	// is the length of the next pause, forgottenNS when the table was last cleared in a pause.
	pausedNS, untilNS, nextNS, forgottenNS int64
	// pauses counts the pauses, allNS their length without the present one and maxRate the highest number of records per
	// second.
	pauses  int
	allNS   int64
	maxRate float64
}

// newStorm returns a storm that has not begun.
func newStorm(p stormParams) foreignRecordLimiter {
	return foreignRecordLimiter{stormParams: p, nextNS: p.pauseNS}
}

// paused reports whether tracking is paused.
func (w *foreignRecordLimiter) paused() bool { return w.pausedNS > 0 }

// count counts a record of a process.
func (w *foreignRecordLimiter) count(pid int32) {
	if w.byPID == nil {
		w.byPID = map[int32]int64{}
	}
	w.byPID[pid]++
}

// exceedsLimit adds the records since the last drain for which isOwn is false to those of the window. It returns true
// if the window has ended and their rate is at least recordsPerS for each CPU. It also returns true, at once, if the
// kernel lost records since the last drain (lost) and most of those that arrived belong to processes outside the
// job. Then, and at the end of the window, a new window begins.
func (w *foreignRecordLimiter) exceedsLimit(now int64, cpus int, isOwn func(pid int32, records int64) bool,
	lost bool) bool {
	var all, foreign int64
	for pid, n := range w.byPID {
		if all += n; !isOwn(pid, n) {
			foreign += n
		}
	}
	clear(w.byPID)
	if w.sinceNS == 0 {
		w.sinceNS = now
	}
	w.foreign += foreign
	span := now - w.sinceNS
	flood := lost && 2*foreign > all
	if span < w.windowNS && !flood {
		return false
	}
	rate := float64(w.foreign) / (math.Max(float64(span), float64(w.windowNS)) / 1e9)
	w.sinceNS, w.foreign = now, 0
	if !flood && rate < w.recordsPerS*float64(cpus) {
		return false
	}
	w.maxRate = max(w.maxRate, rate)
	return true
}

// begin begins a pause at the time now. Each pause is twice as long as the one before, up to maxPauseNS; after calmNS
// without a pause it has the length pauseNS again.
func (w *foreignRecordLimiter) begin(now int64) {
	if w.pauses > 0 && now-w.untilNS > w.calmNS {
		w.nextNS = w.pauseNS
	}
	w.pauses++
	w.pausedNS, w.untilNS, w.forgottenNS = now, now+w.nextNS, now
	w.nextNS = min(2*w.nextNS, w.maxPauseNS)
}

// end ends the pause, adds its length to the total and begins a new window without records.
func (w *foreignRecordLimiter) end(now int64) {
	w.allNS += now - w.pausedNS
	w.pausedNS, w.untilNS, w.sinceNS, w.foreign = 0, now, now, 0
	clear(w.byPID)
}

// notes returns a note on the storm if there was one.
func (w *foreignRecordLimiter) notes(now int64) []note.Note {
	if w.pauses == 0 {
		return nil
	}
	all := w.allNS
	if w.paused() {
		all += now - w.pausedNS
	}
	return []note.Note{note.New(note.NeighborStorm, "other processes of the node mapped code up to %.0f times a second: "+
		"such records were left out for %.0f s, in which the job's programs were identified less often", w.maxRate,
		math.Max(1, float64(all)/1e9))}
}

// manyRecords is the number of records in one drain from which it is looked up whether a process belongs to the
// job, although it was not sampled yet.
const manyRecords = 100

// updateStorm ends a pause of tracking whose time is over, or begins one if exceedsLimit returns true. It clears the
// table at both, and every forgetNS within a pause, because execs and exits are not recorded. It does nothing if only
// records of the job can arrive, or while sampling is off. lost is whether the kernel lost records of processes since
// the last drain.
func (s *Sampler) updateStorm(now int64, lost bool) error {
	w := &s.storm
	own := func(pid int32, records int64) bool {
		return s.table.isMember(pid) || s.table.ended[pid] ||
			records >= manyRecords && s.table.entryFor(pid, now).member
	}
	defer clear(s.table.ended)
	switch {
	case s.p.Root != 0 || s.p.Members == nil || s.tracking.limited() || !s.on:
		clear(w.byPID)
		return nil
	case w.paused() && now >= w.untilNS:
		w.end(now)
		s.table.forget()
		var err error
		for _, c := range s.cpus {
			err = errors.Join(err, s.enableTracker(c))
		}
		return err
	case w.paused():
		if now-w.forgottenNS >= w.forgetNS {
			w.forgottenNS = now
			s.table.forget()
		}
		return nil
	case w.exceedsLimit(now, len(s.cpus), own, lost):
		w.begin(now)
		s.table.forget()
		if err := s.disableTrackers(); err != nil {
			return fmt.Errorf("pause the perf records of processes: %w: they go on and may fill the buffers", err)
		}
	}
	return nil
}

package main

import (
	"errors"
	"math"
	"syscall"

	"jobgait/agent/job/scheduler"
	"jobgait/agent/profile"
	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
	"jobgait/analysis/tracker"
)

// seal ends the profile with what was learned while it was written.
func (a *agent) seal(reason string) error {
	if a.writer == nil {
		return nil
	}
	a.atStall.end()
	if a.rhythm != nil {
		a.publish(a.clock.mono(), tracker.Ended)
		a.rhythm.publication.channel.Close()
	}
	program := mainProgram(a.in.programs(), scheduler.OfRun(a.run).Own)
	f := profile.Footer{Reason: reason, Executable: program, Script: a.in.script(program), BuildID: a.in.build(program),
		Notes: a.during}
	f.Programs = a.in.activities(a.header.RunNS)
	if a.in.boards != nil {
		f.GPUs = a.in.boards()
	}
	if a.in.gpuCPU != nil {
		cpu := a.in.gpuCPU()
		f.GPUReaderS, f.GPUReaderStartS = float64(cpu.TotalNS)/1e9, float64(cpu.StartNS)/1e9
	}
	f.Before, f.Uncertain = a.in.before(), a.uncertain()
	if a.full {
		f.Reason = "spool_full"
		f.Notes = append(f.Notes, note.New(note.SpoolFull, "there was no room for more samples: %s", a.noRoom()))
	}
	if a.lost > 0 {
		f.Notes = append(f.Notes, note.New(note.LostSamples, "%s lost", quantity.Plural(int64(a.lost), "record")))
	}
	if a.in.peek != nil && a.in.peek.Lost() {
		f.Notes = append(f.Notes, note.New(note.Unreadable,
			"a process of the job did not let itself be looked at: programs and code that began after that have no names"))
	}
	f.Notes = append(f.Notes, a.late()...)
	if a.in.code != nil {
		a.keepPlaces()
	}
	err := errors.Join(a.writer.Seal(f), a.writer.Close())
	a.lastNames()
	return err
}

// uncertain is which part of what columns counted lies in gaps between the records of a
// CPU, of those of which that is more than 1 %.
func (a *agent) uncertain() map[string]float64 {
	parts := map[string]float64{}
	for i, s := range a.in.sources {
		for c, part := range a.sampler.Track(i).Uncertain() {
			if part > 0.01 {
				parts[s.Columns()[c].Name] = math.Round(part*1e4) / 1e4
			}
		}
	}
	return parts
}

// noRoom says why in words that hold no path.
func (a *agent) noRoom() string {
	if errors.Is(a.filled, profile.ErrFull) {
		return "the profile has the size that agent.profile_mb allows"
	}
	var code syscall.Errno
	if errors.As(a.filled, &code) {
		return code.Error()
	}
	return "it could not be written"
}

// late returns the notes of sources that came up only while they counted.
func (a *agent) late() []note.Note {
	var late []note.Note
	begun := map[note.Code]bool{}
	for _, n := range a.atStart {
		begun[n.Code] = true
	}
	for _, s := range a.in.sources {
		for _, n := range s.Notes() {
			if !begun[n.Code] {
				late = append(late, n)
			}
		}
	}
	return late
}

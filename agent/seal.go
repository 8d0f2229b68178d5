package main

import (
	"errors"
	"fmt"
	"math"

	"jobgait/agent/counter/kernel"
	"jobgait/agent/job/scheduler"
	"jobgait/agent/profile"
	"jobgait/analysis/note"
	"jobgait/analysis/tracker"
)

// seal stops the reading of call stacks, publishes the final state in live.json, closes its channel, writes the
// footer with what was learned during the run, closes the profile, and looks up the last function names. It
// does nothing without a profile. reason says why sampling ended.
func (a *agent) seal(reason string) error {
	if a.writer == nil {
		return nil
	}
	a.atStall.cancel()
	if a.rhythm != nil {
		a.publish(a.clock.mono(), tracker.Ended)
		a.rhythm.publication.channel.Close()
	}
	program := mainProgram(a.in.programs(), scheduler.ForRun(a.run).IsSchedulerProgram)
	f := profile.Footer{Reason: reason, Executable: program, Script: a.in.script(program), BuildID: a.in.buildID(program),
		Notes: a.footerNotes}
	f.Programs = a.in.activities(a.header.RunNS)
	if a.in.use.Sleeps != nil {
		f.Sleeps, f.ThreadWork = a.in.use.Sleeps(), a.in.use.ThreadWork()
		f.MostActiveS = a.in.use.MostActiveS()
	}
	f.NodeMemoryBytes = kernel.TotalMemory("/proc")
	if a.in.gpus.Devices != nil {
		f.GPUs = a.in.gpus.Devices()
	}
	if a.in.gpus.CPU != nil {
		cpu := a.in.gpus.CPU()
		f.GPUReaderS, f.GPUReaderStartS = float64(cpu.TotalNS)/1e9, float64(cpu.StartNS)/1e9
	}
	f.Before, f.Uncertain = a.in.countedBefore(), a.uncertainShares()
	if a.writeFailed() {
		f.Reason = "spool_full"
	}
	f.Notes = append(f.Notes, a.lossNotes()...)
	if a.in.peek != nil && a.in.peek.WasAbandoned() {
		f.Notes = append(f.Notes, note.New(note.Unreadable,
			"reading a process of the job hung: programs that started after that, and their functions, have no names"))
	}
	f.Notes = append(f.Notes, a.lateNotes(a.in.sources)...)
	if a.in.code != nil {
		a.writePlaces()
	}
	err := errors.Join(a.writer.Seal(f), a.writer.Close())
	a.lookUpFinalNames()
	if err != nil {
		return fmt.Errorf("%w: the samples are kept, but the report may lack what was learned during the run", err)
	}
	return nil
}

// uncertainShares returns, by column name, the share of the counts that lies in gaps between records of a
// CPU, if it is more than 1 %, rounded to 4 decimals.
func (a *agent) uncertainShares() map[string]float64 {
	parts := map[string]float64{}
	for i, s := range a.in.sources {
		for c, part := range a.sampler.Track(i).UncertainShares() {
			if part > 0.01 {
				parts[s.Columns()[c].Name] = math.Round(part*1e4) / 1e4
			}
		}
	}
	return parts
}

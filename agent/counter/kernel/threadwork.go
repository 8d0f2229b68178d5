package kernel

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/run"
)

// workedThread is the CPU time of a thread, and when it was first and last read, in ns.
type workedThread struct {
	ranNS, firstNS, lastNS uint64
}

// threadsByProgram are threads that have ended, by the name of their program.
type threadsByProgram map[string][]workedThread

// maxEndedThreads limits the ended threads that are kept of a program, maxThreadPrograms the programs: the threads with
// the most CPU time stay.
const maxEndedThreads, maxThreadPrograms = 128, 64

// add keeps a thread of a program. Above twice maxEndedThreads it drops the threads with the least CPU time.
func (p threadsByProgram) add(program string, t workedThread) {
	list, known := p[program]
	if !known && len(p) >= maxThreadPrograms {
		return
	}
	list = append(list, t)
	if len(list) >= 2*maxEndedThreads {
		slices.SortFunc(list, func(a, b workedThread) int { return cmp.Compare(b.ranNS, a.ranNS) })
		list = list[:maxEndedThreads]
	}
	p[program] = list
}

// sameLife is the least part of the busiest thread's life that another thread must have lived to be compared with it.
const sameLife = 0.8

// workOf returns how the CPU time of the program with the most of it divides among its threads; nil without any.
func (p threadsByProgram) workOf() *run.ThreadWork {
	var out run.ThreadWork
	most := uint64(0)
	for program, list := range p {
		total := uint64(0)
		for _, t := range list {
			total += t.ranNS
		}
		if total > most || total == most && total > 0 && program < out.Program {
			most, out.Program = total, program
		}
	}
	if most == 0 {
		return nil
	}
	list := p[out.Program]
	busiest := slices.MaxFunc(list, func(a, b workedThread) int { return cmp.Compare(a.ranNS, b.ranNS) })
	total := uint64(0)
	for _, t := range list {
		if float64(t.lastNS-t.firstNS) >= sameLife*float64(busiest.lastNS-busiest.firstNS) {
			out.Threads++
			total += t.ranNS
		}
	}
	seconds := func(ns uint64) float64 { return math.Round(float64(ns)/1e6) / 1e3 }
	out.BusiestS, out.TotalS = seconds(busiest.ranNS), seconds(total)
	return &out
}

// endThreads keeps the threads of a process that have ended: all those in before that are not in still.
func (u *jobUse) endThreads(program string, before, still map[int]threadTimes) {
	for id, t := range before {
		if _, lives := still[id]; !lives && program != "" {
			u.worked.add(program, t.worked())
		}
	}
}

// worked returns the CPU time and the life of the thread.
func (t threadTimes) worked() workedThread { return workedThread{t.ranNS, t.firstNS, t.lastNS} }

// threadWork returns how the CPU time of the job's main program divides among its threads, those that have ended and
// those that live.
func (u *jobUse) threadWork() *run.ThreadWork {
	all := threadsByProgram{}
	for program, list := range u.worked {
		all[program] = slices.Clone(list)
	}
	for _, p := range u.procs {
		for _, t := range p.waits {
			if p.program != "" {
				all[p.program] = append(all[p.program], t.worked())
			}
		}
	}
	return all.workOf()
}

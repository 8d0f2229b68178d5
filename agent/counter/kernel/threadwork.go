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

// programThreads are threads of a program: those that are kept, and the CPU time of all that were added, in ns.
type programThreads struct {
	kept  []workedThread
	ranNS uint64
}

// with returns the threads and one more.
func (l programThreads) with(t workedThread) programThreads {
	return programThreads{append(l.kept, t), l.ranNS + t.ranNS}
}

// threadsByProgram are threads that have ended, by the name of their program.
type threadsByProgram map[string]programThreads

// maxEndedThreads limits the ended threads that are kept of a program, maxThreadPrograms the programs: the threads and
// the programs with the most CPU time stay.
const maxEndedThreads, maxThreadPrograms = 128, 64

// add keeps a thread of a program. Above twice maxEndedThreads it drops the threads with the least CPU time. If it
// already has maxThreadPrograms other programs, it drops the one with the least CPU time, or the thread if it has less.
func (p threadsByProgram) add(program string, t workedThread) {
	list, known := p[program]
	if !known && len(p) >= maxThreadPrograms && !p.dropLeast(t.ranNS) {
		return
	}
	list = list.with(t)
	if len(list.kept) >= 2*maxEndedThreads {
		slices.SortFunc(list.kept, func(a, b workedThread) int { return cmp.Compare(b.ranNS, a.ranNS) })
		list.kept = list.kept[:maxEndedThreads]
	}
	p[program] = list
}

// dropLeast removes the program with the least CPU time if it has less than ranNS. It returns whether one was removed.
func (p threadsByProgram) dropLeast(ranNS uint64) bool {
	least, found := "", false
	for program, list := range p {
		if list.ranNS < ranNS || found && list.ranNS == ranNS && program < least {
			least, ranNS, found = program, list.ranNS, true
		}
	}
	if found {
		delete(p, least)
	}
	return found
}

// sameLife is the least part of the busiest thread's life that another thread must have lived to be compared with it.
const sameLife = 0.8

// workOf returns how the CPU time of the program with the most of it divides among its threads; nil without any.
func (p threadsByProgram) workOf() *run.ThreadWork {
	var out run.ThreadWork
	most := uint64(0)
	for program, list := range p {
		if list.ranNS > most || list.ranNS == most && most > 0 && program < out.Program {
			most, out.Program = list.ranNS, program
		}
	}
	if most == 0 {
		return nil
	}
	list := p[out.Program].kept
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
		all[program] = programThreads{slices.Clone(list.kept), list.ranNS}
	}
	for _, p := range u.procs {
		for _, t := range p.waits {
			if p.program != "" {
				all[p.program] = all[p.program].with(t.worked())
			}
		}
	}
	return all.workOf()
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/as"
	"jobgait/agent/counter/address"
	"jobgait/agent/job"
	"jobgait/agent/job/scheduler"
	"jobgait/agent/names"
	"jobgait/agent/profile"
	"jobgait/analysis/run"
	"jobgait/configs"
)

// naming looks up the functions of the job's code while its processes live: on the job's first node, a few
// times, through a child with the user's rights. Each interval is four times the last, and a lookup is skipped
// if nearly all code is known.
type naming struct {
	lookup     nameLookup // looks names up in a child; nil for no lookups
	next       int64      // CLOCK_MONOTONIC ns of the next lookup
	wait       int64
	placesAtNS int64
	lookups    int
	answers    chan nameAnswer // result of the running lookup; nil while no lookup runs
	stop       func()          // stops the running lookup
	known      names.KnownFunctions
}

// nameLookup finds the functions at code addresses; it may take seconds.
type nameLookup func(context.Context, []names.Lookup) ([]names.Answer, error)

// nameAnswer is the result of one lookup: an answer for each file, or an error.
type nameAnswer struct {
	files   []address.CodeFile
	answers []names.Answer
	err     error
}

// The first lookup comes after half a second, so that commands of two seconds have names, or when namesShare of
// the budget covers the CPU time of a child. Hot addresses are written into the profile at growing intervals up
// to placesIntervalNS, for an agent that is killed.
const (
	firstNamesNS   = 500e6
	lookupCPUNS    = 6e6 // CPU time of a child
	namesShare     = 0.1
	maxNameLookups = 8
	minNewShare    = 0.01
	// minUnknownShare is the least share of samples in unnamed code for a lookup after the first; minNewShare is
	// that for the first and the last. Early in a run, 1 % is four samples.
	minUnknownShare  = 0.05
	placesIntervalNS = 600e9
	// finalLookupWait limits the wait for the last lookup, which takes 20 to 40 ms: the Epilog kills an agent that
	// takes too long to end.
	finalLookupWait = 250 * time.Millisecond
)

// enableNaming makes the agent count hot addresses and look up function names, as far as the settings permit.
func (a *agent) enableNaming(program string, c configs.Agent) {
	count, ask := namingWanted(a.run, c)
	if a.in.code == nil || !count {
		return
	}
	a.in.code.CountPlaces()
	if ask {
		a.naming.lookup = newNameLookup(program, a.run)
	}
}

// namingWanted reports whether to count hot addresses (count) and to look up function names (ask). The stricter
// of the site's and the user's settings decides; names are looked up only on the first node.
func namingWanted(r job.Run, c configs.Agent) (count, ask bool) {
	d := run.DisclosureLevel(c.Names).Least(r.Names)
	// Only the first node reads names: a thousand nodes that read the symbols of one
	// library in the same second are a burden to their file system.
	return d != run.NoNames, d == run.AllNames && scheduler.OnFirstNode(r)
}

// newNameLookup returns a lookup that runs program as a child with the rights of the job's user; nil if this
// process cannot give a child these rights.
func newNameLookup(program string, r job.Run) nameLookup {
	uid, gid := r.Job.UID, r.Job.GID
	if uid < 0 || gid < 0 || os.Geteuid() != 0 && uid != os.Geteuid() {
		return nil
	}
	return func(ctx context.Context, questions []names.Lookup) ([]names.Answer, error) {
		soon, stop := context.WithTimeout(ctx, time.Second)
		defer stop()
		account := as.ForJob(soon, uint32(uid), uint32(gid))
		return names.Ask(ctx, program, account, questions)
	}
}

// updateNames stores the result of a finished lookup, starts the next one when it is due, and writes hot
// addresses to the profile when that is due.
func (a *agent) updateNames(now int64) {
	n := &a.naming
	if a.in.code == nil {
		return
	}
	if n.placesAtNS == 0 {
		n.placesAtNS = now + placesIntervalNS/60
	}
	if now >= n.placesAtNS {
		n.placesAtNS = now + min(placesIntervalNS, 6*(now-a.grid.BaseNS))
		a.writePlaces()
	}
	select {
	case got := <-n.answers:
		a.storeNames(got)
	default:
	}
	switch {
	case n.lookup == nil || n.answers != nil || n.lookups >= maxNameLookups || now < n.next ||
		a.in.code.NewCodeShare() < minNewShare:
	case n.next == 0: // the job's first code
		n.wait = a.in.firstLookupDelayNS()
		n.next = now + n.wait
	default:
		minShare := minUnknownShare
		if n.lookups == 0 {
			minShare = minNewShare
		}
		n.lookups++
		n.wait *= 4
		n.next = now + n.wait
		a.startLookup(minShare)
	}
}

// firstLookupDelayNS returns the time from the job's first code to the first lookup, in ns.
func (in *inputs) firstLookupDelayNS() int64 {
	return max(firstNamesNS, int64(lookupCPUNS/(namesShare*in.limitPct/100*float64(in.cpus))))
}

// writePlaces writes the counts of hot addresses to the profile.
func (a *agent) writePlaces() {
	if p, ok := a.in.code.Places(); ok {
		a.writer.WritePlaces(p)
	}
}

// startLookup starts a lookup of all new addresses in a goroutine, unless less than the share minShare of all
// samples is in unnamed functions: a child takes 6 ms of CPU time.
func (a *agent) startLookup(minShare float64) {
	code, share := unknownPlaces(a.in.code.Code(), a.naming.known)
	files, questions := lookupsFor(code)
	if share < minShare || len(questions) == 0 {
		return
	}
	a.in.code.MarkRequested()
	ctx, stop := context.WithCancel(context.Background())
	a.naming.answers, a.naming.stop = make(chan nameAnswer, 1), stop
	go func(ask nameLookup, came chan<- nameAnswer) {
		defer stop()
		answers, err := ask(ctx, questions)
		came <- nameAnswer{files, answers, err}
	}(a.naming.lookup, a.naming.answers)
}

// unknownPlaces removes from each file's new addresses those in known functions, and returns the share of all
// samples at the remaining ones.
func unknownPlaces(code []address.CodeFile, known names.KnownFunctions) ([]address.CodeFile, float64) {
	all, left := uint64(0), uint64(0)
	for i := range code {
		f, of := &code[i], known.OfFile(code[i].Key)
		f.New = slices.DeleteFunc(f.New, func(p profile.Place) bool {
			_, ok := of.FunctionAt(p.Index * profile.PlaceBytes)
			return ok
		})
		for _, p := range f.Places {
			all += p.Hits
		}
		for _, p := range f.New {
			left += p.Hits
		}
	}
	return code, float64(left) / float64(max(1, all))
}

// lookupsFor returns the files with most samples at new addresses, at most names.MaxFiles, and a lookup of
// the new addresses for each. It leaves out files without a path and changes the order of code in place.
func lookupsFor(code []address.CodeFile) (files []address.CodeFile, questions []names.Lookup) {
	hits := func(f address.CodeFile) (n uint64) {
		for _, p := range f.New {
			n += p.Hits
		}
		return n
	}
	code = slices.DeleteFunc(code, func(f address.CodeFile) bool { return len(f.New) == 0 || f.Path == "" })
	slices.SortStableFunc(code, func(a, b address.CodeFile) int { return cmp.Compare(hits(b), hits(a)) })
	for _, f := range code[:min(len(code), names.MaxFiles)] {
		q := names.Lookup{Build: f.Build, Inode: f.Inode, PID: f.PID, Path: f.Path}
		for _, p := range f.New {
			q.Offsets = append(q.Offsets, p.Index*profile.PlaceBytes)
		}
		files, questions = append(files, f), append(questions, q)
	}
	return files, questions
}

// storeNames stores the result of a lookup, also in the run directory. After a timeout there are no further
// lookups, because the child may hang in the kernel.
func (a *agent) storeNames(got nameAnswer) {
	n := &a.naming
	n.answers = nil
	if got.err != nil {
		a.log(got.err)
		if errors.Is(got.err, context.DeadlineExceeded) {
			n.lookup, n.known.Lost = nil, true
		}
	}
	for i, x := range got.answers {
		n.known.Add(got.files[i].Key, x)
	}
	if len(got.answers) == 0 && !n.known.Lost {
		return
	}
	// The profile's writer reports a full spool, once.
	if err := a.dir.WriteJSON(names.KnownFile, n.known); err != nil && !errors.Is(err, unix.ENOSPC) {
		a.log(fmt.Errorf("store the names of functions: %w: the report may lack some of them", err))
	}
}

// lookUpFinalNames is called after the profile is sealed. It waits for a running lookup, then looks up what is new. It
// stops a lookup that has not ended finalLookupWait after the call. The files still exist, though their processes may
// not.
func (a *agent) lookUpFinalNames() {
	end := time.Now().Add(finalLookupWait)
	wait := func() {
		select {
		case got := <-a.naming.answers:
			a.storeNames(got)
		case <-time.After(time.Until(end)):
			a.naming.stop() // it is killed: no process of jobgait outlives the job
			<-a.naming.answers
		}
	}
	if a.naming.answers != nil {
		wait()
	}
	if a.in.code == nil || a.naming.lookup == nil || a.naming.answers != nil || !time.Now().Before(end) ||
		a.in.code.NewCodeShare() < minNewShare {
		return
	}
	if a.startLookup(minNewShare); a.naming.answers != nil {
		wait()
	}
}

// childrenNS returns the CPU time of ended children in ns. It is part of the agent's reported cost, but does
// not reduce sampling.
func childrenNS() int64 {
	var r unix.Rusage
	if unix.Getrusage(unix.RUSAGE_CHILDREN, &r) != nil {
		return 0
	}
	return r.Utime.Nano() + r.Stime.Nano()
}

package main

import (
	"cmp"
	"context"
	"errors"
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
	ask    asking // nil: no lookups
	next   int64  // CLOCK_MONOTONIC ns: when to ask, and when to keep places
	wait   int64
	keepAt int64
	times  int
	came   chan answered // nil while no lookup runs
	stop   func()        // stops the running lookup
	known  names.Known
}

// asking has questions answered; it may take seconds.
type asking func(context.Context, []names.Lookup) ([]names.Answer, error)

type answered struct {
	files   []address.CodeFile
	answers []names.Answer
	err     error
}

// First after half a second, for commands that take two, or as soon as a share of the
// budget has paid for a child; those that end before have the same files when they are
// over. Places go into the profile, for an agent that is killed, every ten minutes at
// last.
const (
	firstNamesNS = 500e6
	childNS      = 6e6 // CPU time of a child
	namesShare   = 0.1
	mostAsks     = 8
	leastNew     = 0.01
	// sinceAsked is how much of all code has to be new between the first question and
	// the last: early on, 1 % of it is four samples.
	sinceAsked = 0.05
	keepNS     = 600e9
	// lastNames is how long the end waits for a child, which takes 20 to 40 ms: the
	// Epilog kills an agent after 500.
	lastNames = 250 * time.Millisecond
)

// nameCode makes the agent count places, and ask if it is to.
func (a *agent) nameCode(program string, c configs.Agent) {
	count, ask := wanted(a.run, c)
	if a.in.code == nil || !count {
		return
	}
	a.in.code.CountPlaces()
	if ask {
		a.naming.ask = asker(program, a.run)
	}
}

// wanted reports whether places are to be counted and functions looked up: the stricter of the site's and the
// user's setting decides.
func wanted(r job.Run, c configs.Agent) (count, ask bool) {
	d := run.DisclosureLevel(c.Names).Least(r.Names)
	// Only the first node reads names: a thousand nodes that read the symbols of one
	// library in the same second are a burden to their file system.
	return d != run.NoNames, d == run.AllNames && scheduler.OnFirstNode(r)
}

// asker asks a child of program, with the rights of the job's user; nil if we cannot
// give a child these.
func asker(program string, r job.Run) asking {
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

// name takes what was answered, and asks what is new.
func (a *agent) name(now int64) {
	n := &a.naming
	if a.in.code == nil {
		return
	}
	if n.keepAt == 0 {
		n.keepAt = now + keepNS/60
	}
	if now >= n.keepAt {
		n.keepAt = now + min(keepNS, 6*(now-a.grid.BaseNS))
		a.keepPlaces()
	}
	select {
	case got := <-n.came:
		a.learnNames(got)
	default:
	}
	switch {
	case n.ask == nil || n.came != nil || n.times >= mostAsks || now < n.next || a.in.code.NewCode() < leastNew:
	case n.next == 0: // the job's first code
		n.wait = a.in.firstNames()
		n.next = now + n.wait
	default:
		least := sinceAsked
		if n.times == 0 {
			least = leastNew
		}
		n.times++
		n.wait *= 4
		n.next = now + n.wait
		a.askNames(least)
	}
}

// firstNames is the time from the job's first code to the first question.
func (in *inputs) firstNames() int64 {
	return max(firstNamesNS, int64(childNS/(namesShare*in.limitPct/100*float64(in.cpus))))
}

// keepPlaces writes what was counted into the profile.
func (a *agent) keepPlaces() {
	if p, ok := a.in.code.Places(); ok {
		a.writer.Places(p)
	}
}

// askNames asks of all places that are new, on the side; not where less than a share
// of all code is in functions that are not known: a child takes 6 ms of CPU time.
func (a *agent) askNames(least float64) {
	code, share := unknown(a.in.code.Code(), a.naming.known)
	files, questions := questionsOf(code)
	if share < least || len(questions) == 0 {
		return
	}
	a.in.code.Asked()
	ctx, stop := context.WithCancel(context.Background())
	a.naming.came, a.naming.stop = make(chan answered, 1), stop
	go func(ask asking, came chan<- answered) {
		defer stop()
		answers, err := ask(ctx, questions)
		came <- answered{files, answers, err}
	}(a.naming.ask, a.naming.came)
}

// unknown leaves of what is new the places that are in no function that is known, and
// says how much of all hits is at these.
func unknown(code []address.CodeFile, known names.Known) ([]address.CodeFile, float64) {
	all, left := uint64(0), uint64(0)
	for i := range code {
		f, of := &code[i], known.Of(code[i].Key)
		f.New = slices.DeleteFunc(f.New, func(p profile.Place) bool {
			_, ok := of.At(p.At * profile.PlaceBytes)
			return ok
		})
		for _, p := range f.Places {
			all += p.Count
		}
		for _, p := range f.New {
			left += p.Count
		}
	}
	return code, float64(left) / float64(max(1, all))
}

// questionsOf asks of the files that were hit most, and of the places in them that are
// new.
func questionsOf(code []address.CodeFile) (files []address.CodeFile, questions []names.Lookup) {
	hits := func(f address.CodeFile) (n uint64) {
		for _, p := range f.New {
			n += p.Count
		}
		return n
	}
	code = slices.DeleteFunc(code, func(f address.CodeFile) bool { return len(f.New) == 0 || f.Path == "" })
	slices.SortStableFunc(code, func(a, b address.CodeFile) int { return cmp.Compare(hits(b), hits(a)) })
	for _, f := range code[:min(len(code), names.MaxFiles)] {
		q := names.Lookup{Build: f.Build, Inode: f.Inode, PID: f.PID, Path: f.Path}
		for _, p := range f.New {
			q.Offsets = append(q.Offsets, p.At*profile.PlaceBytes)
		}
		files, questions = append(files, f), append(questions, q)
	}
	return files, questions
}

// learnNames keeps what was answered, in the run directory too. A child that did not
// come back was the last: it may hang in the kernel.
func (a *agent) learnNames(got answered) {
	n := &a.naming
	n.came = nil
	if got.err != nil {
		a.log(got.err)
		if errors.Is(got.err, context.DeadlineExceeded) {
			n.ask, n.known.Lost = nil, true
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
		a.log(err)
	}
}

// lastNames asks of what is new at the end, when the profile is sealed already: the
// files are still there, though their processes may not be.
func (a *agent) lastNames() {
	end := time.Now().Add(lastNames)
	wait := func() {
		select {
		case got := <-a.naming.came:
			a.learnNames(got)
		case <-time.After(time.Until(end)):
			a.naming.stop() // it is killed: no process of jobgait outlives the job
			<-a.naming.came
		}
	}
	if a.naming.came != nil {
		wait()
	}
	if a.in.code == nil || a.naming.ask == nil || a.naming.came != nil || !time.Now().Before(end) ||
		a.in.code.NewCode() < leastNew {
		return
	}
	if a.askNames(leastNew); a.naming.came != nil {
		wait()
	}
}

// childrenNS is the CPU time of children that have ended: it is part of the agent's reported cost, but no
// reason to sample less for the rest of the run.
func childrenNS() int64 {
	var r unix.Rusage
	if unix.Getrusage(unix.RUSAGE_CHILDREN, &r) != nil {
		return 0
	}
	return r.Utime.Nano() + r.Stime.Nano()
}

package cgroup

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Found is the job's directory in one hierarchy. One that was removed and made
// again has another Inode.
type Found struct {
	Dir   string
	Inode uint64
}

// Finder knows where the job's cgroup is, once it is there. It holds one inotify
// descriptor; a question costs a read of that, or nothing where it has none, and
// a few stats when something changed. It is used by one goroutine.
type Finder struct {
	proc   string
	job    Identity
	now    func() int64
	mounts []Mount
	watch  *watch
	// told is, by mount, the job's directory as a member's cgroup says.
	told  map[int]string
	found map[int]Found
	// again is the time of the next search if no change is reported before.
	again int64
	// strays is how many members had no cgroup of the job in the
	// hierarchy of perf events.
	strays int
	asked  map[int]bool
}

// NewFinder looks for a job's cgroups; proc is normally "/proc", and now gives
// CLOCK_MONOTONIC. It never fails: where there are no cgroups nothing is found.
func NewFinder(proc string, j Identity, now func() int64) *Finder {
	f := &Finder{proc: proc, job: j, now: now, watch: newWatch(), told: map[int]string{},
		found: map[int]Found{}, asked: map[int]bool{}}
	if text, err := os.ReadFile(filepath.Join(proc, "self", "mountinfo")); err == nil {
		f.mounts = ParseMounts(text)
	}
	return f
}

// Perf returns the job's directory in the hierarchy that perf events count by:
// that of the v1 controller perf_event if it is mounted, else v2, to which
// perf_event then belongs without being enabled.
func (f *Finder) Perf() (Found, bool) { return f.in(f.perfMount()) }

// PerfRoot is the root of that hierarchy, "" without one.
func (f *Finder) PerfRoot() string {
	if i := f.perfMount(); i >= 0 {
		return f.mounts[i].Dir
	}
	return ""
}

func (f *Finder) perfMount() int {
	if i := f.v1("perf_event"); i >= 0 {
		return i
	}
	return f.v2()
}

// Unified returns the job's directory in cgroup v2, and V1 that in the
// hierarchy of a v1 controller.
func (f *Finder) Unified() (dir string, ok bool) {
	d, ok := f.in(f.v2())
	return d.Dir, ok
}
func (f *Finder) V1(controller string) (dir string, ok bool) {
	d, ok := f.in(f.v1(controller))
	return d.Dir, ok
}

func (f *Finder) v2() int {
	for i, m := range f.mounts {
		if m.Unified {
			return i
		}
	}
	return -1
}

func (f *Finder) v1(controller string) int {
	for i, m := range f.mounts {
		if m.Has(controller) {
			return i
		}
	}
	return -1
}

func (f *Finder) in(mount int) (Found, bool) {
	if mount < 0 {
		return Found{}, false
	}
	f.look()
	d, ok := f.found[mount]
	return d, ok
}

// Absent says why there is nothing to count by, once that is sure: members of
// the job run, and are in no cgroup of the job that perf events know. "" is not
// known yet.
func (f *Finder) Absent() string {
	_, ok := f.Perf()
	switch {
	case ok:
		return ""
	case f.perfMount() < 0:
		return "no cgroup hierarchy of perf events is mounted"
	case f.strays >= straysSure:
		return "the job's processes are in no cgroup of their own that perf events know"
	}
	return ""
}

// straysSure is how many members must be without a cgroup: the first processes
// of a step are seen before they are moved into theirs.
const straysSure = 4

// Member reports a process that belongs to the job. Its cgroup is more reliable than any known layout. The
// finder reads it once, and only while a directory is missing.
func (f *Finder) Member(pid int) {
	if f.asked[pid] || len(f.asked) >= 256 || len(f.found) == len(f.mounts) {
		return
	}
	f.asked[pid] = true
	text, err := os.ReadFile(filepath.Join(f.proc, strconv.Itoa(pid), "cgroup"))
	if err != nil {
		return
	}
	f.take(Parse(text))
}

// take learns from the memberships of one member.
func (f *Finder) take(ms []Membership) {
	perf, placed := f.perfMount(), false
	for _, s := range ms {
		p, ok := Locate(s.Path)
		if !ok || !f.job.is(p) {
			continue
		}
		for i, m := range f.mounts {
			dir, ok := m.Path(p.Dir)
			if !ok || !m.Of(s) {
				continue
			}
			placed = placed || i == perf
			if f.told[i] == "" {
				f.told[i], f.again = dir, 0
			}
		}
	}
	if !placed {
		f.strays++
	}
}

// look finds the directories again after a change, or after 5 to 10 s: where
// there is no inotify, and against what it misses.
func (f *Finder) look() {
	now := f.now()
	if !f.watch.changed() && now < f.again {
		return
	}
	f.again = now + 5e9 + rand.Int64N(5e9)
	f.watch.clear()
	for i, m := range f.mounts {
		if d, ok := f.search(m, f.candidates(i, m)); ok {
			f.found[i] = d
		} else {
			delete(f.found, i)
		}
	}
}

// candidates are the directories where the job may be in a hierarchy.
func (f *Finder) candidates(i int, m Mount) []string {
	var dirs []string
	if f.told[i] != "" {
		dirs = append(dirs, f.told[i])
	}
	for _, l := range f.job.layouts(m.Unified) {
		dirs = append(dirs, filepath.Join(m.Dir, l))
	}
	return dirs
}

// search returns the first candidate that is there, and watches where it, or
// one that is missing, comes and goes.
func (f *Finder) search(m Mount, dirs []string) (Found, bool) {
	for _, dir := range dirs {
		// Watch before listing, so that a directory created in between is reported.
		f.watchAbove(m, dir)
		var st unix.Stat_t
		if unix.Stat(dir, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR {
			return Found{dir, st.Ino}, true
		}
	}
	return Found{}, false
}

// watchAbove watches the directories above a candidate, down from the mount, as
// far as there are any.
func (f *Finder) watchAbove(m Mount, dir string) {
	for at := m.Dir; f.watch.add(at); {
		rest := strings.TrimPrefix(strings.TrimPrefix(dir, at), "/")
		name, _, deeper := strings.Cut(rest, "/")
		if !deeper {
			return
		}
		at = filepath.Join(at, name)
	}
}

// Close gives the descriptor back.
func (f *Finder) Close() error { return f.watch.close() }

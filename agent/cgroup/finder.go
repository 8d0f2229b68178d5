package cgroup

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"jobgait/agent/rawcall"
)

// FoundDir is the job's cgroup directory in one hierarchy. A directory that was removed and created again has
// another Inode.
type FoundDir struct {
	Dir   string
	Inode uint64
}

// Open opens the directory, for perf_event_open(2), and returns an error if it is another one by now.
func (d FoundDir) Open() (int, error) {
	fd, err := unix.Open(d.Dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err != nil {
		return -1, fmt.Errorf("open the job's cgroup %s: %w", d.Dir, err)
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Ino != d.Inode {
		_ = unix.Close(fd)
		return -1, errors.Join(fmt.Errorf("open the job's cgroup %s: it was replaced meanwhile", d.Dir), err)
	}
	return fd, nil
}

// Finder finds the cgroup directories of one job as they appear and disappear. It holds one inotify descriptor:
// a call costs one read of it, and a few stats if something changed. Only one goroutine may use it.
type Finder struct {
	proc   string
	job    Identity
	now    func() int64
	mounts []Mount
	watch  *watch
	// memberDirs is, by mount index, the job's directory as the cgroup of a member shows it.
	memberDirs map[int]string
	found      map[int]FoundDir
	// nextSearchNS is the time of the next search if no change is reported before.
	nextSearchNS int64
	// outsiders counts the members that had no cgroup of the job in the hierarchy of perf events.
	outsiders int
	readPIDs  map[int]bool
}

// NewFinder returns a Finder for a job. proc, normally "/proc", lists the mounts and the cgroups of processes; now
// returns CLOCK_MONOTONIC in ns. NewFinder never fails: without cgroups the Finder finds nothing.
func NewFinder(proc string, j Identity, now func() int64) *Finder {
	f := &Finder{proc: proc, job: j, now: now, watch: newWatch(), memberDirs: map[int]string{},
		found: map[int]FoundDir{}, readPIDs: map[int]bool{}}
	if text, err := os.ReadFile(filepath.Join(proc, "self", "mountinfo")); err == nil {
		f.mounts = ParseMounts(text)
	}
	return f
}

// Perf returns the job's directory in the hierarchy that perf events count by:
// that of the v1 controller perf_event if it is mounted, else v2, to which
// perf_event then belongs without being enabled.
func (f *Finder) Perf() (FoundDir, bool) { return f.dirIn(f.perfMount()) }

// PerfRoot returns the mount directory of the hierarchy of perf events, "" if none is mounted.
func (f *Finder) PerfRoot() string {
	if i := f.perfMount(); i >= 0 {
		return f.mounts[i].Dir
	}
	return ""
}

// perfMount returns the index of the mount that perf events count by, -1 if none is mounted.
func (f *Finder) perfMount() int {
	if i := f.v1("perf_event"); i >= 0 {
		return i
	}
	return f.v2()
}

// Unified returns the job's directory in cgroup v2; false while it does not exist.
func (f *Finder) Unified() (dir string, ok bool) {
	d, ok := f.dirIn(f.v2())
	return d.Dir, ok
}

// V1 returns the job's directory in the hierarchy of a cgroup v1 controller; ok is false without one.
func (f *Finder) V1(controller string) (dir string, ok bool) {
	d, ok := f.dirIn(f.v1(controller))
	return d.Dir, ok
}

// v2 returns the index of the mount of cgroup v2, -1 if it is not mounted.
func (f *Finder) v2() int {
	for i, m := range f.mounts {
		if m.Unified {
			return i
		}
	}
	return -1
}

// v1 returns the index of the mount of a v1 controller, -1 if it is not mounted.
func (f *Finder) v1(controller string) int {
	for i, m := range f.mounts {
		if m.Has(controller) {
			return i
		}
	}
	return -1
}

// dirIn returns the job's directory below the mount with this index, after a search if something changed.
func (f *Finder) dirIn(mount int) (FoundDir, bool) {
	if mount < 0 {
		return FoundDir{}, false
	}
	f.refresh()
	d, ok := f.found[mount]
	return d, ok
}

// WhyAbsent returns why perf events cannot count by the job's cgroup: no hierarchy is mounted, or members of
// the job run outside of a cgroup of the job. It returns "" if they can or it is not known yet.
func (f *Finder) WhyAbsent() string {
	_, ok := f.Perf()
	switch {
	case ok:
		return ""
	case f.perfMount() < 0:
		return "no cgroup hierarchy of perf events is mounted"
	case f.outsiders >= minOutsiders:
		return "the job's processes are in no cgroup of their own that perf events know"
	}
	return ""
}

// minOutsiders is the number of members outside of the job's cgroup from which WhyAbsent is sure: the first
// processes of a step are seen before they are moved into it.
const minOutsiders = 4

// AddMember passes a process that belongs to the job. The finder reads its cgroup, which is more reliable
// than any known layout, once, of at most 256 processes, and only while a directory is missing.
func (f *Finder) AddMember(pid int) {
	if f.readPIDs[pid] || len(f.readPIDs) >= 256 || len(f.found) == len(f.mounts) {
		return
	}
	f.readPIDs[pid] = true
	text, err := rawcall.ReadRecord(filepath.Join(f.proc, strconv.Itoa(pid), "cgroup"), nil, maxMemberships)
	if err != nil {
		return
	}
	f.learnFrom(Parse(text))
}

// maxMemberships limits what is read of a process's list of cgroups, in bytes.
const maxMemberships = 1 << 16

// learnFrom records the job's directories from the memberships of one member, or counts it as an outsider if
// it is in no cgroup of the job in the hierarchy of perf events.
func (f *Finder) learnFrom(ms []Membership) {
	perf, placed := f.perfMount(), false
	for _, s := range ms {
		p, ok := Locate(s.Path)
		if !ok || !f.job.matches(p) {
			continue
		}
		for i, m := range f.mounts {
			dir, ok := m.Path(p.Dir)
			if !ok || !m.ContainsMembership(s) {
				continue
			}
			placed = placed || i == perf
			if f.memberDirs[i] == "" {
				f.memberDirs[i], f.nextSearchNS = dir, 0
			}
		}
	}
	if !placed {
		f.outsiders++
	}
}

// refresh searches the directories again after a change that inotify reports, or after 5 to 10 s in case
// inotify is missing or lost an event.
func (f *Finder) refresh() {
	now := f.now()
	if !f.watch.changed() && now < f.nextSearchNS {
		return
	}
	f.nextSearchNS = now + 5e9 + rand.Int64N(5e9)
	f.watch.clear()
	for i, m := range f.mounts {
		if d, ok := f.search(m, f.candidates(i, m)); ok {
			f.found[i] = d
		} else {
			delete(f.found, i)
		}
	}
}

// candidates returns the directories where the job may be below mount i, best first.
func (f *Finder) candidates(i int, m Mount) []string {
	var dirs []string
	if f.memberDirs[i] != "" {
		dirs = append(dirs, f.memberDirs[i])
	}
	for _, l := range f.job.layouts(m.Unified) {
		dirs = append(dirs, filepath.Join(m.Dir, l))
	}
	return dirs
}

// search returns the first candidate that exists, and watches the parents of the candidates up to it for
// changes.
func (f *Finder) search(m Mount, dirs []string) (FoundDir, bool) {
	for _, dir := range dirs {
		// Watch before listing, so that a directory created in between is reported.
		f.watchAbove(m, dir)
		var st unix.Stat_t
		if unix.Stat(dir, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR {
			return FoundDir{dir, st.Ino}, true
		}
	}
	return FoundDir{}, false
}

// watchAbove watches the directories above a candidate, from the mount down, as far as they exist.
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

// Close closes the inotify descriptor.
func (f *Finder) Close() error { return f.watch.close() }

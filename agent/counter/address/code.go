package address

import (
	"bytes"
	"errors"
	"slices"

	"jobgait/agent/peek"
	"jobgait/agent/profile"
)

// sharedCode is the code areas of one or more processes: a child shares its parent's until one of them maps
// something.
type sharedCode struct {
	areas space
	users int
}

// page counts a sample of process p and returns the key of its code page. All kernel code is one page, and so is all
// code that is in no file or is a guest's. If a user address is in no known area, page first reads /proc/PID/maps
// again, at most as often as delayMaps and the lookup budget allow, since records may have been lost.
func (t *table) page(p *processEntry, s sample) uint64 {
	switch s.mode {
	case kernelCode:
		return t.kernelPage()
	case otherCode:
		return t.anonymousPage()
	}
	if p.code.holds(p.lastArea, s.ip) {
		return t.pageInArea(p, s)
	}
	p.lastArea = p.code.find(s.ip)
	if p.lastArea < 0 && (!p.read || s.time >= p.nextMapsNS) {
		t.readMaps(p, s.pid, s.time)
		p.lastArea = p.code.find(s.ip)
	}
	if p.lastArea < 0 {
		p.lastArea = 0
		return t.anonymousPage()
	}
	return t.pageInArea(p, s)
}

// kernelPage counts a hit in the kernel and returns the page of all kernel code.
func (t *table) kernelPage() uint64 {
	if t.hitTable != nil {
		t.hitTable.kernel++
	}
	return profile.KernelPage
}

// anonymousPage counts a hit in code without a file and returns the page of all such code.
func (t *table) anonymousPage() uint64 {
	if t.hitTable != nil {
		t.hitTable.anonymous++
	}
	return profile.AnonymousPage
}

// holds reports whether area i contains an address.
func (c *sharedCode) holds(i int, ip uint64) bool {
	return c != nil && i < len(c.areas) && c.areas[i].start <= ip && ip < c.areas[i].end
}

// find returns the index of the area that contains an address, -1 if none does.
func (c *sharedCode) find(ip uint64) int {
	if c == nil {
		return -1
	}
	return c.areas.find(ip)
}

// readMaps reads the code areas of a process from /proc/PID/maps, within the lookup budget. It also notes
// whether the job uses MPI. If they cannot be read, or the table is full, the areas stay as they are.
func (t *table) readMaps(p *processEntry, pid int32, at int64) {
	if t.atCapacity() || !t.lookupBudget.Allows(at) {
		return
	}
	before := t.cpu()
	defer func() { t.lookupBudget.Spend(t.cpu() - before) }()
	text, err := t.peek.Ask(peek.ProcRequest{File: peek.Maps, PID: int(pid), Max: maxMaps})
	p.read = true
	p.delayMaps(at, err)
	if err != nil {
		return
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	now, err := parseMaps(bytes.NewReader(whole), t.registerFile)
	for _, a := range now {
		t.usesMPI = t.usesMPI || a.purpose == communicates
	}
	if err == nil && len(now) > 0 {
		t.setCode(p, &sharedCode{areas: now})
	}
}

// delayMaps sets the time of the next read of a process's maps, after one at the time at with the error err. The
// interval is 1, 2, 4.. s after reads that ended, since most of these processes execute code without a file; 200 ms
// while the guarded reader waits for another process; and .2, .4, .8.. s while it waits for this one, as at the start
// of a job that leaves the agent no CPU.
func (p *processEntry) delayMaps(at int64, err error) {
	const shortest, afterRead, longest = 2e8, 1e9, 64e9
	switch {
	case errors.Is(err, peek.ErrBusy):
		p.nextMapsNS = at + shortest
		return
	case errors.Is(err, peek.ErrTimeout):
		p.mapsWaitNS = max(2*p.mapsWaitNS, shortest)
	default:
		p.mapsWaitNS = max(2*p.mapsWaitNS, afterRead)
	}
	p.mapsWaitNS = min(p.mapsWaitNS, longest)
	p.nextMapsNS = at + p.mapsWaitNS
}

// pageInArea counts a hit in the area p.lastArea and returns the key of its page. It finds the identity of the area's
// file at the first hit, and adds the pages of libraries that wait with the CPU busy to waitingPages. While the
// identity is not known, hits count as code without a file.
func (t *table) pageInArea(p *processEntry, s sample) uint64 {
	a := &p.code.areas[p.lastArea]
	if a.anonymous() {
		return t.anonymousPage()
	}
	if a.file == 0 && !t.identifyFile(a, s.pid, s.time) {
		return t.anonymousPage()
	}
	off := a.offset + (s.ip - a.start)
	if t.hitTable != nil {
		t.hitTable.hit(a, off, s.pid)
	}
	page := profile.PageKey(a.file, off)
	if a.purpose.waits() && len(t.waitingPages) < profile.MaxStoredPlaces {
		t.waitingPages[page] = true
	}
	return page
}

// identifyFile sets the hash of an area's file, from its build id or inode. It returns false if the file's identity is
// not known yet. at is the time of the hit in ns.
func (t *table) identifyFile(a *area, pid int32, at int64) bool {
	is, ok := t.files.file(pid, *a, at)
	if !ok {
		return false
	}
	a.file = is.hash
	if a.id > 0 && t.hitTable.files[a.id-1].hash == 0 {
		f := &t.hitTable.files[a.id-1]
		f.hash, f.build = is.hash, is.build
	}
	return true
}

// registerFile returns the index in the hit table of an area's file, 0 if places are not counted.
func (t *table) registerFile(a area, path string) int32 { return t.registerBuild(a, path, "") }

// registerBuild does what registerFile does for a file whose build id is known.
func (t *table) registerBuild(a area, path, build string) int32 {
	if t.hitTable == nil {
		return 0
	}
	return t.hitTable.fileIndex(a, path, build)
}

// setCode replaces the code areas of a process by c, which other processes may share; nil removes them. It adjusts the
// numbers of users of both, and t.areas, which counts areas that have a user.
func (t *table) setCode(p *processEntry, c *sharedCode) {
	if p.code != nil {
		if p.code.users--; p.code.users == 0 {
			t.areas -= len(p.code.areas)
		}
	}
	if p.code, p.lastArea = c, 0; c != nil {
		if c.users++; c.users == 1 {
			t.areas += len(c.areas)
		}
	}
}

// addArea adds an area to those of a process, after copying them if they are shared. It ignores the area if the
// process or the table has too many.
func (t *table) addArea(p *processEntry, a area) {
	var had space
	if p.code != nil {
		had = p.code.areas
	}
	switch {
	case len(had) >= maxAreas || t.atCapacity():
		return
	case p.code == nil || p.code.users > 1:
		t.setCode(p, &sharedCode{areas: slices.Clone(had)})
	}
	p.code.areas = p.code.areas.insert(a)
	t.areas += len(p.code.areas) - len(had)
	t.usesMPI = t.usesMPI || a.purpose == communicates
	p.lastArea = 0
}

// atCapacity reports whether the table holds more areas than maxAllAreas.
func (t *table) atCapacity() bool { return t.areas > maxAllAreas }

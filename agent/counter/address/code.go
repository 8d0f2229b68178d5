package address

import (
	"bytes"
	"slices"

	"jobgait/agent/peek"
	"jobgait/agent/profile"
)

// code is the areas of a process, or of several: a child shares its parent's
// until one of them maps something.
type code struct {
	areas space
	users int
}

// page finds the code page. When an address is in no known area the maps are
// read again, at most once in 1, 2, 4.. seconds: records may have been lost.
func (t *table) page(p *sampled, s sample) uint64 {
	switch s.mode {
	case kernelCode:
		return t.kernelPage()
	case otherCode:
		return t.anonymousPage()
	}
	if p.code.holds(p.last, s.ip) {
		return t.key(p, s)
	}
	p.last = p.code.find(s.ip)
	if p.last < 0 && (!p.read || s.time >= p.again) {
		t.readMaps(p, s.pid, s.time)
		p.last = p.code.find(s.ip)
	}
	if p.last < 0 {
		p.last = 0
		return t.anonymousPage()
	}
	return t.key(p, s)
}

// kernelPage and anonymousPage are the pages of hits without a file.
func (t *table) kernelPage() uint64 {
	if t.places != nil {
		t.places.kernel++
	}
	return profile.KernelPage
}

func (t *table) anonymousPage() uint64 {
	if t.places != nil {
		t.places.anonymous++
	}
	return profile.AnonymousPage
}

func (c *code) holds(i int, ip uint64) bool {
	return c != nil && i < len(c.areas) && c.areas[i].start <= ip && ip < c.areas[i].end
}

func (c *code) find(ip uint64) int {
	if c == nil {
		return -1
	}
	return c.areas.find(ip)
}

func (t *table) readMaps(p *sampled, pid int32, at int64) {
	if t.full() || !t.asking.May(at) {
		return
	}
	p.wait = min(max(2*p.wait, 1e9), 64e9)
	p.read, p.again = true, at+p.wait
	before := t.cpu()
	defer func() { t.asking.Spend(t.cpu() - before) }()
	text, err := t.peek.Ask(peek.ProcQuestion{File: peek.Maps, PID: int(pid), Max: maxMaps})
	if err != nil {
		return
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	now, err := parseMaps(bytes.NewReader(whole), t.know)
	for _, a := range now {
		t.usesMPI = t.usesMPI || a.purpose == communicates
	}
	if err == nil && len(now) > 0 {
		t.use(p, &code{areas: now})
	}
}

func (t *table) key(p *sampled, s sample) uint64 {
	a := &p.code.areas[p.last]
	if a.anonymous() {
		return t.anonymousPage()
	}
	if a.file == 0 {
		t.identifyFile(a, s.pid)
	}
	off := a.offset + (s.ip - a.start)
	if t.places != nil {
		t.places.hit(a, off, s.pid)
	}
	page := profile.PageKey(a.file, off)
	if a.purpose.waits() && len(t.spins) < profile.MostPlaces {
		t.spins[page] = true
	}
	return page
}

// identifyFile finds out which file an area is of.
func (t *table) identifyFile(a *area, pid int32) {
	is := t.files.file(pid, *a)
	a.file = is.hash
	if a.id > 0 && t.places.files[a.id-1].hash == 0 {
		f := &t.places.files[a.id-1]
		f.hash, f.build = is.hash, is.build
	}
}

// know gives the file of an area its index in places.
func (t *table) know(a area, path string) int32 { return t.knowBuild(a, path, "") }

func (t *table) knowBuild(a area, path, build string) int32 {
	if t.places == nil {
		return 0
	}
	return t.places.know(a, path, build)
}

// use gives a process code, in the place of what it had.
func (t *table) use(p *sampled, c *code) {
	if p.code != nil {
		if p.code.users--; p.code.users == 0 {
			t.areas -= len(p.code.areas)
		}
	}
	if p.code, p.last = c, 0; c != nil {
		if c.users++; c.users == 1 {
			t.areas += len(c.areas)
		}
	}
}

// place adds an area to those of a process, which are its own from then on.
func (t *table) place(p *sampled, a area) {
	var had space
	if p.code != nil {
		had = p.code.areas
	}
	switch {
	case len(had) >= maxAreas || t.full():
		return
	case p.code == nil || p.code.users > 1:
		t.use(p, &code{areas: slices.Clone(had)})
	}
	p.code.areas = p.code.areas.with(a)
	t.areas += len(p.code.areas) - len(had)
	t.usesMPI = t.usesMPI || a.purpose == communicates
	p.last = 0
}

// full tells that too much is remembered.
func (t *table) full() bool { return t.areas > maxAllAreas }

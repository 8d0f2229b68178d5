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
		return profile.KernelPage
	case otherCode:
		return profile.AnonymousPage
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
		return profile.AnonymousPage
	}
	return t.key(p, s)
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
	text, err := t.peek.Ask(peek.Question{File: peek.Maps, PID: int(pid), Max: maxMaps})
	if err != nil {
		return
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	now, err := parseMaps(bytes.NewReader(whole))
	if err == nil && len(now) > 0 {
		t.use(p, &code{areas: now})
	}
}

func (t *table) key(p *sampled, s sample) uint64 {
	a := &p.code.areas[p.last]
	if a.anonymous() {
		return profile.AnonymousPage
	}
	file := a.file
	if file == 0 {
		file = t.files.file(s.pid, *a)
	}
	return pageKey(file, a.offset+(s.ip-a.start))
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
	p.last = 0
}

// full tells that too much is remembered.
func (t *table) full() bool { return t.areas > maxAllAreas }

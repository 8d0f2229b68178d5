package address

import (
	"testing"

	"jobgait/agent/peek"
	"jobgait/agent/profile"
)

// Code that several processes map at different addresses is one place. A place has 16 bytes. A process whose
// membership was queried is not queried again.
func TestPlacesOfTheRun(t *testing.T) {
	m := &asked{members: map[int]bool{10: true, 11: true}}
	tb := newTable(peek.Direct{Proc: fixture(t)}, m)
	tb.hitTable = newHitTable()
	for _, s := range []sample{user(10, 0x10000+0x1230, 1), user(11, 0x90000+0x123f, 2), user(10, 0x10000+0x1240, 3),
		user(10, 0x18000, 4),
		{time: 5, ip: 0x10000, pid: 10, mode: kernelCode}} {
		tb.hit(s)
	}
	tb.apply(event{time: 6, kind: mapped, pid: 10, area: area{start: 0x700000, end: 0x702000, file: 77},
		name: "/opt/app/lib b.so", build: "abcd"})
	tb.hit(user(10, 0x701000, 7))
	s := &Sampler{table: tb}
	code := s.Code()
	if len(code) != 2 || s.NewCodeShare() != 1 {
		t.Fatalf("%+v, new %g", code, s.NewCodeShare())
	}
	lib, app := code[0], code[1]
	if lib.Name != "lib.so" || lib.Inode == 0 || lib.Path == "" || lib.Build != "" || lib.PID != 10 || lib.Key == 0 ||
		len(lib.Places) != 2 || lib.Places[0] != (profile.Place{Index: 0x323, Hits: 2}) ||
		lib.Places[1] != (profile.Place{Index: 0x324, Hits: 1}) {
		t.Errorf("%+v", lib)
	}
	if app.Name != "lib b.so" || app.Build != "abcd" || app.Key != 77 || app.Inode != 0 || len(app.New) != 1 ||
		app.Places[0].Index != 0x100 {
		t.Errorf("%+v", app)
	}
	if p, ok := s.Places(); !ok || p.Kernel != 1 || p.Anonymous != 1 || p.Lost != 0 || len(p.Files) != 2 {
		t.Errorf("%+v, %v", p, ok)
	}
	s.MarkRequested()
	tb.hit(user(10, 0x10000+0x1230, 8))
	tb.hit(user(10, 0x10000+0x1250, 9))
	if code := s.Code(); len(code[0].New) != 1 || code[0].New[0].Index != 0x325 || len(code[1].New) != 0 ||
		code[0].Places[0].Hits != 3 {
		t.Errorf("%+v", code)
	}
	if got := s.NewCodeShare(); got != 1.0/6 {
		t.Errorf("a sixth of the hits is new, not %g", got)
	}
}

// Ten times as many places as fit, and a loop among them: nothing of the loop is lost, and every hit is either
// kept or counted as lost.
func TestPlacesAreBounded(t *testing.T) {
	x := newHitTable()
	a := area{id: x.fileIndex(area{file: 5}, "/x", "")}
	const loop, others = 200, 10 * profile.MaxStoredPlaces
	for i := range uint64(others) {
		x.hit(&a, 16*(1000+i), 1)
		x.hit(&a, 16*(i%loop), 1)
	}
	got, kept := uint64(0), 0
	for _, f := range x.snapshot() {
		for _, p := range f.Places {
			got += p.Hits
			kept++
			if p.Index < loop && p.Hits < (others-3*profile.MaxStoredPlaces)/loop {
				t.Errorf("place %d of the loop was hit %d times", p.Index, p.Hits)
			}
		}
	}
	if got+x.lost != 2*others || kept > profile.MaxStoredPlaces || len(x.slots) > 2*profile.MaxStoredPlaces {
		t.Errorf("%d hits and %d lost of %d, %d places in %d slots", got, x.lost, 2*others, kept, len(x.slots))
	}
}

// A file above the limit and an offset outside all files are lost and counted.
func TestPlacesOfTooManyFiles(t *testing.T) {
	x := newHitTable()
	var last area
	for i := range uint64(profile.MaxPlaceFiles + 1) {
		last = area{file: i + 1}
		last.id = x.fileIndex(last, "/x", "")
		x.hit(&last, 0, 1)
	}
	last.id = 1
	x.hit(&last, 1<<60, 1)
	if last.id == 0 || x.lost != 2 || len(x.snapshot()) != profile.MaxPlaceFiles {
		t.Errorf("%d lost, %d files", x.lost, len(x.snapshot()))
	}
}

package address

import (
	"testing"

	"jobgait/agent/peek"
	"jobgait/analysis/run"
)

// TestActivitiesOfPrograms counts who executed what and when: a shell that starts 300 processes of one program for 20
// ms each, and a second program that runs in the last half. Bins double as the run goes on.
func TestActivitiesOfPrograms(t *testing.T) {
	tb := newTable(peek.Direct{Proc: fixture(t)}, nil)
	at := int64(5e9)
	ran := func(pid int32, from, to int64) {
		for ns := from; ns < to; ns += 5e6 {
			tb.hit(sample{time: ns, pid: pid, ip: 0x1000, mode: userCode})
		}
	}
	start := func(pid int32, name string, ns int64) {
		tb.apply(event{kind: execed, pid: pid, name: name[:2], time: ns})
		tb.apply(event{kind: mapped, pid: pid, name: "/usr/bin/" + name, time: ns,
			area: area{start: 0x1000, end: 0x2000, inode: inode{dev: 1, ino: 7}}})
	}
	for i := range int32(300) {
		ns := at + int64(i)*20e6
		start(1000+i, "gawk", ns)
		ran(1000+i, ns, ns+10e6)
		tb.apply(event{kind: exited, pid: 1000 + i, time: ns + 15e6})
	}
	start(50, "sort", at+3e9)
	ran(50, at+3e9, at+4e9)
	list := tb.activities(4e9)
	if len(list) != 2 || list[0].Name != "gawk" || list[1].Name != "sort" {
		t.Fatalf("%+v", list)
	}
	for i, want := range []run.Program{{Started: 300, FirstS: 1, LastS: 6.985, Share: 0.75},
		{Started: 1, FirstS: 4, LastS: 4.995, Share: 0.25}} {
		p := list[i]
		if p.Started != want.Started || p.FirstS != want.FirstS || p.LastS != want.LastS || p.Share != want.Share {
			t.Errorf("%+v, want %+v", p, want)
		}
		if n := len(p.Strip); n < activityBins/2 || n > activityBins || p.StripStepS*float64(n) < 6 {
			t.Errorf("%s: %d bins of %g s", p.Name, n, p.StripStepS)
		}
	}
	if middle, end := list[1].Strip[len(list[1].Strip)/4], list[1].Strip[len(list[1].Strip)-1]; middle != 0 || end != 0 {
		t.Errorf("sort ran in the middle half only: %v", list[1].Strip)
	}
}

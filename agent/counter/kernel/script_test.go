package kernel

import (
	"testing"

	"jobgait/agent/counter/countertest"
	"jobgait/agent/peek"
)

// ofPython restricts reading to the processes 10 and 11.
type ofPython struct {
	peek.Direct
	t *testing.T
}

func (o ofPython) Ask(q peek.ProcRequest) ([]byte, error) {
	if q.File == peek.Cmdline && q.PID == 12 {
		o.t.Error("the command line of a program that is no interpreter was asked for")
	}
	return o.Direct.Ask(q)
}

// The reported script of an interpreter is the one that its processes run most; other programs are not inspected.
func TestScript(t *testing.T) {
	x := tree{t, t.TempDir()}
	now := int64(0)
	j := NewJobCPU(x.root, ofPython{peek.Direct{Proc: x.root}, t}, &list{10, 11, 12}, func() int64 {
		now += 100e9
		return now
	}, 1e9)
	put(t, x.root, "10/cmdline", "python3\x00a.py\x001\x00")
	put(t, x.root, "11/cmdline", "python3\x00b.py\x001\x00")
	put(t, x.root, "12/cmdline", "lmp\x00c\x00")
	var sink countertest.Sink
	for _, ticks := range []uint64{1, 10, 20} {
		x.set(10, "python3", 1, ticks, 0)
		x.set(11, "python3", 1, 2*ticks, 0)
		x.set(12, "lmp", 1, 9*ticks, 0)
		if err := j.Drain(&sink); err != nil {
			t.Fatal(err)
		}
	}
	if got := j.Script("python3") + j.Script("lmp"); got != "b.py" {
		t.Errorf("runs %q", got)
	}
}

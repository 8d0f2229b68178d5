package perf

import (
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	perfutils "github.com/hodgesds/perf-utils"
	"golang.org/x/sys/unix"

	"jobgait/agent/profile"
	"jobgait/agent/rawcall"
	"jobgait/agent/sampler"
)

// bigNode is a node of 128 CPUs whose rings are in memory, with all events of the fallback chain, and the
// sampler that drains them.
type bigNode struct {
	c     *Counters
	rings []*fakeRing
	grid  sampler.Grid
	s     *sampler.Sampler
	clock int64
	sums  [][]uint64
	rng   *rand.Rand
	buf   []byte
	block profile.Block
}

const bigCPUs, bigStepNS = 128, 5_000_000

func newBigNode(t testing.TB) *bigNode {
	r := tree(t, intelFiles())
	var events []Event
	for _, c := range candidates(readMachine(r), r) {
		events = append(events, c.Event)
	}
	n := len(events)
	b := &bigNode{clock: 1e9, rng: rand.New(rand.NewPCG(1, 2)), grid: sampler.NewGrid(bigStepNS, 1e9)}
	b.c = &Counters{events: events, keptEvents: n, periodNS: bigStepNS, enabled: make([]uint64, n),
		running: make([]uint64, n)}
	b.c.k = syscalls{now: func() int64 { return b.clock }, read: func(fd int, buf []byte) (int, error) {
		return copy(buf, b.body(fd, b.clock)[8:]), nil
	}}
	for cpu := range bigCPUs {
		ring := newFakeRing(1<<18, 0)
		g := newGroup(b.c.k, cpu, members(events, readMachine(r), 0))
		g.fds, g.ring = []int{cpu}, ring.Ring
		b.rings, b.sums = append(b.rings, ring), append(b.sums, make([]uint64, n+1))
		b.c.lanes = append(b.c.lanes, &lane{cpu: cpu, group: g, total: make([]uint64, n), enabledNS: 1e9})
	}
	b.s = sampler.New(b.grid, false, sampler.Shape{Columns: n, Lanes: bigCPUs, PeriodNS: bigStepNS})
	return b
}

// body is a record of a CPU at a time, valid until the next.
func (b *bigNode) body(cpu int, at int64) []byte {
	ran := uint64(at - 1e9)
	out := binary.NativeEndian.AppendUint64(b.buf[:0], uint64(at))
	for _, w := range []uint64{uint64(len(b.sums[cpu])), ran, ran} {
		out = binary.NativeEndian.AppendUint64(out, w)
	}
	for _, w := range b.sums[cpu] {
		out = binary.NativeEndian.AppendUint64(out, w)
	}
	b.buf = out
	return out
}

// second makes the kernel write one second of records, each up to 40 us late.
func (b *bigNode) second() {
	for range 1_000_000_000 / bigStepNS {
		b.clock += bigStepNS
		for cpu, ring := range b.rings {
			for i := range b.sums[cpu] {
				b.sums[cpu][i] += uint64(b.rng.IntN(1 + 20_000_000>>(2*i)))
			}
			body := b.body(cpu, b.clock+int64(b.rng.IntN(40_000)))
			ring.write(binary.NativeEndian.AppendUint64(nil, unix.PERF_RECORD_SAMPLE|uint64(headerSize+len(body))<<48))
			ring.write(body)
		}
	}
	b.clock += 50_000
}

// drain drains the rings as the agent does once a second; it returns the slots.
func (b *bigNode) drain(t testing.TB) (slots int) {
	if err := b.c.Drain(b.s.Track(0)); err != nil {
		t.Fatal(err)
	}
	for b.s.Emit(b.clock, &b.block) {
		slots += b.block.N
	}
	return slots
}

// Draining a second of 128 CPUs at 200 Hz, with the grid, in percent of a core.
// The interrupt that reads each group, once per drain, is measured apart: it is
// the machine's own.
func BenchmarkDrain128CPUs(b *testing.B) {
	node := newBigNode(b)
	read := readNS(b)
	var spent []float64
	var slots int
	var before, after runtime.MemStats
	var mallocs uint64
	for b.Loop() {
		for range 5 {
			node.second()
			runtime.ReadMemStats(&before)
			began := rawcall.CPU()
			slots += node.drain(b)
			spent = append(spent, float64(rawcall.CPU()-began)/1e7)
			runtime.ReadMemStats(&after)
			mallocs += after.Mallocs - before.Mallocs
		}
	}
	slices.Sort(spent)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(spent[len(spent)/2], "%core")
	b.ReportMetric(spent[0], "%core-min")
	b.ReportMetric(spent[len(spent)-1], "%core-max")
	b.ReportMetric(read*bigCPUs/1e7, "%core-reads")
	b.ReportMetric(float64(len(spent)), "n")
	b.ReportMetric(float64(mallocs)/float64(len(spent)), "allocs/drain")
	if slots < 190*len(spent) {
		b.Errorf("%d slots in %d s", slots, len(spent))
	}
}

// readNS is the CPU time of one read of a real group, the mean over all CPUs and the median of five rounds; 0
// without counters.
func readNS(b *testing.B) float64 {
	c, err := NewCounters(Open, host(), nil, bigStepNS)
	if err != nil {
		return 0
	}
	defer c.Close()
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	const reads = 200
	var perLane []float64
	for range 5 {
		began := rawcall.CPU()
		for range reads {
			for _, l := range c.lanes {
				if l.group != nil {
					if _, err := l.group.read(); err != nil {
						b.Fatal(err)
					}
				}
			}
		}
		perLane = append(perLane, float64(rawcall.CPU()-began)/reads/float64(len(c.lanes)))
	}
	slices.Sort(perLane)
	return perLane[len(perLane)/2]
}

// A drain allocates nothing, neither for a record nor for a CPU.
func TestDrainAllocatesLittle(t *testing.T) {
	node := newBigNode(t)
	for range 3 {
		node.second()
		node.drain(t)
	}
	var a, z runtime.MemStats
	node.second()
	runtime.ReadMemStats(&a)
	node.drain(t)
	runtime.ReadMemStats(&z)
	// 25,600 records; a few are the test's own and the runtime's.
	if n := z.Mallocs - a.Mallocs; n > bigCPUs/2 {
		t.Errorf("%d allocations for %d records", n, 200*bigCPUs)
	}
}

func BenchmarkLibraryReadsOfASecond(b *testing.B) {
	p, err := perfutils.NewGroupProfiler(-1, 0, unix.PERF_FLAG_FD_CLOEXEC, perfutils.CPUClockEventAttr(),
		perfutils.ContextSwitchesEventAttr(), perfutils.PageFaultsEventAttr(), perfutils.CPUMigrationsEventAttr())
	if err != nil {
		b.Skip(err)
	}
	defer p.Close()
	if err := p.Start(); err != nil {
		b.Skip(err)
	}
	var v perfutils.GroupProfileValue
	for b.Loop() {
		for range 200 {
			if err := p.Profile(&v); err != nil {
				b.Fatal(err)
			}
		}
	}
}

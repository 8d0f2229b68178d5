package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"jobgait/agent/counter/address"
	"jobgait/agent/counter/countertest"
	"jobgait/agent/counter/kernel"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/live"
	"jobgait/agent/peek"
	"jobgait/agent/profile"
	"jobgait/analysis/tracker"
)

// beating is a simulated job whose loop takes 46 slots of 5 ms, or the number that is set. Three pages of code
// are executed one after the other.
type beating struct {
	a     *agent
	now   *int64
	slot  int64
	place *live.Location
	block profile.Block
	// proc has one process, which has used this many ticks.
	proc  string
	ticks int
	every int64 // slots in a cycle
	rests bool  // in the last third of each cycle
}

func newBeating(t *testing.T) *beating {
	a, now, _ := simulated(t, &disk{}, 5e6)
	place, err := live.MakeLocation(filepath.Join(t.TempDir(), "live"), os.Getuid(), "run")
	if err != nil {
		t.Fatal(err)
	}
	a.header = profile.Header{StepNS: 5e6, BaseNS: *now, RunNS: *now, RunReal: 1e9, AddressHz: 1000, CPUs: 2, Scope: "job"}
	a.rhythm = newRhythm(a.header, a.in, place)
	b := &beating{a: a, now: now, place: place, proc: t.TempDir(), every: 46}
	a.in.cpu = kernel.NewJobCPU(b.proc, peek.Direct{Proc: b.proc}, &fixedMembers{pids: []int{77}}, a.clock.mono, 1e9)
	return b
}

// is sets the state of the job's process, adds CPU time to it, and makes the agent take a sample.
func (b *beating) is(t *testing.T, state byte, ticks int) {
	t.Helper()
	b.ticks += ticks
	line := fmt.Sprintf("77 (beat) %c 1 77 77 0 -1 0 0 0 0 0 %d 0 0 0 20 0 1 0 5000 0 0\n", state, b.ticks)
	err := errors.Join(os.MkdirAll(filepath.Join(b.proc, "77"), 0o755),
		os.WriteFile(filepath.Join(b.proc, "77", "stat"), []byte(line), 0o644),
		b.a.in.cpu.Drain(&countertest.Sink{}))
	if err != nil {
		t.Fatal(err)
	}
	b.a.checkSuspended(*b.now)
}

// second gives the agent a block of one second, in which the job works or does nothing, and waits for detection
// if it was requested.
func (b *beating) second(working bool) {
	const n = 200
	b.block = profile.Block{First: b.slot, N: n, Samples: make([]uint32, n)}
	for key := range uint64(3) {
		p := profile.PageCount{Key: 100 + key, Counts: make([]uint16, n)}
		for i := range n {
			if phase := (b.slot + int64(i)) % b.every; working && phase*3/b.every == int64(key) && !(b.rests && key == 2) {
				p.Counts[i] = uint16(4 + (b.slot+int64(i))%2)
				b.block.Samples[i] += uint32(p.Counts[i])
			}
		}
		b.block.Pages = append(b.block.Pages, p)
	}
	b.slot += n
	*b.now += 1e9
	r := b.a.rhythm
	r.loop.follow(&b.block, b.a.header, 1000)
	b.a.updateRhythm(*b.now)
	if r.detecting() {
		got := <-r.detection.answers
		r.detection.answers <- got
	}
}

// A job that stops completely is reported first as in its loop, then as stalled and nothing else, in live.json
// and in the profile. When it continues, it is in its loop again.
func TestStoppedBeatIsReported(t *testing.T) {
	b := newBeating(t)
	var states []tracker.LoopState
	run := func(seconds int, working bool) {
		for range seconds {
			b.second(working)
			s, err := live.Read(b.place.Path())
			if err != nil {
				t.Fatal(err)
			}
			if len(states) == 0 || states[len(states)-1] != s.State {
				states = append(states, s.State)
			}
		}
	}
	run(40, true)
	s, err := live.Read(b.place.Path())
	if err != nil || s.PeriodS == nil || *s.PeriodS < 0.22 || *s.PeriodS > 0.24 || s.Cycles < 50 {
		t.Fatalf("%+v, %v", s, err)
	}
	if n := len(s.Recent); n != len(s.RecentS) || n < 50 || s.Recent[n-1].N != s.Cycles ||
		s.Recent[n-1].N-s.Recent[0].N != int64(n-1) ||
		s.Recent[n-1].Boundary.Sub(s.Recent[n-2].Boundary).Round(10*time.Millisecond) != 230*time.Millisecond {
		t.Errorf("cycles %+v", s.Recent)
	}
	// Cycles at the beginning count from where they were found: none begins before the run, and the expected
	// number fits between the first and the last.
	if s.FirstCycle == nil || s.FirstCycle.Before(time.Unix(1e9, 0)) ||
		math.Abs(s.LastBoundary.Sub(*s.FirstCycle).Seconds()/0.23-float64(s.Cycles)) > 1 {
		t.Errorf("%d cycles from %v to %v", s.Cycles, s.FirstCycle, s.LastBoundary)
	}
	run(30, false)
	s, err = live.Read(b.place.Path())
	if err != nil || s.Stalled == nil || s.Stalled.Doing != tracker.Sleeping {
		t.Fatalf("%+v, %v", s, err)
	}
	run(10, true)
	if want := []tracker.LoopState{tracker.Starting, tracker.InCycle, tracker.Stalled,
		tracker.InCycle}; !slices.Equal(slices.DeleteFunc(states, func(s tracker.LoopState) bool {
		return s == tracker.None
	}), want) {
		t.Errorf("%v, want %v", states, want)
	}
	var kinds []string
	for _, e := range b.a.sampler.Epochs() {
		if e.Kind == profile.StalledKind && (e.SinceS < 35 || e.SinceS > 41) {
			t.Errorf("stalled since %v s", e.SinceS)
		}
		kinds = append(kinds, e.Kind)
	}
	if !slices.Equal(kinds, []string{profile.StalledKind, profile.MovingKind}) {
		t.Errorf("epochs %v", kinds)
	}
}

// silence describes what a process does while no cycle ends.
type silence struct {
	name   string
	state  byte
	ticks  int // of CPU time a second
	stalls bool
	told   tracker.LoopState
}

// A job that does nothing is reported as stalled within 2 s after the threshold. A job that works, that wants
// to run and cannot, or that is held is not.
func TestStallConditions(t *testing.T) {
	for _, c := range []silence{
		{"sleeps", 'S', 0, true, tracker.Stalled},
		{"waits in the kernel", 'D', 0, true, tracker.Stalled},
		{"does other work", 'R', 80, false, tracker.LeftLoop},
		{"waits for a CPU", 'R', 0, false, tracker.LeftLoop},
		{"is stopped", 'T', 0, false, tracker.IsSuspended},
		{"is held by a debugger", 't', 0, false, tracker.IsSuspended},
	} {
		t.Run(c.name, func(t *testing.T) {
			var after []float64
			rounds := jobtest.Rounds(1)
			for range rounds {
				b := newBeating(t)
				b.every = 38 + rand.Int64N(10)
				for range 35 + rand.IntN(10) {
					b.is(t, 'R', 80)
					b.second(true)
				}
				told := 0.0
				var s live.State
				for n := 1; n <= 60; n++ {
					b.is(t, c.state, c.ticks)
					b.second(false)
					var err error
					if s, err = live.Read(b.place.Path()); err != nil {
						t.Fatal(err)
					}
					if s.State == tracker.Stalled && told == 0 {
						told = s.At.Sub(*s.LastBoundary).Seconds()
						after = append(after, told)
					}
				}
				// Of cycles of .2 s five intervals are less than 10 s.
				if s.State != c.told || (told > 0) != c.stalls || c.stalls && (told < 10 || told > 12) {
					t.Errorf("%s, stalled after %g s", s.State, told)
				}
			}
			t.Logf("stalled in %d of %d rounds, after %.2f s", len(after), rounds, slices.Sorted(slices.Values(after)))
		})
	}
}

// A job that writes checkpoints for 8 s after every 50 cycles is not reported as stalled after its second
// checkpoint.
func TestCheckpointsAreNoStall(t *testing.T) {
	for range jobtest.Rounds(1) {
		b := newBeating(t)
		b.every = 38 + rand.Int64N(10)
		work := 50 * b.every / 200
		for n := range 6 * (work + 8) { // seconds
			working := n%(work+8) < work
			if working {
				b.is(t, 'R', 80)
			} else {
				b.is(t, 'S', 0)
			}
			b.second(working)
			s, err := live.Read(b.place.Path())
			if err != nil || s.State == tracker.Stalled && n > 2*(work+8) {
				t.Fatalf("second %d: %+v, %v", n, s, err)
			}
			if n == 6*(work+8)-9 && s.Cycles < 200 {
				t.Errorf("%d cycles", s.Cycles)
			}
		}
	}
}

// A stretch of each cycle in which the job does little is reported with its beginning.
func TestLowStretchIsReported(t *testing.T) {
	b := newBeating(t)
	b.rests = true
	for range 40 {
		b.second(true)
	}
	s, err := live.Read(b.place.Path())
	if err != nil || len(s.Low) != 1 {
		t.Fatalf("%+v, %v", s.Low, err)
	}
	third := 0.23 / 3
	l := s.Low[0]
	if math.Abs(l.DurationS-third) > 0.015 || l.Repeatability < 0.9 || l.LastBegan == nil {
		t.Fatalf("%+v", l)
	}
	for _, at := range []time.Time{*l.LastBegan, s.LastBoundary.Add(time.Duration(l.OffsetS * 1e9))} {
		began := math.Mod(at.Sub(time.Unix(1e9, 0)).Seconds()-2*third, 0.23)
		if off := math.Abs(began - 0.23*math.Round(began/0.23)); off > 0.015 {
			t.Errorf("begins %.3f s off: %+v", off, l)
		}
	}
}

// Live columns have instructions per clock cycle if both are counted.
func TestLiveColumnsHaveIPC(t *testing.T) {
	counted := func(names ...string) profile.Header {
		h := profile.Header{StepNS: 5e6, Scope: "job"}
		for _, n := range names {
			h.Columns = append(h.Columns, profile.Column{Name: n, Unit: "1", Scope: "job"})
		}
		return h
	}
	c := newLiveColumns(counted("page_faults", "instructions", "cycles"))
	if c.all[len(c.all)-1].Name != "ipc" {
		t.Fatalf("%+v", c.all)
	}
	b := profile.Block{N: 3, Columns: [][]int64{{0, 1, 2}, {100, 150, 150}, {100, 200, 200}}}
	var got []float32
	c.computed.ComputeRows(&b, 0)
	for i := range b.N {
		row := c.computed.Row(i)
		got = append(got, row[len(row)-1])
	}
	if got[0] == got[0] || got[1] != 0.5 || got[2] == got[2] {
		t.Errorf("%v", got)
	}
	if c := newLiveColumns(counted("instructions")); len(c.all) != 1 {
		t.Errorf("%+v", c.all)
	}
}

// A job waits with its CPUs busy if all its running threads do: one rank at other work makes it busy.
func TestActivityOfSampledCode(t *testing.T) {
	for _, c := range []struct {
		name string
		code address.WaitingTasks
		want tracker.Doing
	}{
		{"all wait", address.WaitingTasks{InMPI: 400}, tracker.WaitingInMPI},
		{"a stray sample", address.WaitingTasks{InMPI: 400, Others: 2}, tracker.WaitingInMPI},
		{"one of many works", address.WaitingTasks{InMPI: 12800, Others: 200, Working: 200}, ""},
		{"no samples", address.WaitingTasks{}, ""},
		{"threads of a rank that waits", address.WaitingTasks{InMPI: 100, InOpenMP: 300}, tracker.WaitingInMPI},
		{"a barrier", address.WaitingTasks{InOpenMP: 300}, tracker.WaitingInOpenMP},
	} {
		y := activity{}
		for at := int64(1); at < 4e9; at += 5e8 {
			y.count(at, 100, func() address.WaitingTasks { return c.code })
			if y.spins != "" && at < countNS {
				t.Errorf("%s: %q after %d ns", c.name, y.spins, at)
			}
		}
		if own := float64(c.code.Working) / 100; y.spins != c.want || y.ownS != own {
			t.Errorf("%s: %q, want %q; %g s of own code, want %g", c.name, y.spins, c.want, y.ownS, own)
		}
	}
}

// A job that gets hardly any CPU time beside other programs has too few samples to recognize its activity, so
// the activity stays as it was. Samples of its own code change the activity in any case.
func TestTooFewSamplesChangeNothing(t *testing.T) {
	for _, c := range []struct {
		code address.WaitingTasks
		want tracker.Doing
	}{
		{address.WaitingTasks{}, tracker.WaitingInMPI},
		{address.WaitingTasks{Others: 3}, tracker.WaitingInMPI},
		{address.WaitingTasks{Others: 10}, ""},
		{address.WaitingTasks{Others: 1, Working: 1}, ""},
		{address.WaitingTasks{InOpenMP: 10}, tracker.WaitingInOpenMP},
	} {
		y := activity{}
		code := address.WaitingTasks{InMPI: 400}
		for at := int64(1); at < 10e9; at += 5e8 {
			if at > 5e9 {
				code = c.code
			}
			y.count(at, 100, func() address.WaitingTasks { return code })
		}
		if y.spins != c.want {
			t.Errorf("%+v: %q, want %q", c.code, y.spins, c.want)
		}
	}
}

// A reader of the channel receives each cycle at the next write of the profile; readers cause no extra writes.
func TestReadersReceiveEachCycle(t *testing.T) {
	run := func(read bool) (told map[int64]time.Time, late []float64, ends []numberedCycle, blocks int) {
		told = map[int64]time.Time{}
		d := &disk{}
		a, now, sources := simulated(t, d, 5e6)
		place, err := live.MakeLocation(filepath.Join(t.TempDir(), "live"), os.Getuid(), "run")
		if err != nil {
			t.Fatal(err)
		}
		sources[0].loop, a.in.rate.Hz = 40, 1000 // 0.2 s
		a.header = profile.Header{StepNS: 5e6, BaseNS: a.grid.BaseNS, RunNS: a.grid.BaseNS,
			RunReal: float64(a.grid.BaseNS) / 1e9, AddressHz: 1000, CPUs: 2, Scope: "job"}
		a.rhythm = newRhythm(a.header, a.in, place)
		a.listen()
		defer a.rhythm.publication.channel.Close()
		var r *live.Subscriber
		if read {
			if r, err = live.Dial(place.Path()); err != nil {
				t.Fatal(err)
			}
			defer r.Close()
		}
		begin, cycles := *now, 0
		for *now < begin+60e9 {
			a.advance(now, min(begin+60e9, max(*now+1, a.schedule.nextNS())))
			if a.rhythm.detecting() {
				got := <-a.rhythm.detection.answers
				a.rhythm.detection.answers <- got
			}
			if read && a.rhythm.publication.sent.cycles != cycles {
				cycles = a.rhythm.publication.sent.cycles
				var s live.State
				for s.Cycles < int64(cycles) { // other states were sent before
					if s, err = r.Next(10 * time.Second); err != nil {
						t.Fatal(err)
					}
				}
				for _, c := range s.Recent {
					if _, ok := told[c.N]; !ok && s.At.After(c.Boundary) {
						told[c.N] = c.Boundary
						late = append(late, float64(*now)/1e9-float64(c.Boundary.UnixNano())/1e9)
					}
				}
			}
		}
		return told, late, a.rhythm.loop.recent, d.blocks
	}
	told, late, ends, blocks := run(true)
	_, _, alone, few := run(false)
	if slices.Sort(late); len(late) == 0 {
		t.Fatal("no cycle was sent")
	}
	t.Logf("%d cycles sent, after %.3f s at most, half of them after %.3f; %d blocks, %d without a reader", len(told),
		late[len(late)-1], late[len(late)/2], blocks, few)
	if len(told) < 150 || late[len(late)*9/10] > 1 {
		t.Errorf("%d cycles sent, 90 %% within %.3f s", len(told), late[len(late)*9/10])
	}
	if math.Abs(float64(blocks-few)) > 0.2*float64(few) {
		t.Errorf("%d blocks written, %d without a reader", blocks, few)
	}
	if len(ends) != len(alone) || len(ends) == 0 {
		t.Fatalf("%d cycles, %d without a reader", len(ends), len(alone))
	}
	for i := range ends {
		if math.Abs(ends[i].LengthS-0.2) > 0.011 || math.Abs(alone[i].LengthS-0.2) > 0.011 {
			t.Errorf("cycle %d takes %.3f s, without a reader %.3f", i, ends[i].LengthS, alone[i].LengthS)
		}
	}
}

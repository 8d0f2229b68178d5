package main

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"jobgait/agent/job/jobtest"
	"jobgait/agent/live"
	"jobgait/analysis/tracker"
)

// beating is a program under `jobgait run` whose loop stops on request.
type beating struct {
	box
	cmd  *exec.Cmd
	tell io.WriteCloser // closed, the loop is over
	pid  int
	ends map[int64]time.Time // end of the cycles in live.json, by their numbers
}

// beatS is the length of its cycle. It is not a round number, because a cycle of exactly two hundredths of a
// second is attributed to a timer and not reported (only_clocks). beats is the number of cycles to wait for:
// more than the 20 that the stall detector needs.
const beatS, beats = 0.207, 22

// beatWay selects what follows the loop: "" sleeps, "spins" keeps a CPU busy in a library that is said to wait,
// "busy" does other work for 60 s and ends, "checkpoints" waits for 8 s after every 50th cycle.
const beatWay = "JOBGAIT_TEST_BEAT"

// beat prints its process id, works for a twentieth of each cycle until its input ends, and then does what
// beatWay selects.
func beat() {
	way := os.Getenv(beatWay)
	fmt.Println(os.Getpid())
	over := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(over)
	}()
	const every = time.Duration(beatS * 1e9)
	began := time.Now()
	for n := 1; ; n++ {
		if way == "checkpoints" && n%50 == 0 {
			jobtest.WorkloadPause(8 * time.Second)
		}
		select {
		case <-over:
			switch way {
			case "busy":
				hash(60 * time.Second)
			case "spins":
				work(time.Hour)
			default:
				jobtest.WorkloadPause(time.Hour)
			}
			return
		case <-time.After(every - time.Since(began)%every):
			work(every / 20)
		}
	}
}

// hash is work in which a sampler sees no repetition.
func hash(d time.Duration) {
	text := make([]byte, 4096)
	for began := time.Now(); time.Since(began) < d; {
		sum := sha256.Sum256(text)
		copy(text, sum[:])
	}
}

// newBeating starts the program.
func newBeating(t *testing.T, way string) *beating {
	t.Helper()
	b := &beating{box: newBox(t), ends: map[int64]time.Time{}}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b.env = append(b.env, accountRole+"=beat", beatWay+"="+way)
	if way == "spins" {
		library := filepath.Join(filepath.Dir(b.work), "libmpi.so.40")
		if err := os.Link(self, library); err != nil {
			t.Skip(err)
		}
		self = library
	}
	b.cmd = b.command("run", "--", self)
	out, err := b.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if b.tell, err = b.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := b.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fscan(bufio.NewReader(out), &b.pid); err != nil || b.pid < 2 {
		t.Fatalf("process %d: %v", b.pid, err)
	}
	t.Cleanup(b.end)
	return b
}

// end ends the program; its report exists afterwards.
func (b *beating) end() {
	if b.cmd.ProcessState != nil {
		return
	}
	_ = syscall.Kill(b.pid, syscall.SIGTERM)
	_ = b.cmd.Wait()
}

// state returns the state in live.json, false if the file has no state.
func (b *beating) state() (live.State, bool) {
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(b.work), ".local/state/jobgait/live/*/*", live.Name))
	if len(files) != 1 {
		return live.State{}, false
	}
	s, err := live.Read(files[0])
	for _, c := range s.Recent {
		b.ends[c.N] = c.Boundary
	}
	return s, err == nil
}

// threshold is when a run may be reported as stalled: after five of the longest usual intervals between its
// cycles, at least 10 s. An interval longer than 50 of the next is not usual.
func (b *beating) threshold() time.Time {
	var last time.Time
	longest, next := time.Duration(0), time.Duration(0)
	before := int64(0)
	for _, n := range slices.Sorted(maps.Keys(b.ends)) {
		if before > 0 { // those between verified a loop that was lost
			d := b.ends[n].Sub(last) - time.Duration(float64(n-before-1)*beatS*1e9)
			longest, next = max(longest, d), max(next, min(longest, d))
		}
		before, last = n, b.ends[n]
	}
	if longest > 50*next {
		longest = next
	}
	return last.Add(max(10*time.Second, 5*longest))
}

// within waits for a state of the run and returns the last state; it returns false if the state did not come.
func (b *beating) within(d time.Duration, want func(live.State) bool) (s live.State, ok bool) {
	for until := time.Now().Add(d); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		if got, known := b.state(); known {
			if s = got; want(s) {
				return s, true
			}
		}
	}
	return s, false
}

// inLoop waits until the loop is known well enough for its absence to be noticed.
func (b *beating) inLoop(patience time.Duration) {
	b.t.Helper()
	if s, ok := b.within(patience, func(s live.State) bool {
		return s.State == tracker.InCycle && s.Cycles >= beats
	}); !ok {
		b.t.Skipf("no rhythm is found on a machine as busy as this, or without addresses of code: %+v", s)
	}
}

// An agent that was killed leaves a live.json that describes a run: watch calls the run dead, whatever the
// program does.
func TestRunOfAKilledAgentIsDead(t *testing.T) {
	b := newBeating(t, "")
	var s live.State
	poll(t, "live.json says who writes it", func() (ok bool) {
		s, ok = b.state()
		return ok && s.Alive()
	})
	if r := end(t, b.command("watch", "--once", b.work)); r.status.ExitStatus() != 1 {
		t.Errorf("a directory without a run: %v %q", r.status, r.out)
	}
	if r := end(t, b.command("watch", "--once")); r.status != 0 {
		t.Errorf("while it lives: %v %q %q", r.status, r.out, r.complaint)
	}
	if err := syscall.Kill(s.Agent.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	poll(t, "the agent is gone", func() bool { return !s.Alive() })
	r := end(t, b.command("watch", "--json"))
	if r.status.ExitStatus() != 1 || !strings.Contains(r.out, `"state":"dead"`) {
		t.Errorf("%v %q %q", r.status, r.out, r.complaint)
	}
}

// A program that stops completely is reported as stalled while it runs, and first in its report.
func TestBeatThatStopsIsFoundHung(t *testing.T) {
	t.Parallel()
	b := newBeating(t, "")
	b.inLoop(40 * time.Second)
	b.tell.Close()
	s, ok := b.within(3*time.Minute, func(s live.State) bool { return s.State == tracker.Stalled })
	if !ok || s.Stalled == nil || s.Stalled.Doing != tracker.Sleeping {
		t.Fatalf("never stalled: %+v", s)
	}
	if early := b.threshold().Sub(s.At); early > boundaryOff {
		t.Errorf("reported %v before the threshold", early)
	}
	if r := end(t, b.command("watch", "--once", strconv.Itoa(b.pid))); r.status != 0 ||
		!strings.Contains(r.out, "STALLED") {
		t.Errorf("watch: %v %q %q", r.status, r.out, r.complaint)
	}
	b.end()
	r := b.outcome()
	if got := r.codes(); len(got) == 0 || got[0] != "hung" {
		t.Errorf("%v, %+v", got, r.Findings)
	}
}

// boundaryOff is the rounding of times in live.json.
const boundaryOff = 2 * time.Millisecond

// leaving is a way to leave a loop, and whether that is a stall.
type leaving struct {
	name, way string
	leave     func(b *beating)
	stalls    bool
}

func leavings() []leaving {
	over := func(b *beating) { b.tell.Close() }
	return []leaving{
		{"stops dead", "", over, true},
		{"stops and spins in a library that waits", "spins", over, true},
		{"goes on for 60 s with other busy code", "busy", over, false},
		{"is stopped for 60 s by SIGSTOP", "", func(b *beating) { _ = syscall.Kill(b.pid, syscall.SIGSTOP) }, false},
		{"waits for 8 s after every 50 cycles", "checkpoints", func(b *beating) { // its first two are not judged
			b.within(3*time.Minute, func(s live.State) bool { return s.Cycles > 105 })
		}, false},
	}
}

// A stalled program is reported within 2 s after the threshold, and no other is. The test runs a round of each
// way to leave a loop; JOBGAIT_ROUNDS sets the number of rounds of a table.
func TestLiveStalls(t *testing.T) {
	byHand(t)
	fmt.Println("| a program with a cycle of 0.207 s that | in a rhythm first, of rounds | told as stalled | seconds " +
		"after the threshold, least and most |\n|---|---|---|---|")
	for _, l := range leavings() {
		var mu sync.Mutex
		var after []float64
		rounds, begun := jobtest.Rounds(1), 0
		inParallelRounds(t, l.name, rounds, func(t *testing.T) {
			b := newBeating(t, l.way)
			b.inLoop(4 * time.Minute)
			mu.Lock()
			begun++
			mu.Unlock()
			l.leave(b)
			s, told := b.within(map[bool]time.Duration{true: 3 * time.Minute, false: time.Minute}[l.stalls],
				func(s live.State) bool { return s.State == tracker.Stalled })
			if told != l.stalls {
				t.Errorf("stalled: %v, %+v", told, s)
			}
			if told {
				late := s.At.Sub(b.threshold())
				mu.Lock()
				after = append(after, late.Seconds())
				mu.Unlock()
				if l.stalls && (late < -boundaryOff || late > 2*time.Second) {
					t.Errorf("reported %v after the threshold", late)
				}
			}
			_ = syscall.Kill(b.pid, syscall.SIGCONT)
		})
		fmt.Printf("| %s | %d of %d | %d | %s |\n", l.name, begun, rounds, len(after), extremes(after))
	}
}

// inParallelRounds runs a round of a test a number of times, in parallel, as subtests of one with this name, and
// returns when all have ended.
func inParallelRounds(t *testing.T, name string, rounds int, round func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		for range rounds {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				round(t)
			})
		}
	})
}

func extremes(x []float64) string {
	if len(x) == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f, %.2f", slices.Min(x), slices.Max(x))
}

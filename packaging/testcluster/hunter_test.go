package testcluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/profile"
)

// prey lists the kinds of processes that a hunter kills, and the approximate lifetime of each.
var prey = append([]victim{
	{"Prolog", "jobgait-prolog", func([]string) bool { return true }, 40 * time.Millisecond},
	{"reader", "jobgait-agent", func(args []string) bool { return len(args) > 1 && args[1] == "peek" }, 3 * time.Second},
	{"child", "jobgait-epilog", func(args []string) bool {
		return len(args) > 1 && args[1] == "--deliver"
	}, 20 * time.Millisecond},
}, victims...)

// hunter kills one program of each of several jobs, at a moment drawn before.
type hunter struct {
	c    *cluster
	quit chan struct{}
	done sync.WaitGroup

	mu     sync.Mutex
	wanted map[int64]target
	shot   map[string]int
	lost   time.Duration
	loser  string // the agent that lost that
	sealed int    // agents that had written everything when they were shot
}

type target struct {
	victim victim
	after  time.Duration
}

func newHunter(c *cluster) *hunter {
	h := &hunter{c: c, quit: make(chan struct{}), wanted: map[int64]target{}, shot: map[string]int{}}
	h.done.Go(h.prowl)
	return h
}

func (h *hunter) stop() {
	close(h.quit)
	h.done.Wait()
}

func (h *hunter) hunt(id int64, v victim, after time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wanted[id] = target{v, after}
}

// worst is the most that a kill has cost, of samples.
func (h *hunter) worst() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lost
}

// String returns the number of kills, and which of them lost the most samples.
func (h *hunter) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return fmt.Sprint(h.shot, ", ", h.sealed, " agents after they had sealed, most lost by ", h.loser)
}

func (h *hunter) prowl() {
	for {
		select {
		case <-h.quit:
			return
		case <-time.After(4 * time.Millisecond):
			h.look()
		}
	}
}

func (h *hunter) look() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.wanted) == 0 {
		return
	}
	for _, program := range []string{"jobgait-prolog", "jobgait-agent", "jobgait-epilog"} {
		for _, p := range h.c.processes(program) {
			for id, w := range h.wanted {
				if w.victim.program == program && w.victim.is(p.args) && p.worksOn(id) {
					delete(h.wanted, id)
					h.done.Go(func() { h.shoot(p, id, w) })
				}
			}
		}
	}
}

// worksOn reports whether a process belongs to a job: by its arguments, those of its parent, or its variables
// from Slurm.
func (p process) worksOn(id int64) bool {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.pid))
	if p.mentions(id) || strings.Contains("\x00"+string(b), fmt.Sprintf("\x00SLURM_JOB_ID=%d\x00", id)) {
		return true
	}
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	parent := 0
	if _, after, ok := strings.Cut(string(status), "\nPPid:"); ok {
		_, _ = fmt.Sscan(after, &parent)
	}
	return parent > 1 && process{args: arguments(parent)}.mentions(id)
}

// shoot stops a process when its time has come, measures what it has not written, and kills it. A process that
// has ended meanwhile does not count.
func (h *hunter) shoot(p process, id int64, w target) {
	select {
	case <-h.quit:
		return
	case <-time.After(w.after):
	}
	handle, err := os.FindProcess(p.pid)
	if err != nil || !w.victim.is(arguments(p.pid)) || handle.Signal(stopSignal) != nil {
		return
	}
	var lost loss
	if w.victim.name == "agent" {
		lost = unwritten(h.c.runDir(p))
	}
	if handle.Kill() != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.shot[w.victim.name]++
	if lost.sealed {
		h.sealed++
	}
	if lost.time > h.lost {
		h.lost, h.loser = lost.time, lost.of
	}
}

// loss is how much time has passed that no block of a profile has, and of which run
// after how many blocks that is.
type loss struct {
	time   time.Duration
	of     string
	sealed bool
}

// unwritten returns the samples that a kill would lose now. A run that has not begun loses nothing, nor does one that
// is sealed: its job is over, and the agent only looks up names.
func unwritten(dir string) loss {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) != nil {
		return loss{}
	}
	p, err := profile.Read(filepath.Join(dir, "profile.jgp"))
	if err != nil {
		return loss{}
	}
	if p.Footer != nil {
		return loss{sealed: true}
	}
	end, n := p.Header.BaseNS, len(p.Blocks)
	if n > 0 {
		last := p.Blocks[n-1]
		end += (last.First + int64(last.N)) * p.Header.StepNS
	}
	return loss{time: time.Duration(now.Nano() - end),
		of: fmt.Sprintf("%s/%s after %d blocks", filepath.Base(filepath.Dir(dir)), filepath.Base(dir), n)}
}

// A hunter that finds nothing to shoot at proves nothing.
func (h *hunter) mustHaveShot(t *testing.T) {
	t.Helper()
	if len(h.shot) == 0 {
		t.Error("nothing was killed")
	}
}

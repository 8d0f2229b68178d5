package profile_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/profile"
)

// childPath makes the test program the agent that is killed, and names its file. childPace is the number of
// milliseconds of samples per block; 0 means as fast as possible.
const childPath, childPace = "JOBGAIT_TEST_PROFILE", "JOBGAIT_TEST_PACE"

func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		pace, _ := strconv.Atoi(os.Getenv(childPace))
		fmt.Fprintln(os.Stderr, child(path, pace))
		os.Exit(1) // it should have been killed
	}
	os.Exit(m.Run())
}

func monotonic() int64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return t.Nano()
}

// child writes blocks until it is killed, and after each says how many the
// file has.
func child(path string, pace int) error {
	const step = 5e6
	h := profile.Header{Node: "n", StepNS: step, BaseNS: monotonic(), CPUs: 2, Scope: "job",
		Columns: []profile.Column{{Name: "a", Scope: "node"}, {Name: "b", Scope: "node"}}}
	w, err := profile.Create(path, h)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(uint64(os.Getpid()), 1))
	b := profile.Block{Columns: make([][]int64, 2)}
	for n := 1; ; n++ {
		b.First, b.N = b.First+int64(b.N), 160
		if pace > 0 {
			due := time.Duration(h.BaseNS + (b.First+int64(pace)/5)*step - monotonic())
			<-time.After(due)
			b.N = int((monotonic()-h.BaseNS)/step - b.First)
		}
		for c := range b.Columns {
			b.Columns[c] = b.Columns[c][:0]
			for i := range b.N {
				b.Columns[c] = append(b.Columns[c], (b.First+int64(i))*1e6+rng.Int64N(1e6))
			}
		}
		b.MonoNS = monotonic()
		if err := w.Append(b); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// start starts a child; said receives how many blocks it claims to have
// written, and is closed when it is gone.
func start(t testing.TB, path string, pace int) (cmd *exec.Cmd, said chan int) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childPath+"="+path, childPace+"="+strconv.Itoa(pace))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said = make(chan int, 1_000_000)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if n, err := strconv.Atoi(lines.Text()); err == nil {
				said <- n
			}
		}
		close(said)
	}()
	return cmd, said
}

// After a process is killed while it writes as fast as it can, the file contains every block whose write was
// confirmed, and the rest misleads no reader.
func TestKill(t *testing.T) {
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 2))
	for k := range 6 {
		path := filepath.Join(t.TempDir(), "profile.jgp")
		cmd, said := start(t, path, 0)
		last, until := 0, 1+rng.IntN(400)
		for n := range said {
			if last = n; n == until {
				cmd.Process.Kill()
			}
		}
		_ = cmd.Wait() // killed
		p, err := profile.Read(path)
		if err != nil || len(p.Blocks) < last || last < until || p.Footer != nil {
			t.Fatalf("kill %d: %d blocks of %d, %v", k, len(p.Blocks), last, err)
		}
		if p.Damage.BlocksBad > 1 {
			t.Errorf("kill %d: %+v", k, p.Damage)
		}
	}
}

// BenchmarkKill kills writers with the pace of the agent, a block every 0.8 s, at
// random moments, 70 each time round (210 with -benchtime 3x), and prints what
// the worst one lost: from the end of the last sample that can be read to the
// moment of the signal.
func BenchmarkKill(b *testing.B) {
	const together = 35
	var lost []float64
	for b.Loop() {
		for range 2 {
			var all sync.WaitGroup
			var guard sync.Mutex
			for range together {
				all.Go(func() {
					s := killOne(b)
					guard.Lock()
					lost = append(lost, s)
					guard.Unlock()
				})
			}
			all.Wait()
		}
	}
	worst, mean := 0.0, 0.0
	for _, s := range lost {
		worst = max(worst, s)
		mean += s / float64(len(lost))
	}
	b.ReportMetric(worst, "worst-s")
	b.ReportMetric(mean, "mean-s")
	b.ReportMetric(float64(len(lost)), "kills")
}

// killOne returns how many seconds of samples a kill costs.
func killOne(b *testing.B) float64 {
	path := filepath.Join(b.TempDir(), strconv.FormatUint(rand.Uint64(), 36))
	cmd, said := start(b, path, 800)
	<-said // the first block is there
	<-time.After(time.Duration(rand.Int64N(1.6e9)))
	at := monotonic()
	cmd.Process.Kill()
	_ = cmd.Wait()
	p, err := profile.Read(path)
	if err != nil || len(p.Blocks) == 0 {
		b.Error(err)
		return 0
	}
	last := p.Blocks[len(p.Blocks)-1]
	end := p.Header.BaseNS + (last.First+int64(last.N))*p.Header.StepNS
	return float64(at-end) / 1e9
}

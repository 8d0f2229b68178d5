package gpu

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/countertest"
	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/rawcall"
)

// Only the GPUs of the node that a process of the run holds open are read, each from that time on. Nothing is
// started before the first.
func TestOpenFound(t *testing.T) {
	program, env := build(t)
	dev := t.TempDir()
	for _, name := range []string{"nvidia0", "nvidia1", "nvidia7", "nvidiactl", "nvidia-uvm"} {
		put(t, filepath.Join(dev, name), nil)
	}
	p := params(t, t.TempDir(), job.GPUs{}, "/dev/nvidiactl")
	read := t.TempDir()
	p.Dev, p.Helper, p.Env = dev, program, append(env, "FAKE_COUNT=8", "FAKE_READ="+read)
	p.Holders.Now = rawcall.Now
	o := OpenHeldGPUs(p)
	defer closeAll(t, o)
	if len(o.Sources) != 39 || o.Sources[0].EveryNS() != holderCheckNS || o.Sources[13].EveryNS() != 0 {
		t.Fatalf("%d sources", len(o.Sources))
	}
	sinks := make([]countertest.Sink, len(o.Sources))
	drain := func() {
		for i, s := range o.Sources {
			if err := s.Drain(&sinks[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	helperOf := func(gpu int) *helper { return o.Sources[13*gpu].(*heldSource).Source.(*nvColumn).h }
	drain()
	for gpu := range 3 {
		if helperOf(gpu).process != nil {
			t.Fatalf("GPU %d is read before a process holds it", gpu)
		}
	}
	if n := o.Sources[0].Notes(); n != nil || o.Windows() != nil || o.CPU().TotalNS != 0 {
		t.Errorf("notes %v", n)
	}
	opened(t, p.Holders.Proc, 7, "/dev/nvidiactl", "/dev/nvidia1")
	jobtest.Until(t, "the second is read", func() bool {
		drain()
		return len(sinks[13].Readings) > 0 && len(o.Devices()) == 1
	})
	opened(t, p.Holders.Proc, 7, "/dev/nvidiactl", "/dev/nvidia1", "/dev/nvidia0")
	jobtest.Until(t, "the first is read too", func() bool {
		drain()
		return len(sinks[0].Readings) > 0 && len(o.Devices()) == 2
	})
	o.Flush()
	jobtest.Until(t, "both were read again", o.Flushed)
	for i, d := range o.Devices() {
		if d.Index != i || d.Name != []string{"Fake 7", "Fake 6"}[i] {
			t.Errorf("device %+v", d)
		}
	}
	if helperOf(2).process != nil || len(sinks[26].Readings) != 0 {
		t.Error("a GPU that no process of the run holds was read")
	}
	checkRead(t, read, "0", "1")
	if first, second := sinks[0].Readings[0].TimeNS, sinks[13].Readings[0].TimeNS; first <= second {
		t.Errorf("the first counts from %d on, the second from %d on", first, second)
	}
	if err := unix.Kill(helperOf(1).process.Pid, 0); err != nil {
		t.Error(err)
	}
}

// Without device files of NVIDIA there is no search.
func TestOpenFoundOfNothing(t *testing.T) {
	for _, dev := range []string{"", t.TempDir()} {
		if o := OpenHeldGPUs(ReadingParams{Dev: dev}); len(o.Sources) != 0 || o.Flush != nil {
			t.Errorf("%q: %d sources", dev, len(o.Sources))
		}
	}
}

// checkRead checks which GPUs the fake library was queried for.
func checkRead(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("values of GPUs %v were read, want %v", got, want)
	}
}

// The GPUs of another job on a node of eight are never read, whether the scheduler names the job's by number or
// by name.
func TestOtherJobsGPUsAreNotRead(t *testing.T) {
	program, env := build(t)
	for name, g := range map[string]job.GPUs{
		"by number": {Numbers: []int{2, 5}},
		"by name": {UUIDs: []string{"GPU-00000000-0000-0000-0000-000000000005",
			"GPU-00000000-0000-0000-0000-000000000002"}},
	} {
		t.Run(name, func(t *testing.T) {
			dev, read := t.TempDir(), t.TempDir()
			put(t, filepath.Join(dev, "nvidiactl"), nil)
			p := params(t, t.TempDir(), g, "/dev/nvidiactl", "/dev/nvidia2", "/dev/nvidia5")
			p.Dev, p.Helper, p.Env = dev, program, append(env, "FAKE_COUNT=8", "FAKE_READ="+read)
			o := Open(p)
			defer closeAll(t, o)
			var to countertest.Sink
			jobtest.Until(t, "both are read", func() bool {
				for _, s := range o.Sources {
					if err := s.Drain(&to); err != nil {
						t.Fatal(err)
					}
				}
				return len(o.Devices()) == 2 && len(to.Readings) > 0
			})
			o.Flush()
			jobtest.Until(t, "both were read again", o.Flushed)
			checkRead(t, read, "2", "5")
		})
	}
}

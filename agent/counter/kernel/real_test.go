package kernel

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/countertest"
	"jobgait/agent/counter/polled"
)

func monotonic() int64 {
	var ts unix.Timespec
	unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)
	return ts.Nano()
}

func own() Roots { return Roots{"/proc", "/sys"} }

// What this machine has is read for real and held against another file of the
// kernel that counts the same.
func TestRealNode(t *testing.T) {
	have, lack := Node(own())(monotonic)
	for _, s := range lack {
		t.Logf("not on this machine: %s: %s", s.Name, s.Absent)
	}
	if len(have) == 0 {
		t.Fatal("nothing can be read here")
	}
	var to countertest.Sink
	for _, p := range have {
		defer p.Close()
		// a drain waits for no firmware
		for before, end := len(to.Readings), time.Now().Add(30*time.Second); len(to.Readings) < before+2; {
			if err := p.Drain(&to); err != nil || time.Now().After(end) {
				t.Fatalf("%s: %d readings, %v", p.Columns()[0].Name, len(to.Readings)-before, err)
			}
		}
	}
	between(t, Network, 0, 4, func(name string) (sum uint64) {
		return fileNumber(t, "/sys/class/net/"+name+"/statistics/rx_bytes")
	})
	between(t, Disks, 2, 4, func(name string) uint64 {
		return statField(t, "/sys/block/"+name+"/stat", 0)
	})
	between(t, Disks, 1, 4, func(name string) uint64 {
		return statField(t, "/sys/block/"+name+"/stat", 6) * sector
	})
}

// between checks that what a meter says of each device is between what another
// file said before and says after.
func between(t *testing.T, open func(Roots) (polled.Meter, error), column, columns int,
	other func(name string) uint64) {
	t.Helper()
	m, err := open(own())
	if err != nil {
		t.Log(err)
		return
	}
	defer m.Close()
	names := strings.Split(m.Event, ",")
	cells, before := make([]uint64, m.Cells), make([]uint64, len(names))
	for i, name := range names {
		before[i] = other(name)
	}
	if err := m.Read(cells); err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		if v := cells[i*columns+column]; v < before[i] || v > other(name) {
			t.Errorf("%s of %s: %d, not in %d..%d", m.Columns[column].Name, name, v, before[i], other(name))
		}
	}
}

func fileNumber(t *testing.T, path string) uint64 { return statField(t, path, 0) }

func statField(t *testing.T, path string, field int) uint64 {
	t.Helper()
	v, err := strconv.ParseUint(strings.Fields(ReadText(path))[field], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// The node is busy for at least as long as this process.
func TestRealNodeCPU(t *testing.T) {
	have, lack := NodeBusyTime(own())(monotonic)
	if len(have) != 1 {
		t.Fatal(lack)
	}
	p := have[0]
	defer p.Close()
	var to countertest.Sink
	if err := p.Drain(&to); err != nil {
		t.Fatal(err)
	}
	used := burn(200 * time.Millisecond)
	if err := p.Drain(&to); err != nil {
		t.Fatal(err)
	}
	r, _ := to.Last(0)
	// Each CPU's time is in whole ticks of the kernel, and rounded to 10 ms.
	if got := time.Duration(r.Counts[0]); got < used-30*time.Millisecond {
		t.Errorf("the node was busy for %v, this thread for %v", got, used)
	}
	if r.Counts[0]%tick != 0 {
		t.Errorf("%d ns are no whole ticks", r.Counts[0])
	}
}

// burn uses CPU time of the process.
func burn(d time.Duration) time.Duration {
	begun := processCPU()
	for processCPU()-begun < d {
		for range 1000 {
		}
	}
	return processCPU() - begun
}

func processCPU() time.Duration {
	var ts unix.Timespec
	unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts)
	return time.Duration(ts.Nano())
}

// realGroups returns how to make a cgroup here: in v2, and in the controllers
// of v1, whichever are mounted.
func realGroups() map[string]JobCgroup {
	found := map[string]JobCgroup{}
	for _, mount := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		if exists(filepath.Join(mount, "cgroup.controllers")) {
			found["v2"] = JobCgroup{roots: own(), mount: mount, v2: true}
		}
	}
	if exists("/sys/fs/cgroup/cpuacct/cgroup.procs") {
		found["v1"] = NewJobCgroup(own(), nil)
	}
	return found
}

func (j JobCgroup) controllers() []string {
	if j.v2 {
		return []string{""}
	}
	return slices.DeleteFunc([]string{"cpuacct", "memory", "blkio"}, func(c string) bool { return !j.hasController(c) })
}

// A real cgroup appears after the sources were opened, a program runs in it, and
// it goes: its CPU time is what the kernel accounts to the program.
func TestRealJobCgroup(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("making a cgroup needs root")
	}
	groups := realGroups()
	if len(groups) == 0 {
		t.Skip("no cgroup file system")
	}
	for version, j := range groups {
		t.Run(version, func(t *testing.T) { testRealCgroup(t, j) })
	}
}

func testRealCgroup(t *testing.T, j JobCgroup) {
	name := fmt.Sprintf("jobgait-test-%d", os.Getpid())
	j.dir = func(c string) (string, bool) { return filepath.Join(j.mount, c, name), true }
	have, lack := JobUsage(j)(monotonic)
	for _, s := range lack {
		t.Logf("not here: %s: %s", s.Name, s.Absent)
	}
	var to countertest.Sink
	for _, p := range have {
		defer p.Close()
		p.Start()
		if err := p.Drain(&to); err != nil || len(to.Readings) != 0 {
			t.Fatalf("before there is a cgroup: %v, %v", err, to.Readings)
		}
	}
	used, wrote := runInside(t, j)
	total := map[string]uint64{}
	for _, p := range have {
		if err := p.Drain(&to); err != nil {
			t.Errorf("%s: %v", p.Columns()[0].Name, err)
			continue
		}
		r, _ := to.Last(0)
		for i, c := range p.Columns() {
			total[c.Name] = r.Counts[i]
		}
	}
	t.Logf("%v, rusage %v", total, used)
	if got := time.Duration(total["cgroup_cpu"]); math.Abs(float64(got-used)) > 0.05*float64(used)+20e6 {
		t.Errorf("%v of CPU time, the kernel says %v of the program", got, used)
	}
	if v, ok := total["cgroup_write_bytes"]; ok && wrote && v != 0 && v < 1<<20 {
		t.Errorf("%d bytes written of 1 MiB", v)
	}
	for _, c := range j.controllers() {
		dir, _ := j.dir(c)
		removeSoon(t, dir)
	}
	n := len(to.Readings)
	for _, p := range have {
		if err := p.Drain(&to); err != nil || len(to.Readings) != n {
			t.Errorf("%s after the cgroup went: %v, %d more readings", p.Columns()[0].Name, err, len(to.Readings)-n)
		}
	}
}

// runInside makes the cgroups and runs a program in them that uses CPU time and, if the file system permits,
// writes a MiB that bypasses the page cache.
func runInside(t *testing.T, j JobCgroup) (used time.Duration, wrote bool) {
	t.Helper()
	join := ""
	for _, c := range j.controllers() {
		dir, _ := j.dir(c)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Skipf("this machine makes no cgroups: %v", err)
		}
		t.Cleanup(func() { os.Remove(dir) })
		join += "echo $$ > " + dir + "/cgroup.procs; "
	}
	out := filepath.Join(t.TempDir(), "written")
	cmd := exec.Command("sh", "-c", join+"i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done; "+
		"exec dd if=/dev/zero of="+out+" bs=65536 count=16 oflag=direct 2>/dev/null")
	wrote = cmd.Run() == nil
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), wrote
}

// removeSoon removes a cgroup, which the kernel allows once the last process in
// it is wholly gone.
func removeSoon(t *testing.T, dir string) {
	for deadline := time.Now().Add(20 * time.Second); ; {
		err := os.Remove(dir)
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

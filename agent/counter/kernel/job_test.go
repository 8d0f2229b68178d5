package kernel

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jobgait/agent/counter/countertest"
	"jobgait/agent/counter/polled"
)

// group2 and group1 are the files of a job's cgroup in both versions.
func group2(at string) map[string]string {
	return map[string]string{
		at + "/cpu.stat":       "usage_usec 26768\nuser_usec 1\nsystem_usec 2\nthrottled_usec 7\n",
		at + "/memory.current": "4096\n",
		at + "/memory.stat":    "anon 1000\nfile 3072\nshmem 24\n",
		at + "/memory.max":     "2097152\n",
		at + "/../memory.max":  "1048576\n",
		at + "/cpu.max":        "50000 100000\n",
		at + "/../cpu.max":     "max 100000\n",
		at + "/memory.events":  "low 0\nhigh 0\nmax 9\noom 2\noom_kill 1\noom_group_kill 0\n",
		at + "/io.stat": "7:0 rbytes=5 wbytes=5\n8:0 rbytes=100 wbytes=200 rios=1 wios=1 dbytes=0 dios=0\n253:0 " +
			"rbytes=100 wbytes=200 rios=1 wios=1\n259:0 \n",
		at + "/cpu.pressure": "some avg10=0.00 avg60=0.00 avg300=0.00 total=1\nfull avg10=0.00 avg60=0.00 avg300=0.00 " +
			"total=1\n",
		at + "/io.pressure": "some avg10=0.00 avg60=0.00 avg300=0.00 total=9\nfull avg10=0.00 avg60=0.00 avg300=0.00 " +
			"total=2\n",
		at + "/memory.pressure": "some avg10=0.00 avg60=0.00 avg300=0.00 total=9\nfull avg10=0.00 avg60=0.00 avg300=0.00 " +
			"total=3\n",
	}
}

func group1(root, at string) map[string]string {
	return map[string]string{
		root + "blkio/blkio.throttle.io_service_bytes_recursive": "8:0 Read 7\nTotal 7\n",
		root + "cpuacct/" + at + "/cpuacct.usage":                "26768000\n",
		root + "memory/" + at + "/memory.usage_in_bytes":         "4096\n",
		root + "memory/" + at + "/memory.stat": "cache 5\nrss 1\nhierarchical_memory_limit " +
			"1048576\ntotal_cache 9\ntotal_rss 1000\ntotal_shmem 24\n",
		root + "memory/" + at + "/step_0/task_1/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n",
		root + "cpu/" + at + "/cpu.stat": "nr_periods 5\nnr_throttled " +
			"2\nthrottled_time 7000\n",
		root + "cpu/" + at + "/cpu.cfs_quota_us":     "-1\n",
		root + "cpu/" + at + "/cpu.cfs_period_us":    "100000\n",
		root + "cpu/" + at + "/../cpu.cfs_quota_us":  "50000\n",
		root + "cpu/" + at + "/../cpu.cfs_period_us": "100000\n",
		root + "blkio/" + at + "/blkio.throttle.io_service_bytes_recursive": "7:0 Read 5\n8:0 Read 100\n8:0 Write " +
			"200\n8:0 Sync 300\n8:0 Total 300\nTotal 305\n",
	}
}

// jobTree makes a node with a cgroup file system; files exist from the beginning.
func jobTree(t *testing.T, controllers string, files ...map[string]string) (Roots, string) {
	all := map[string]string{
		"proc/pressure/cpu":     "",
		"sys/block/sda/dev":     "8:0\n",
		"sys/block/sda/device/": "",
		"sys/block/nvme0n1/dev": "259:0\n", "sys/block/nvme0n1/device/": "",
		"sys/block/dm-0/dev": "253:0\n",
	}
	if controllers != "" {
		all["sys/fs/cgroup/cgroup.controllers"] = controllers + "\n"
	}
	for _, f := range files {
		maps.Copy(all, f)
	}
	root := plant(t, all)
	return Roots{root + "/proc", root + "/sys"}, root
}

func TestJobCgroup(t *testing.T) {
	v1 := "sys/fs/cgroup/"
	want := map[string]uint64{"cgroup_cpu": 26768000, "cgroup_mem": 4096, "cgroup_anon": 1024,
		"cgroup_read_bytes": 100, "cgroup_write_bytes": 200,
		"cgroup_oom_kills": 1, "cgroup_throttled": 7000, "cgroup_mem_limit": 1 << 20, "cgroup_cpu_limit": 500_000_000}
	for name, c := range map[string]struct {
		controllers string
		files       map[string]string
		dir         func(root, controller string) string
		more        map[string]uint64
	}{
		"v2": {"cpu io memory", group2("sys/fs/cgroup/job_5"),
			func(root, _ string) string { return root + "/sys/fs/cgroup/job_5" },
			map[string]uint64{"cgroup_psi_cpu_some": 1000, "cgroup_psi_io_full": 2000, "cgroup_psi_mem_full": 3000}},
		"v1": {"", group1(v1, "slurm/job_5"),
			func(root, c string) string { return filepath.Join(root, v1, c, "slurm/job_5") }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r, root := jobTree(t, c.controllers, c.files)
			j := NewJobCgroup(r, func(controller string) (string, bool) { return c.dir(root, controller), true })
			have, lack := JobUsage(j)(clock())
			limits, lackLimits := JobLimits(j)(clock())
			lack = append(lack, lackLimits...)
			for _, p := range append(have, limits...) {
				for _, col := range p.Columns() {
					if col.Scope != "job" {
						t.Errorf("%+v", col)
					}
				}
				p.Close()
			}
			got := map[string]uint64{}
			for _, open := range []func() (polled.Meter, error){j.CPU, j.Memory, j.Anonymous, j.Disk, j.Pressure, j.OOMKills,
				j.Throttled, j.MemoryLimit, j.CPULimit} {
				if m, err := open(); err == nil {
					maps.Copy(got, cells(t, m, nil))
				}
			}
			all := maps.Clone(want)
			maps.Copy(all, c.more)
			if !maps.Equal(got, all) {
				t.Errorf("got  %v\nwant %v", got, all)
			}
			if len(lack) != 1-min(1, len(c.more)) {
				t.Errorf("lacking %+v", lack)
			}
		})
	}
}

// The cgroup appears while the agent runs, is removed, and is made again.
func TestJobCgroupAppearsLate(t *testing.T) {
	r, root := jobTree(t, "cpu io memory")
	at := root + "/sys/fs/cgroup/job_5"
	known := false
	j := NewJobCgroup(r, func(string) (string, bool) { return at, known })
	have, lack := JobUsage(j)(clock())
	if len(have) != 5 || len(lack) != 0 {
		t.Fatalf("%d sources, lacking %v", len(have), lack)
	}
	cpu := have[0]
	var to countertest.Sink
	check := func(what string, readings int, want uint64) {
		t.Helper()
		if err := cpu.Drain(&to); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if len(to.Readings) != readings {
			t.Fatalf("%s: readings %+v", what, to.Readings)
		}
		if r, ok := to.Last(0); ok && r.Counts[0] != want {
			t.Fatalf("%s: %d, want %d", what, r.Counts[0], want)
		}
	}
	cpu.Start()
	check("cgroup unknown", 0, 0)
	known = true
	check("known, and not there", 0, 0)
	put(t, at, "cpu.stat", "usage_usec 7\n")
	check("there", 2, 7000)
	put(t, at, "cpu.stat", "usage_usec 9\n")
	check("more", 3, 9000)
	// A file of a removed cgroup returns ENODEV, but the plain file of this test can still be read, so the test
	// removes its name as well.
	cpu.Close()
	os.RemoveAll(at)
	check("gone", 3, 9000)
	put(t, at, "cpu.stat", "usage_usec 2\n")
	check("made anew", 4, 11000)
	for _, p := range have {
		p.Close()
	}
}

func TestJobCgroupLacksAController(t *testing.T) {
	r, root := jobTree(t, "cpu", group2("sys/fs/cgroup/job_5"))
	at := root + "/sys/fs/cgroup/job_5"
	os.Remove(at + "/cpu.stat")
	have, lack := JobUsage(NewJobCgroup(r, func(string) (string, bool) { return at, true }))(clock())
	var names []string
	for _, s := range lack {
		names = append(names, s.Name)
	}
	if got := strings.Join(names, " "); len(have) != 1 || got != "cgroup_cpu cgroup_mem cgroup_anon cgroup_disk" {
		t.Errorf("%d sources, lacking %s", len(have), got)
	}
}

// If slurmd does not enable the controller, jobs have every file except io.stat, and the note says how to enable
// it.
func TestJobWithoutIOController(t *testing.T) {
	r, root := jobTree(t, "cpu io memory")
	at, there := root+"/sys/fs/cgroup/job_5", false
	have, _ := JobUsage(NewJobCgroup(r, func(string) (string, bool) { return at, there }))(clock())
	there = true // after the Prolog
	for name, text := range group2("") {
		put(t, at, name, text)
	}
	os.Remove(at + "/io.stat")
	told := ""
	for _, p := range have {
		var to countertest.Sink
		_ = p.Drain(&to) // its error is in the note
		for _, n := range p.Notes() {
			told += n.Text + "\n"
		}
		p.Close()
	}
	if strings.Count(told, "\n") != 1 || !strings.Contains(told, "jobgait doctor says how") {
		t.Errorf("reported: %s", told)
	}
}

// A kernel whose blkio counts nothing gives a reason and not 0 bytes.
func TestBlkioThatCountsNothing(t *testing.T) {
	const root = "sys/fs/cgroup/"
	r, at := jobTree(t, "", group1(root, "job_5"))
	put(t, at, root+"blkio/blkio.throttle.io_service_bytes_recursive", "Total 0\n")
	_, lack := JobUsage(NewJobCgroup(r, func(c string) (string, bool) {
		return filepath.Join(at, root, c, "job_5"), true
	}))(clock())
	for _, s := range lack {
		if s.Name == "cgroup_disk" && strings.Contains(s.Absent, "throttled") {
			return
		}
	}
	t.Errorf("lacking %+v", lack)
}

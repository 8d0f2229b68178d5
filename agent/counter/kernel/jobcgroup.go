package kernel

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"jobgait/agent/counter/polled"
	"jobgait/agent/profile"
)

// JobCgroup opens the files of the job's cgroup, which may not exist yet.
type JobCgroup struct {
	roots Roots
	mount string // mount of cgroup v2, or directory of the v1 controllers
	v2    bool
	dir   CgroupDirFunc
}

// CgroupDirFunc returns the job's cgroup directory, false while it does not exist: of v2 for "", of v1 for each of
// cpuacct, memory and blkio. It is called at every reading.
type CgroupDirFunc func(controller string) (dir string, ok bool)

// NewJobCgroup returns the JobCgroup for the cgroup version of this node: v1 if both are mounted.
func NewJobCgroup(r Roots, dir CgroupDirFunc) JobCgroup {
	mount := filepath.Join(r.Sys, "fs/cgroup")
	return JobCgroup{roots: r, mount: mount, v2: exists(filepath.Join(mount, "cgroup.controllers")), dir: dir}
}

// hasController reports whether this node has a controller, as far as can be known before the job's cgroup
// exists.
func (j JobCgroup) hasController(controller string) bool {
	if !j.v2 {
		return exists(filepath.Join(j.mount, controller))
	}
	return slices.Contains(strings.Fields(ReadText(filepath.Join(j.mount, "cgroup.controllers"))), controller)
}

// filesOf returns files of the job's cgroup directory for a controller.
func (j JobCgroup) filesOf(controller string, names ...string) *movingFiles {
	if j.v2 {
		controller = ""
	}
	return newMovingFiles(func() (string, bool) { return j.dir(controller) }, names...)
}

// singleMeter returns a meter of one number in one file.
func (j JobCgroup) singleMeter(controller string, c profile.Column, name string, everyNS int64,
	read func(p *movingFiles) (uint64, error)) polled.Meter {
	p := j.filesOf(controller, name)
	c.Scope = "job"
	return polled.Meter{Columns: []profile.Column{c}, Event: name, PMU: "cgroup", Config: j.version() + name,
		EveryNS: everyNS,
		Read: func(cells []uint64) (err error) {
			cells[0], err = read(p)
			if err != nil {
				cells[0] = polled.NoCell
			}
			return err
		},
		Close: p.close,
	}
}

// version returns "v1 " or "v2 ", for the config of a source.
func (j JobCgroup) version() string {
	if j.v2 {
		return "v2 "
	}
	return "v1 "
}

var errController = errors.New("the cgroup controller of this counter is not mounted on this node: the counter is " +
	"left out")

// errNoIO is reported on a node whose io controller is not enabled: slurmd does not enable it.
var errNoIO = errors.New("the cgroups of jobs have no io.stat on this node: jobgait doctor says how to enable it")

// CPU returns a meter of the job's CPU time, as of the last clock tick of each CPU; the files have microseconds
// (v2) or nanoseconds (v1). Its note says for all meters that the job never had a cgroup.
func (j JobCgroup) CPU() (polled.Meter, error) {
	column := profile.Column{Name: "cgroup_cpu", Unit: "ns"}
	controller, name := "", "cpu.stat"
	read := func(p *movingFiles) (uint64, error) {
		us, err := p.readKey("usage_usec")
		if err == nil && us >= 1<<53 {
			err = p.malformed(0)
		}
		return us * 1000, err
	}
	if !j.v2 {
		controller, name = "cpuacct", "cpuacct.usage"
		read = func(p *movingFiles) (uint64, error) { return p.readNumber(0) }
		if !j.hasController(controller) {
			return polled.Meter{}, errController
		}
	}
	m := j.singleMeter(controller, column, name, every5Hz, read)
	m.OwnCount = true
	m.NeverText = "the job had no cgroup of its own: what is counted by cgroup is missing"
	return m, nil
}

// Memory returns a meter of all memory charged to the job, page cache included.
func (j JobCgroup) Memory() (polled.Meter, error) {
	if !j.hasController("memory") {
		return polled.Meter{}, errController
	}
	name := "memory.current"
	if !j.v2 {
		name = "memory.usage_in_bytes"
	}
	return j.singleMeter("memory", profile.Column{Name: "cgroup_mem", Unit: "bytes", Gauge: true}, name, every5Hz,
		func(p *movingFiles) (uint64, error) { return p.readNumber(0) }), nil
}

// Anonymous returns a meter of the job's memory without page cache: anonymous and shared. It is read once a
// second, because the kernel collects memory.stat from all CPUs.
func (j JobCgroup) Anonymous() (polled.Meter, error) {
	if !j.hasController("memory") {
		return polled.Meter{}, errController
	}
	key, shared := "anon", "shmem"
	if !j.v2 {
		key, shared = "total_rss", "total_shmem"
	}
	return j.singleMeter("memory", profile.Column{Name: "cgroup_anon", Unit: "bytes", Gauge: true}, "memory.stat",
		every1Hz,
		func(p *movingFiles) (uint64, error) {
			b, err := p.read(0)
			own, ok := findKey(b, key)
			if err == nil && !ok {
				err = p.malformed(0)
			}
			more, _ := findKey(b, shared) // older kernels do not say
			return min(own, 1<<60) + min(more, 1<<60), err
		}), nil
}

// OOMKills returns a meter of the number of the job's processes that were killed for lack of memory.
func (j JobCgroup) OOMKills() (polled.Meter, error) {
	if !j.hasController("memory") {
		return polled.Meter{}, errController
	}
	if !j.v2 {
		return j.killsV1(), nil
	}
	return j.singleMeter("memory", profile.Column{Name: "cgroup_oom_kills", Unit: "kills"}, "memory.events", every1Hz,
		func(p *movingFiles) (uint64, error) { return p.readKey("oom_kill") }), nil
}

// Pressure returns a meter of the times for which some process of the job waited for a CPU, and for which all waited
// for disk and for memory (v2 only). The error says that the kernel does not report them.
func (j JobCgroup) Pressure() (polled.Meter, error) {
	if !j.v2 || !exists(filepath.Join(j.roots.Proc, "pressure")) {
		return polled.Meter{}, errors.New("this kernel reports no pressure (PSI) of cgroups: boot it with psi=1")
	}
	return pressure("cgroup_psi", "job", "v2 cpu.pressure",
		j.filesOf("", "cpu.pressure", "io.pressure", "memory.pressure")), nil
}

// Disk returns a meter of the bytes that the job read from and wrote to whole disks. Reads from the page cache
// do not count, and writes count when they reach the disk.
func (j JobCgroup) Disk() (polled.Meter, error) {
	disks, err := wholeDisks(j.roots.Sys)
	if err != nil {
		return polled.Meter{}, err
	}
	controller, name, parse := "io", "io.stat", parseIOStat
	if !j.v2 {
		controller, name, parse = "blkio", "blkio.throttle.io_service_bytes_recursive", parseBlkio
	}
	if !j.hasController(controller) {
		return polled.Meter{}, errController
	}
	devices := make([]string, len(disks))
	for i, d := range disks {
		devices[i] = d.device
	}
	if !j.v2 && !countsAny(filepath.Join(j.mount, controller, name), devices) {
		return polled.Meter{}, errors.New("the job's disk I/O is not measured: this kernel's blkio counts only throttled " +
			"I/O: use cgroup v2")
	}
	p := j.filesOf(controller, name)
	return polled.Meter{
		Columns: []profile.Column{
			{Name: "cgroup_read_bytes", Unit: "bytes", Scope: "job"},
			{Name: "cgroup_write_bytes", Unit: "bytes", Scope: "job"},
		},
		Event: strings.Join(devices, ","), PMU: "cgroup", Config: j.version() + name, EveryNS: every5Hz,
		Cells: 2 * len(devices),
		Read: func(cells []uint64) error {
			b, err := p.read(0)
			if j.v2 && errors.Is(err, fs.ErrNotExist) {
				return errNoIO
			}
			if err != nil {
				return err
			}
			clear(cells) // a disk that the job never used has no line
			return parse(b, devices, cells)
		},
		Close: p.close,
	}, nil
}

// countsAny reports whether blkio counted any bytes of these disks since boot. Since Linux 6.10 it counts
// nothing until a limit is set.
func countsAny(path string, devices []string) bool {
	b, err := os.ReadFile(path)
	cells := make([]uint64, 2*len(devices))
	if err != nil || parseBlkio(b, devices, cells) != nil {
		return false
	}
	return slices.Max(cells) > 0
}

// parseIOStat fills the bytes read and written of each device from a v2 io.stat.
//
//	8:0 rbytes=90430464 wbytes=299008000 rios=8950 wios=1252 dbytes=0 dios=0
func parseIOStat(b []byte, devices []string, cells []uint64) error {
	for len(b) > 0 {
		var line []byte
		line, b = cutLine(b)
		device, rest := cutField(line)
		i := indexOf(devices, device)
		if i < 0 {
			continue
		}
		for len(rest) > 0 {
			var f []byte
			f, rest = cutField(rest)
			key, value, _ := bytes.Cut(f, []byte("="))
			at := 2 * i
			switch string(key) {
			case "rbytes":
			case "wbytes":
				at++
			default:
				continue
			}
			v, _, ok := cutNumber(value)
			if !ok {
				return errUnexpectedFormat
			}
			cells[at] = v
		}
	}
	return nil
}

// parseBlkio fills the bytes read and written of each device from a v1 blkio file of service bytes.
//
//	254:0 Read 90430464
//	254:0 Write 299008000
func parseBlkio(b []byte, devices []string, cells []uint64) error {
	for len(b) > 0 {
		var line []byte
		line, b = cutLine(b)
		device, rest := cutField(line)
		i := indexOf(devices, device)
		if i < 0 {
			continue
		}
		way, rest := cutField(rest)
		at := 2 * i
		switch string(way) {
		case "Read":
		case "Write":
			at++
		default:
			continue
		}
		v, _, ok := cutNumber(rest)
		if !ok {
			return errUnexpectedFormat
		}
		cells[at] = v
	}
	return nil
}

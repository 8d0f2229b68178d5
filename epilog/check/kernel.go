package check

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"jobgait/agent/cgroup"
	"jobgait/agent/counter/kernel"
	"jobgait/agent/counter/perf"
)

// oldest is the kernel of the oldest distribution that sites still run, RHEL 8.
var oldest = version{4, 18}

func (n Node) kernel() Finding {
	text, err := os.ReadFile(n.path("proc/sys/kernel/osrelease"))
	release := strings.TrimSpace(string(text))
	v, known := parseVersion(release)
	switch {
	case err != nil:
		return unseen("kernel", "", "%v", err)
	case known && v.before(oldest):
		return warn("kernel", "", "Linux %s is older than %d.%d, the oldest that this is made for: the report of a job "+
			"says what could not be counted", release, oldest.major, oldest.minor)
	}
	return ok("kernel", "Linux %s", release)
}

// perf is what the kernel lets be counted: hooks run as root, `jobgait run` as
// anybody.
func (n Node) perf() Finding {
	const subject = "perf"
	open := n.open
	if open == nil {
		open = perf.Open
	}
	level, there := kernel.Paranoid(n.path("proc"))
	pid, cpu, enough := -1, 0, 0
	if !root() { // only what is his own
		pid, cpu, enough = 0, -1, 2
	}
	attr := perf.Timer(1e9, unix.PERF_SAMPLE_TIME)
	if !root() { // what is his own at level 2
		attr.Bits |= unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv
	}
	fd, err := open(&attr, pid, cpu, -1, 0)
	if err == nil {
		_ = unix.Close(fd)
	}
	if err != nil || !there {
		why, cure := perf.Refusal(n.path("proc"), enough, errors.Join(err))
		do := ""
		if cure != "" {
			do = fmt.Sprintf("sysctl -w kernel.perf_event_paranoid=%d", enough)
		}
		return warn(subject, do, "no perf events for %s: %s; only files below /proc are read, and periods are found from "+
			"them seldom", whom(), why)
	}
	return ok(subject, "%s may count; kernel.perf_event_paranoid is %d: with jobgait run ordinary users count %s", whom(),
		level, usersCount(level))
}

func whom() string {
	if root() {
		return "root, and so the agent,"
	}
	return "this account"
}

func usersCount(level int) string {
	switch {
	case level <= 1:
		return "their own processes, with what the kernel does for them"
	case level == 2:
		return "the user code of their own processes"
	}
	return "nothing but files below /proc"
}

// cgroup is where jobs are counted by themselves.
func (n Node) cgroup(s answers) []Finding {
	const subject = "cgroup"
	text, err := os.ReadFile(n.path("proc/self/mountinfo"))
	if err != nil {
		return []Finding{unseen(subject, "", "%v", err)}
	}
	mounts := cgroup.ParseMounts(text)
	v2 := slices.IndexFunc(mounts, func(m cgroup.Mount) bool { return m.Unified })
	v1 := slices.ContainsFunc(mounts, func(m cgroup.Mount) bool {
		return !m.Unified && (m.Has("memory") || m.Has("cpuacct"))
	})
	layout := map[[2]bool]string{{true, false}: "v2", {false, true}: "v1",
		{true, true}: "v1 and v2 (hybrid)"}[[2]bool{v2 >= 0, v1}]
	if layout == "" {
		return []Finding{warn(subject, "", "no cgroups are mounted: a job's own counters and its memory stay unknown")}
	}
	if track := s.one("ProctrackType"); track != "" && track != "proctrack/cgroup" {
		return []Finding{warn(subject, "",
			"%s, but ProctrackType=%s gives jobs none: of jobs that share a node only files below /proc are counted "+
				"(ProctrackType=proctrack/cgroup in slurm.conf)", layout, track)}
	}
	if v1 {
		note := ""
		if !slices.ContainsFunc(mounts, func(m cgroup.Mount) bool { return m.Has("perf_event") }) {
			note = ", without perf_event: jobs that share a node have no counters of their own"
		}
		return []Finding{ok(subject, "%s%s", layout, note)}
	}
	return []Finding{ok(subject, "%s", layout), n.io(mounts[v2].Dir, s)}
}

// enablesIO is the first Slurm whose cgroup.conf has a word for it.
var enablesIO = version{25, 5}

// io is whether jobs of cgroup v2 get an io.stat: it is the parent that has to pass
// the controller on, and slurmd does not by itself.
func (n Node) io(mount string, s answers) Finding {
	const subject = "io"
	mount = n.path(mount)
	scopes, _ := filepath.Glob(filepath.Join(mount, "*.slice", "*slurmstepd.scope"))
	if len(scopes) == 0 {
		return unseen(subject, "systemctl start slurmd", "no slurmstepd.scope below %s: slurmd has not been started here",
			mount)
	}
	for _, scope := range scopes {
		if passesOn(filepath.Join(scope, "cgroup.subtree_control"), "io") {
			continue
		}
		if !passesOn(filepath.Join(mount, "cgroup.controllers"), "io") {
			return warn(subject, "", "this kernel has no io controller: what jobs read and write is not counted by job")
		}
		// Written there it holds until the node is booted; jobs that run do not notice.
		do := fmt.Sprintf("echo +io >%s/cgroup.subtree_control   # in a drop-in of slurmd.service as ExecStartPost, to last",
			scope)
		if v, known := parseVersion(s.one("SLURM_VERSION")); known && !v.before(enablesIO) {
			do = fmt.Sprintf("echo EnableExtraControllers=io >>%s && systemctl restart slurmd",
				filepath.Join(filepath.Dir(n.conf(s)), "cgroup.conf"))
		}
		return warn(subject, do, "jobs have no io.stat: slurmd does not enable the io controller, so what they read and "+
			"write is not counted by job")
	}
	return ok(subject, "jobs have an io.stat")
}

// passesOn is whether a list of controllers has one.
func passesOn(path, controller string) bool {
	text, _ := os.ReadFile(path)
	return slices.Contains(strings.Fields(string(text)), controller)
}

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

// oldestKernel is the oldest supported kernel, that of RHEL 8.
var oldestKernel = version{4, 18}

// checkKernel checks that the kernel is not older than oldestKernel.
func (n Node) checkKernel() Finding {
	text, err := os.ReadFile(n.path("proc/sys/kernel/osrelease"))
	release := strings.TrimSpace(string(text))
	v, known := parseVersion(release)
	switch {
	case err != nil:
		return notChecked("kernel", "", "%v", err)
	case known && v.before(oldestKernel):
		return warning("kernel", "", "Linux %s is older than %d.%d, the oldest supported version: the report of a job "+
			"says what could not be counted", release, oldestKernel.major, oldestKernel.minor)
	}
	return passed("kernel", "Linux %s", release)
}

// checkPerf checks whether the kernel permits perf events to this account: on all CPUs for root, as in the
// hooks, else of its own processes, as in `jobgait run`.
func (n Node) checkPerf() Finding {
	const subject = "perf"
	open := n.open
	if open == nil {
		open = perf.Open
	}
	level, there := kernel.Paranoid(n.path("proc"))
	pid, cpu, enough := -1, 0, 0
	if !isRoot() { // only what is his own
		pid, cpu, enough = 0, -1, 2
	}
	attr := perf.Timer(1e9, unix.PERF_SAMPLE_TIME)
	if !isRoot() { // what is his own at level 2
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
		return warning(subject, do,
			"no perf events for %s: %s; only files below /proc are read, in which periods are rarely "+
				"found", accountText(), why)
	}
	return passed(subject, "%s may count; kernel.perf_event_paranoid is %d: with jobgait run ordinary users count %s",
		accountText(),
		level, userScopeText(level))
}

// accountText returns the words for this account in a finding.
func accountText() string {
	if isRoot() {
		return "root, and so the agent,"
	}
	return "this account"
}

// userScopeText returns what ordinary users may count at a level of kernel.perf_event_paranoid, in words.
func userScopeText(level int) string {
	switch {
	case level <= 1:
		return "their own processes, with what the kernel does for them"
	case level == 2:
		return "the user code of their own processes"
	}
	return "nothing but files below /proc"
}

// checkCgroups checks which cgroup versions are mounted and whether Slurm puts jobs into cgroups, so that jobs
// on a shared node are counted separately.
func (n Node) checkCgroups(s controllerConfig) []Finding {
	const subject = "cgroup"
	text, err := os.ReadFile(n.path("proc/self/mountinfo"))
	if err != nil {
		return []Finding{notChecked(subject, "", "%v", err)}
	}
	mounts := cgroup.ParseMounts(text)
	v2 := slices.IndexFunc(mounts, func(m cgroup.Mount) bool { return m.Unified })
	v1 := slices.ContainsFunc(mounts, func(m cgroup.Mount) bool {
		return !m.Unified && (m.Has("memory") || m.Has("cpuacct"))
	})
	layout := map[[2]bool]string{{true, false}: "v2", {false, true}: "v1",
		{true, true}: "v1 and v2 (hybrid)"}[[2]bool{v2 >= 0, v1}]
	if layout == "" {
		return []Finding{warning(subject, "",
			"no cgroups are mounted: a job's own counters and its memory stay unknown: mount cgroup2 at /sys/fs/cgroup")}
	}
	if track := s.value("ProctrackType"); track != "" && track != "proctrack/cgroup" {
		return []Finding{warning(subject, "",
			"%s, but ProctrackType=%s gives jobs none: of jobs that share a node only files below /proc are counted "+
				"(ProctrackType=proctrack/cgroup in slurm.conf)", layout, track)}
	}
	if v1 {
		note := ""
		if !slices.ContainsFunc(mounts, func(m cgroup.Mount) bool { return m.Has("perf_event") }) {
			note = ", without perf_event: jobs that share a node have no counters of their own"
		}
		return []Finding{passed(subject, "%s%s", layout, note)}
	}
	return []Finding{passed(subject, "%s", layout), n.checkIOController(mounts[v2].Dir, s)}
}

// extraControllersSince is the first Slurm version whose cgroup.conf has EnableExtraControllers.
var extraControllersSince = version{25, 5}

// checkIOController checks whether jobs of cgroup v2 have an io.stat: the parent cgroup must enable the io
// controller, which slurmd does not do by itself.
func (n Node) checkIOController(mount string, s controllerConfig) Finding {
	const subject = "io"
	mount = n.path(mount)
	scopes, _ := filepath.Glob(filepath.Join(mount, "*.slice", "*slurmstepd.scope"))
	if len(scopes) == 0 {
		return notChecked(subject, "systemctl start slurmd", "no slurmstepd.scope below %s: slurmd has not been started here",
			mount)
	}
	for _, scope := range scopes {
		if hasController(filepath.Join(scope, "cgroup.subtree_control"), "io") {
			continue
		}
		if !hasController(filepath.Join(mount, "cgroup.controllers"), "io") {
			return warning(subject, "", "this kernel has no io controller: what jobs read and write is not counted by job")
		}
		// Written there it holds until the node is booted; jobs that run do not notice.
		do := fmt.Sprintf("echo +io >%s/cgroup.subtree_control   # in a drop-in of slurmd.service as ExecStartPost, to last",
			scope)
		if v, known := parseVersion(s.value("SLURM_VERSION")); known && !v.before(extraControllersSince) {
			do = fmt.Sprintf("echo EnableExtraControllers=io >>%s && systemctl restart slurmd",
				filepath.Join(filepath.Dir(n.slurmConfPath(s)), "cgroup.conf"))
		}
		return warning(subject, do, "jobs have no io.stat: slurmd does not enable the io controller, so what they read and "+
			"write is not counted by job")
	}
	return passed(subject, "jobs have an io.stat")
}

// hasController reports whether the file at path, a list of cgroup controllers, contains this one.
func hasController(path, controller string) bool {
	text, _ := os.ReadFile(path)
	return slices.Contains(strings.Fields(string(text)), controller)
}

package stack

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"jobgait/agent/job/launcher"
	"jobgait/agent/rawcall"
)

// maxAncestors limits how far up the ancestors of a process are followed.
const maxAncestors = 64

// withoutStarters removes the processes that started another one in the list, directly or not, and either wait for
// a child or run a launcher, a shell or a container runtime.
func withoutStarters(proc string, tasks []Task) (kept []Task) {
	started := map[int]bool{} // has a descendant in the list
	up := ancestry{proc: proc, parents: map[int]int{}}
	for _, t := range tasks {
		for _, a := range up.of(t.Stacks.PID) {
			started[a] = true
		}
	}
	for _, t := range tasks {
		pid := t.Stacks.PID
		if !started[pid] || !waitsForChild(proc, pid) && !startsOthers(commandOf(proc, pid)) {
			kept = append(kept, t)
		}
	}
	return kept
}

// startsOthers reports whether a program, by the name in /proc/PID/comm, only starts others: a launcher or shell, or
// the process by which Apptainer or Singularity starts a container.
func startsOthers(command string) bool {
	return launcher.Is(command) || slices.Contains([]string{"apptainer", "singularity", "starter", "starter-suid",
		"appinit", "sinit", "Apptainer runti", "Singularity run"}, command)
}

// markHelpers sets Helper of tasks that inherited their rank from an ancestor in the list, and returns the list with
// these last.
func markHelpers(proc string, tasks []Task) []Task {
	rankOf := map[int]int{}
	for _, t := range tasks {
		if t.Rank >= 0 {
			rankOf[t.Stacks.PID] = t.Rank
		}
	}
	up := ancestry{proc: proc, parents: map[int]int{}}
	var ranks, helpers []Task
	for _, t := range tasks {
		t.Helper = slices.ContainsFunc(up.of(t.Stacks.PID), func(ancestor int) bool {
			rank, ok := rankOf[ancestor]
			return ok && rank == t.Rank
		})
		if t.Helper {
			helpers = append(helpers, t)
		} else {
			ranks = append(ranks, t)
		}
	}
	return append(ranks, helpers...)
}

// ancestry finds the ancestors of processes. It reads the parent of each process once.
type ancestry struct {
	proc    string
	parents map[int]int
}

// of returns the ancestors of a process, its parent first, without init.
func (a ancestry) of(pid int) (list []int) {
	for range maxAncestors {
		parent, ok := a.parents[pid]
		if !ok {
			parent = parentOf(a.proc, pid)
			a.parents[pid] = parent
		}
		if parent <= 1 {
			break
		}
		list = append(list, parent)
		pid = parent
	}
	return list
}

// parentOf returns the parent of a process, 0 for init and if that cannot be read.
func parentOf(proc string, pid int) int {
	b, err := rawcall.ReadRecord(filepath.Join(proc, strconv.Itoa(pid), "stat"), nil, maxProcFile)
	if err != nil {
		return 0
	}
	text := string(b)
	f := strings.Fields(text[strings.LastIndexByte(text, ')')+1:]) // a name may contain ')'
	if len(f) < 2 {
		return 0
	}
	parent, err := strconv.Atoi(f[1])
	if err != nil {
		return 0
	}
	return parent
}

// commandOf returns the name of the program of a process, cut to 15 characters, "" if it is gone.
func commandOf(proc string, pid int) string {
	b, err := rawcall.ReadRecord(filepath.Join(proc, strconv.Itoa(pid), "comm"), nil, maxProcFile)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// waitsForChild reports whether the main thread of a process waits for a child to end. It reads only wchan, because the
// file syscall may block, and the agent calls this function.
func waitsForChild(proc string, pid int) bool { return channelOf(proc, pid, pid) == "do_wait" }

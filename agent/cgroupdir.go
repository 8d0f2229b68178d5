package main

import "jobgait/agent/counter/kernel"

// dirNS is how long the place of the job's cgroup is believed. To ask is an
// ordinary system call, which wakes Go's monitor thread (package rawcall): asked
// at each reading, ten times a second, it took a fifth of the agent's time. What a
// cgroup that appeared meanwhile has counted is not lost.
const dirNS = 500e6

// believed asks for each controller no more often than that.
func believed(find kernel.Dir, now func() int64) kernel.Dir {
	type answer struct {
		dir   string
		ok    bool
		until int64
	}
	known := map[string]answer{}
	return func(controller string) (string, bool) {
		a, asked := known[controller]
		if at := now(); !asked || at >= a.until {
			a.dir, a.ok = find(controller)
			a.until = at + dirNS
			known[controller] = a
		}
		return a.dir, a.ok
	}
}

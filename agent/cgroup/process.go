package cgroup

import (
	"os"
	"path/filepath"
	"strconv"
)

// OfProcess returns where a process is now, for each controller of v1, and of v2 for
// "": the cgroup that holds a command of `jobgait run`, which has none of its own.
func OfProcess(proc string, pid int) func(controller string) (dir string, ok bool) {
	dirs := map[string]string{}
	mounts, err := os.ReadFile(filepath.Join(proc, "self", "mountinfo"))
	text, errOf := os.ReadFile(filepath.Join(proc, strconv.Itoa(pid), "cgroup"))
	if err == nil && errOf == nil {
		for _, s := range Parse(text) {
			for _, m := range ParseMounts(mounts) {
				if dir, ok := m.Path(s.Path); ok && m.Of(s) {
					for _, c := range append(s.Controllers, "") {
						if (c == "") == s.Unified() && dirs[c] == "" {
							dirs[c] = dir
						}
					}
				}
			}
		}
	}
	return func(controller string) (string, bool) {
		dir, ok := dirs[controller]
		return dir, ok
	}
}

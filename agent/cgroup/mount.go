package cgroup

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
)

// Mount is one mounted cgroup hierarchy as this process sees it.
type Mount struct {
	// Dir is the directory where it is mounted, Root the cgroup that is visible there: "/", or another in a
	// container.
	Dir, Root string
	// Unified marks cgroup v2; Controllers are those of a v1 hierarchy.
	Unified     bool
	Controllers []string
}

// Has reports whether the hierarchy has this v1 controller.
func (m Mount) Has(controller string) bool { return slices.Contains(m.Controllers, controller) }

// ContainsMembership reports whether a membership is in this hierarchy.
func (m Mount) ContainsMembership(s Membership) bool {
	if m.Unified || s.Unified() {
		return m.Unified && s.Unified()
	}
	return slices.ContainsFunc(s.Controllers, m.Has)
}

// Path returns the directory of the cgroup at path group of the hierarchy; false for a path with ".." or one that is
// not below the mounted root. It does not check that the directory exists.
func (m Mount) Path(group string) (string, bool) {
	if slices.Contains(strings.Split(group, "/"), "..") {
		return "", false
	}
	rest := group
	if m.Root != "/" {
		var ok bool
		if rest, ok = strings.CutPrefix(group, m.Root); !ok || rest != "" && rest[0] != '/' {
			return "", false
		}
	}
	return filepath.Join(m.Dir, rest), true
}

// ParseMounts parses the text of /proc/self/mountinfo and returns the cgroup hierarchies. See
// Documentation/filesystems/proc.rst:
//
//	36 25 0:31 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw
//	40 32 0:35 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
//
// A hierarchy that is mounted twice is returned twice. Invalid lines are skipped, so that one does not hide the
// others.
func ParseMounts(text []byte) []Mount {
	var mounts []Mount
	for line := range bytes.Lines(text) {
		before, after, ok := strings.Cut(strings.TrimSuffix(string(line), "\n"), " - ")
		head, tail := strings.Fields(before), strings.Fields(after)
		if !ok || len(head) < 6 || len(tail) < 2 {
			continue
		}
		m := Mount{Root: unescape(head[3]), Dir: unescape(head[4])}
		switch tail[0] {
		case "cgroup2":
			m.Unified = true
		case "cgroup":
			// The options of the file system are mixed with those of
			// every mount; they do no harm as names.
			m.Controllers = strings.Split(tail[len(tail)-1], ",")
		default:
			continue
		}
		if strings.HasPrefix(m.Root, "/") && strings.HasPrefix(m.Dir, "/") {
			mounts = append(mounts, m)
		}
	}
	return mounts
}

// unescape decodes the characters that the kernel writes as octal: space, tab, newline and backslash.
func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}

package check

import (
	"regexp"
	"strconv"
)

// version is the part of a version that decides what there is.
type version struct{ major, minor int }

func (v version) before(w version) bool {
	return v.major < w.major || v.major == w.major && v.minor < w.minor
}

var numbers = regexp.MustCompile(`(\d{1,4})\.(\d{1,4})`)

// parseVersion finds the first two numbers: 6.1.0-56-amd64, slurm-wlm 24.11.5.
func parseVersion(s string) (v version, ok bool) {
	m := numbers.FindStringSubmatch(s)
	if m == nil {
		return version{}, false
	}
	v.major, _ = strconv.Atoi(m[1]) // four digits
	v.minor, _ = strconv.Atoi(m[2])
	return v, true
}

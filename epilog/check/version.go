package check

import (
	"regexp"
	"strconv"
)

// version is the major and minor part of a version number.
type version struct{ major, minor int }

// before reports whether v is older than w.
func (v version) before(w version) bool {
	return v.major < w.major || v.major == w.major && v.minor < w.minor
}

var versionNumbers = regexp.MustCompile(`(\d{1,4})\.(\d{1,4})`)

// parseVersion returns the first two numbers of a version text such as "6.1.0-56-amd64" or "slurm-wlm 24.11.5".
func parseVersion(s string) (v version, ok bool) {
	m := versionNumbers.FindStringSubmatch(s)
	if m == nil {
		return version{}, false
	}
	v.major, _ = strconv.Atoi(m[1]) // four digits
	v.minor, _ = strconv.Atoi(m[2])
	return v, true
}

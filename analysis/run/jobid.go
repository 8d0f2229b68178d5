package run

import (
	"fmt"
	"strconv"
	"strings"
)

// JobID is the scheduler's number of a job. It is positive.
type JobID int64

// ParseJobID parses an id in digits, as hooks, process titles and accounting print it.
func ParseJobID(s string) (JobID, error) {
	id, err := strconv.ParseInt(s, 10, 64)
	if err != nil || id <= 0 {
		return 0, fmt.Errorf("job id %.40q is not a positive number", s)
	}
	return JobID(id), nil
}

// IsDisplayID reports whether s is an id as Summary.DisplayID prints it: 123, 123_7 for task
// 7 of an array, or 123+1 for the second component of a heterogeneous job.
func IsDisplayID(s string) bool {
	whole, part := SplitDisplayID(s)
	_, err := ParseJobID(whole)
	if err == nil && part != "" {
		_, err = strconv.ParseUint(part[1:], 10, 63)
	}
	return err == nil
}

// SplitDisplayID splits a display id into the job and its part: "_7" for task 7 of an array,
// "+1" for a component of a heterogeneous job, "" for a whole job.
func SplitDisplayID(s string) (whole, part string) {
	if i := strings.IndexAny(s, "_+"); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// String returns the id in decimal digits.
func (id JobID) String() string { return strconv.FormatInt(int64(id), 10) }

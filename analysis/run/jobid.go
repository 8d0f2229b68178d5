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
		return 0, fmt.Errorf("%.40q is not a positive number", s)
	}
	return JobID(id), nil
}

// IsDisplayID reports whether s is an id as Summary.DisplayID prints it: 123, or 123_7
// for task 7 of an array.
func IsDisplayID(s string) bool {
	id, task, isTask := strings.Cut(s, "_")
	_, err := ParseJobID(id)
	if err == nil && isTask {
		_, err = strconv.ParseUint(task, 10, 63)
	}
	return err == nil
}

func (id JobID) String() string { return strconv.FormatInt(int64(id), 10) }

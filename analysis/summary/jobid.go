package summary

import (
	"fmt"
	"strconv"
)

// JobID is a scheduler's number of a job, positive.
type JobID int64

// ParseJobID reads an id in digits, as hooks, titles of processes and accounting have it.
func ParseJobID(s string) (JobID, error) {
	id, err := strconv.ParseInt(s, 10, 64)
	if err != nil || id <= 0 {
		return 0, fmt.Errorf("%.40q is not a positive number", s)
	}
	return JobID(id), nil
}

func (id JobID) String() string { return strconv.FormatInt(int64(id), 10) }

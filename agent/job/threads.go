package job

import "strings"

// ThreadsVariable is what programs with OpenMP, and many libraries of linear algebra, take
// their number of threads from.
const ThreadsVariable = "OMP_NUM_THREADS"

// maxThreads is how long a list of numbers of threads may be, one for each nested level.
const maxThreads = 64

// Threads returns the value of ThreadsVariable, "" if it is no list of numbers.
func Threads(value string) string {
	value = strings.TrimSpace(value)
	if len(value) > maxThreads || strings.Trim(value, "0123456789,") != "" {
		return ""
	}
	return value
}

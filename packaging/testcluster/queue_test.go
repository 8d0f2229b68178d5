package testcluster

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// queue holds Slurm's report on all jobs. Tests that run at the same time share one query, because a client
// command costs 30 ms of CPU time and tests query often.
type queue struct {
	conf string
	mu   sync.Mutex
	at   time.Time
	jobs []queued
}

// queued is one job, or one element of an array.
type queued struct {
	id, arrayID int64
	task        string // of an array, else "N/A"
	state       string
	nodes       string // as Slurm abbreviates them
}

// freshness is how old an answer may be.
const freshness = 200 * time.Millisecond

// list returns all jobs that Slurm remembers.
func (q *queue) list() ([]queued, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if time.Since(q.at) < freshness {
		return q.jobs, nil
	}
	cmd := exec.Command("squeue", "-h", "-a", "-r", "-t", "all", "-o", "%A|%F|%K|%T|%N")
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "SLURM_CONF=" + q.conf}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("squeue: %w: %s", err, out)
	}
	jobs, err := parseQueue(string(out))
	if err == nil {
		q.jobs, q.at = jobs, time.Now()
	}
	return jobs, err
}

func parseQueue(text string) ([]queued, error) {
	var jobs []queued
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) != 5 {
			return nil, fmt.Errorf("squeue: unexpected line %q", line)
		}
		id, err := strconv.ParseInt(f[0], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("squeue: %w", err)
		}
		array, err := strconv.ParseInt(f[1], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("squeue: %w", err)
		}
		jobs = append(jobs, queued{id, array, f[2], f[3], f[4]})
	}
	return jobs, nil
}

// find returns one job.
func (q *queue) find(id int64) (queued, error) {
	jobs, err := q.list()
	if err != nil {
		return queued{}, err
	}
	for _, j := range jobs {
		if j.id == id {
			return j, nil
		}
	}
	return queued{}, fmt.Errorf("job %d is not known to Slurm", id)
}

// over is whether a job has ended and all its Epilogs have.
func (j queued) over() bool {
	switch j.state {
	case "COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL":
		return true
	}
	return false
}

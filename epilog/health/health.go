// Package health counts what jobgait did on a node, for the monitoring of a site: runs, reports, failures by
// code, seconds of samples lost, what sampling cost. What one worker did goes in; the totals are kept in the
// node's spool and written as a file that the node_exporter of Prometheus reads, where the settings name its
// directory. See the exposition format of prometheus.io and the textfile collector.
//
// A failure to count never blocks a worker's report: it is an error that is logged.
package health

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/job"
)

// Counts are amounts of work, lost samples, cost and failures, of one worker or in total.
type Counts struct {
	Runs    int64 `json:"runs"`    // runs that were finished on this node
	Reports int64 `json:"reports"` // reports that were delivered
	// Failures counts runs with a failure, by the code of its note.
	Failures map[string]int64 `json:"failures,omitempty"`
	// LostS is the seconds of runs without samples, SampledS those with samples.
	LostS    float64 `json:"lost_s"`
	SampledS float64 `json:"sampled_s"`
	// CostS is the CPU seconds that sampling took, AvailableS those that the CPUs had in that time.
	CostS      float64 `json:"cost_s"`
	AvailableS float64 `json:"available_s"`
	// SpoolBytes is the size of the node's spool after the last sweep; 0 keeps the earlier value.
	SpoolBytes int64 `json:"spool_bytes,omitempty"`
}

// Plus returns the sum of two counts, with the SpoolBytes of o unless they are 0. New failure codes are ignored
// beyond maxCodes.
func (d Counts) Plus(o Counts) Counts {
	d.Runs += o.Runs
	d.Reports += o.Reports
	d.LostS += o.LostS
	d.SampledS += o.SampledS
	d.CostS += o.CostS
	d.AvailableS += o.AvailableS
	d.SpoolBytes = cmp.Or(o.SpoolBytes, d.SpoolBytes)
	d.Failures = maps.Clone(d.Failures)
	for code, n := range o.Failures {
		if d.Failures == nil {
			d.Failures = map[string]int64{}
		}
		if _, known := d.Failures[code]; known || len(d.Failures) < maxCodes {
			d.Failures[code] += n
		}
	}
	return d
}

// maxCodes limits the number of failure codes that are counted; there are some 120.
const maxCodes = 500

// totalsFile is the name of the file with the node's totals in its spool.
const totalsFile = "health.json"

// Add adds counts to a node's totals in the spool, under a file lock, and returns the new totals. Totals that a crash
// left incomplete restart at 0, which Prometheus allows for counters. With an error the returned counts are not the
// stored totals.
func Add(spool string, did Counts) (Counts, error) {
	fail := func(err error) (Counts, error) {
		return did, fmt.Errorf("update the totals in %s: %w", filepath.Join(spool, totalsFile), err)
	}
	f, err := job.OpenPlain(filepath.Join(spool, totalsFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fail(err)
	}
	defer f.Close()
	if err := lock(f); err != nil {
		return fail(err)
	}
	text, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if err != nil {
		return fail(err)
	}
	var before Counts
	if err := json.Unmarshal(text, &before); err != nil {
		before = Counts{}
	}
	did = before.Plus(did)
	text, err = json.Marshal(did)
	if err == nil {
		_, err = f.WriteAt(append(text, '\n'), 0)
	}
	if err == nil {
		err = f.Truncate(int64(len(text) + 1))
	}
	if err != nil {
		return fail(err)
	}
	return did, nil
}

// lock takes the file's lock, retrying for two seconds: each holder needs less than a millisecond.
func lock(f *os.File) error {
	for tries := 0; ; tries++ {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) || tries == maxLockTries {
			return err
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// maxLockTries is the number of tries in two seconds. A process that holds the lock for longer hangs.
const maxLockTries = 400

// Write writes the totals of a node as <dir>/jobgait-<node>.prom, by rename. If root calls it, only root may be
// able to write in dir.
func Write(dir, node string, d Counts) error {
	return job.Replace(filepath.Join(dir, "jobgait-"+node+".prom"), []byte(text(node, d)), 0o644, false)
}

// text returns the totals in Prometheus's exposition format.
func text(node string, d Counts) string {
	var b strings.Builder
	one := func(name, kind, help string, value float64) {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n%s{node=%q} %g\n", name, help, name, kind, name, node, value)
	}
	one("jobgait_runs_total", "counter", "Runs that ended on this node and were finished.", float64(d.Runs))
	one("jobgait_reports_total", "counter", "Reports that were delivered.", float64(d.Reports))
	one("jobgait_sampled_seconds_total", "counter", "Seconds of jobs that were sampled.", d.SampledS)
	one("jobgait_lost_seconds_total", "counter", "Seconds of jobs without samples.", d.LostS)
	one("jobgait_cost_cpu_seconds_total", "counter", "CPU seconds that sampling took, interrupts included.", d.CostS)
	one("jobgait_available_cpu_seconds_total", "counter", "CPU seconds that nodes had while they were sampled.",
		d.AvailableS)
	one("jobgait_spool_bytes", "gauge", "Size of the node's spool after the last sweep.", float64(d.SpoolBytes))
	const name = "jobgait_failures_total"
	fmt.Fprintf(&b, "# HELP %s Runs with a failure, by the code of its note.\n# TYPE %s counter\n", name, name)
	for _, code := range slices.Sorted(maps.Keys(d.Failures)) {
		fmt.Fprintf(&b, "%s{node=%q,code=%q} %d\n", name, node, code, d.Failures[code])
	}
	return b.String()
}

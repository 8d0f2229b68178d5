package finish

import (
	"cmp"
	"fmt"

	"jobgait/agent/job"
	"jobgait/agent/job/scheduler"
	"jobgait/analysis/run"
)

// RunEnd is how and when a run ended, from the Epilog's environment: epilog.json in the run directory. It is
// written before anything else is done, so that a sweep can finish what a killed Epilog began.
type RunEnd struct {
	// Real is UTC epoch seconds, Mono CLOCK_MONOTONIC seconds, BootID the
	// boot that Mono belongs to.
	Real   float64 `json:"real"`
	Mono   float64 `json:"mono"`
	BootID string  `json:"boot_id"`
	// Exit is nil if the Epilog received no exit code.
	Exit *run.Exit `json:"exit,omitempty"`
	// Job is the job in the Epilog's environment: its node list is that of the whole job, while the Prolog may
	// know only the first step's.
	Job run.Job `json:"job"`
	// Restart is the restart count in the Epilog's environment.
	Restart int `json:"restart"`
	// Requeued is set if the Epilog's restart count is higher than the Prolog's: nothing else shows such an end,
	// which has exit code 0.
	Requeued bool `json:"requeued,omitempty"`
	// NoAgent is true when there was no run directory: no Prolog ran here.
	NoAgent bool `json:"no_agent,omitempty"`
	// Used are the resource counters that the Epilog received.
	Used []run.Counter `json:"used,omitempty"`
	// Swept is true when a sweep wrote this because no Epilog had.
	Swept bool `json:"swept,omitempty"`
}

// WriteEnd stores how the run ended, once: a second call changes nothing.
func WriteEnd(dir job.RunDir, e RunEnd) error {
	if endKnown(dir) {
		return nil
	}
	return dir.WriteJSON(endFile, e)
}

// ReadEnd reads what WriteEnd stored.
func ReadEnd(dir job.RunDir) (RunEnd, error) {
	var e RunEnd
	if err := dir.ReadJSON(endFile, &e); err != nil {
		return e, fmt.Errorf("read the stored end of the run: %w", err)
	}
	return e, nil
}

// Nodes returns the names of all nodes of the job, in order. It prefers the Epilog's node list, because the
// Prolog's may cover only the first step.
func (e RunEnd) Nodes(run job.Run) ([]string, error) {
	run.Job.NodeList = cmp.Or(e.Job.NodeList, run.Job.NodeList)
	return scheduler.Nodes(run)
}

// collects reports whether the run's node is the first of the job, which merges the records of all nodes.
func (e RunEnd) collects(run job.Run) bool {
	nodes, err := e.Nodes(run)
	return err == nil && run.IsFirst(nodes)
}

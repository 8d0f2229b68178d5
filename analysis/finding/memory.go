package finding

import (
	"fmt"
	"math"

	q "jobgait/analysis/quantity"
)

const (
	// nearMemory is the share of its memory from which a run is near the limit.
	nearMemory = 0.9
	// unusedMemory is the share below which most of it was not needed, of at least
	// leastMemory bytes: what lies below is a scheduler's default.
	unusedMemory, leastMemory = 0.25, 4e9
	// spare is the factor by which a request should exceed the peak.
	spare = 1.2
	// filesWait is the share of the run from which waiting for files is reported.
	filesWait = 0.1
)

func memoryNearLimit(r RunFacts) []Finding {
	m := r.Memory
	if m.Peak == nil || m.Requested == nil || *m.Requested <= 0 || *m.Peak < nearMemory**m.Requested ||
		len(outOfMemory(r)) > 0 {
		return nil
	}
	return one(fmt.Sprintf("Memory reached %s of %s that the run had.", q.Amount(*m.Peak, "B"),
		q.Amount(*m.Requested, "B")),
		map[string]any{"peak_bytes": *m.Peak, "requested_bytes": *m.Requested})
}

func memoryUnused(r RunFacts) []Finding {
	m := r.Memory
	if m.Peak == nil || m.Requested == nil || *m.Requested < leastMemory || *m.Peak >= unusedMemory**m.Requested ||
		r.coreS() < leastCoreS {
		return nil
	}
	f := one(fmt.Sprintf("The run needed %s of the %s of memory that it had.", q.Amount(*m.Peak, "B"),
		q.Amount(*m.Requested, "B")),
		map[string]any{"peak_bytes": *m.Peak, "requested_bytes": *m.Requested})
	if r.InOrder && r.NNodes == 1 && r.Batch {
		f[0].Action = action("Ask for less memory: sbatch --mem=%.0fM.", math.Ceil(spare**m.Peak/(1<<20)))
	}
	return f
}

func filesSlow(r RunFacts) []Finding {
	w := r.FilesWaitS
	if w == nil || r.ElapsedS <= 0 || *w < filesWait*r.ElapsedS {
		return nil
	}
	f := one(fmt.Sprintf("All tasks stood still for files for %s, %s of the run.", q.Duration(*w),
		q.Share(min(1, *w/r.ElapsedS))),
		map[string]any{"waiting_s": *w, "elapsed_s": r.ElapsedS})
	f[0].CostCoreS = r.share(min(1, *w/r.ElapsedS))
	return f
}

package finding

import (
	"fmt"
	"math"

	q "jobgait/analysis/quantity"
)

// CodeShares is what the CPU time of a run was spent on, by samples: shares of it.
type CodeShares struct {
	Samples int64
	// Communication is libraries of MPI and below; Spinning, part of it, those that
	// drive the network in a loop and do nothing else for long. Copying and packing
	// are in others.
	Communication, Spinning, Kernel, OpenMP float64
	// Where are the functions or libraries that hold most of each, largest first.
	Where map[string][]string
	// Node is whose samples these are, "" for a run on one node.
	Node string
}

const (
	// muchCommunication is the share of CPU time from which communication is reported: the pairs and neighbours of
	// a LAMMPS melt leave it 3 % on two ranks, a stencil on small blocks 29 %.
	muchCommunication = 0.2
	// muchWaiting is that of waiting with busy CPUs.
	muchWaiting = 0.15
	// muchKernel is that of the kernel: 1 to 3 % are interrupts and page faults of any
	// program.
	muchKernel = 0.2
)

// surely reports whether a share is above the threshold beyond chance. Samples of one run are not independent,
// so two standard errors are required.
func (c CodeShares) surely(share, least float64) bool {
	return c.Samples > 0 && share <= 1.001 && share-2*math.Sqrt(share*max(0, 1-share)/float64(c.Samples)) >= least
}

func communicationShare(r RunFacts) []Finding {
	c := r.Code
	if c == nil || !c.surely(c.Communication, muchCommunication) || len(waitingInMPI(r)) > 0 {
		return nil
	}
	return r.spent(c.Communication, "communication", "Communication took %s of the CPU time%s.")
}

func waitingInMPI(r RunFacts) []Finding {
	c := r.Code
	if c == nil || !c.surely(c.Spinning, muchWaiting) {
		return nil
	}
	return r.spent(c.Spinning, "spinning",
		"Ranks waited for each other with busy CPUs: %s of the CPU time went to libraries of MPI that look for messages "+
			"in a loop%s.")
}

func kernelShare(r RunFacts) []Finding {
	c := r.Code
	if c == nil || !c.surely(c.Kernel, muchKernel) {
		return nil
	}
	return r.spent(c.Kernel, "kernel", "The kernel took %s of the CPU time: system calls, page faults and interrupts%s.")
}

func openmpWaiting(r RunFacts) []Finding {
	c := r.Code
	if c == nil || !c.surely(c.OpenMP, muchWaiting) {
		return nil
	}
	return r.spent(c.OpenMP, "openmp",
		"Threads of OpenMP waited for each other with busy CPUs: %s of the CPU time went to its runtime%s.")
}

// spent tells of a share of the CPU time that was spent.
func (r RunFacts) spent(share float64, what, format string) []Finding {
	c, where := r.Code, ""
	if list := c.Where[what]; len(list) > 0 {
		where = ", most of it in " + list[0]
	}
	if c.Node != "" {
		where += ", on " + c.Node
	}
	e := map[string]any{"share": share, "samples": c.Samples}
	if list := c.Where[what]; len(list) > 0 {
		e["where"] = list
	}
	f := one(fmt.Sprintf(format, q.Share(share), where), e)
	if r.CPU.Busy != nil {
		cost := share * *r.CPU.Busy * r.ElapsedS
		f[0].CostCoreS = &cost
	}
	return f
}

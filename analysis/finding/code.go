package finding

import (
	"fmt"
	"math"

	q "jobgait/analysis/quantity"
)

// CodeShares holds shares of the CPU time of a run by kind of code, estimated from samples.
type CodeShares struct {
	Samples int64
	// Communication is the share of MPI and the libraries below it; Spinning, part of it, the share of libraries
	// that poll the network in a loop and do little else. Copying and packing are in other libraries.
	Communication, Spinning, Kernel, OpenMP float64
	// Rough reports that code was sampled too seldom for exact shares; KernelExcess is by how much that of the kernel may
	// then be too large.
	Rough        bool
	KernelExcess float64
	// Where lists the functions or libraries with the most time of each kind, largest first.
	Where map[string][]string
	// Node is the node of the samples, "" for a run on one node.
	Node string
}

const (
	// muchCommunication is the least share of CPU time at which communication is reported: the pairs and
	// neighbours of a LAMMPS melt leave it 3 % on two ranks, a stencil on small blocks 29 %.
	muchCommunication = 0.2
	// muchWaiting is the least share of waiting with busy CPUs that is reported.
	muchWaiting = 0.15
	// muchKernel is the least share of the kernel that is reported: interrupts and page faults of any program take
	// 1 to 3 %.
	muchKernel = 0.2
)

// exceeds reports whether a share is significantly above the threshold. Samples of one run are not independent,
// so two standard errors are required.
func (c CodeShares) exceeds(share, threshold float64) bool {
	return c.Samples > 0 && share <= 1.001 && share-2*math.Sqrt(share*max(0, 1-share)/float64(c.Samples)) >= threshold
}

// communicationShare finds runs whose communication takes much CPU time, if no busy waiting is found.
func communicationShare(r RunFacts) []Finding {
	c := r.Code
	if c == nil || !c.exceeds(c.Communication, muchCommunication) || len(waitingInMPI(r)) > 0 {
		return nil
	}
	return r.codeFinding(c.Communication, "communication", "Communication took %s of the CPU time%s.")
}

// waitingInMPI finds runs whose ranks wait for each other with busy CPUs.
func waitingInMPI(r RunFacts) []Finding {
	c := r.Code
	if c == nil || !c.exceeds(c.Spinning, muchWaiting) {
		return nil
	}
	return r.codeFinding(c.Spinning, "spinning",
		"Ranks waited for each other with busy CPUs: %s of the CPU time went to libraries of MPI that look for messages "+
			"in a loop%s.")
}

// kernelShare finds runs whose kernel code takes much CPU time.
func kernelShare(r RunFacts) []Finding {
	c := r.Code
	if c == nil || !c.exceeds(c.Kernel-c.KernelExcess, muchKernel) {
		return nil
	}
	return r.codeFinding(c.Kernel, "kernel",
		"The kernel took %s of the CPU time: system calls, page faults and interrupts%s.")
}

// openmpWaiting finds runs whose OpenMP threads wait for each other with busy CPUs.
func openmpWaiting(r RunFacts) []Finding {
	c := r.Code
	if c == nil || !c.exceeds(c.OpenMP, muchWaiting) {
		return nil
	}
	return r.codeFinding(c.OpenMP, "openmp",
		"Threads of OpenMP waited for each other with busy CPUs: %s of the CPU time went to its runtime%s.")
}

// codeFinding returns a finding about a share of the CPU time of the run. format has two verbs: the share as text, and
// a remark on where most of it was spent. what is the key of the kind of code in Where. The cost is that share of the
// busy core seconds, if these are known.
func (r RunFacts) codeFinding(share float64, what, format string) []Finding {
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
	text := q.Share(share)
	if c.Rough {
		text = "about " + q.WholePercent(int(math.Round(100*share)))
	}
	f := single(fmt.Sprintf(format, text, where), e)
	if r.CPU.Busy != nil {
		cost := share * *r.CPU.Busy * r.ElapsedS
		f[0].CostCoreS = &cost
	}
	return f
}

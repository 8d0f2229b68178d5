package finding

import "fmt"

// NextStep returns the one thing to do after a run with these findings: the action of the first finding that has one,
// else advice on the first finding for which there is advice; "" without any.
func (r RunFacts) NextStep(all []Finding) string {
	for _, f := range Head(all) {
		if f.Action != nil {
			return *f.Action
		}
		if text := r.advice(f); text != "" {
			return text
		}
	}
	return ""
}

// advice returns what a user can do about a finding without an action, "" where that is unknown.
func (r RunFacts) advice(f Finding) string {
	switch f.Code {
	case "hung", "idle_since":
		return r.adviceOnHang()
	case "out_of_memory", "time_limit", "ended_by_signal", "failed":
		return r.adviceOnFailure(f.Code)
	case "crowded", "oversubscribed", "throttled", "stolen", "cpus_idle", "node_idle":
		return r.adviceOnCPUs(f.Code)
	case "time_limit_near":
		return "Ask for more time, as the next run may not end within it (sbatch --time)."
	case "memory_near_limit":
		return "Ask for more memory before a larger run (sbatch --mem)."
	case "memory_unused":
		return "Ask for less memory (sbatch --mem)."
	case "memory_growing":
		return "Find what keeps growing before a longer run."
	case "files_slow":
		return "Read and write less often and in larger blocks, or use a local disk."
	case "gpu_not_held", "gpu_no_kernel":
		return "Make the program use the GPU, or ask for none."
	case "gpu_slowed":
		return "Report the GPU's limit of power or heat to the administrators."
	case "kernel_share":
		return "See which system calls it makes: strace -f -c COMMAND."
	case "waiting_in_mpi":
		return "See which ranks wait for which: type `jobgait stack` while it runs."
	case "openmp_waiting":
		return "Give its threads equal work, or use fewer threads."
	case "gpu_idle_stretch", "gpu_idle_share":
		return "See what its CPUs do while the GPU is idle: type `jobgait stack` while it runs."
	case "communication_share":
		return "Use fewer ranks, or send fewer and larger messages."
	case "imbalance":
		return "Give its nodes equal work."
	case "start_up_long":
		return "See what it does at its start: type `jobgait stack` in that time."
	case "odd_node":
		return "Run it on other nodes, to see whether the node or its part of the work is at fault."
	case "checkpoints_cost":
		return "Write checkpoints less often, if more work may be lost."
	case "drifting":
		if _, fromRunToRun := f.Evidence["effect_pct"]; fromRunToRun {
			return "See since when and by how much: jobgait changes." // its cycles need not differ
		}
		return "Find what grows with the cycles: compare memory, files and code of its first and last cycles."
	case "not_sampled":
		return "See why nothing was sampled: jobgait doctor."
	}
	return ""
}

// adviceOnHang returns how to find out why a run hung.
func (r RunFacts) adviceOnHang() string {
	if r.Stacks != "" {
		return "Read its call stacks below: they show where each task waited."
	}
	return "See where it waits: run it again, and `jobgait stack` while it hangs."
}

// adviceOnFailure returns what to do about a run that failed.
func (r RunFacts) adviceOnFailure(code string) string {
	switch code {
	case "out_of_memory":
		text := "Make it need less memory, or give it more."
		if r.Memory.Growth != nil {
			text = "Find what keeps growing, or give it more memory."
		}
		return text
	case "time_limit":
		return r.adviceOnHang() // a run at work has an action
	case "ended_by_signal":
		return "Find out who sent the signal: it came from outside of the program."
	}
	return "Read the error messages of the program: jobgait records none."
}

// adviceOnCPUs returns what to do about CPUs that a run lacked or left idle.
func (r RunFacts) adviceOnCPUs(code string) string {
	switch code {
	case "crowded":
		if r.Batch {
			return "Ask for whole nodes: sbatch --exclusive."
		}
		return "Run it again when CPUs are free; `top` shows what uses them."
	case "oversubscribed":
		if lacked, _ := r.lackedCPUs(); r.slowedByOtherWork(lacked) {
			return fmt.Sprintf("Run it again when CPUs are free, with no more than %d tasks or threads at a time.",
				r.wholeCPUs())
		}
		return fmt.Sprintf("Start no more than %d tasks or threads at a time.", r.wholeCPUs())
	case "throttled":
		return "Raise the CPU limit of its control group, or start fewer tasks."
	case "stolen":
		return "Use a virtual machine whose host has free CPUs."
	case "node_idle":
		return "Ask for fewer nodes, or start tasks on all of them."
	}
	switch {
	case r.sleptLong():
		return "See what it waits for: run it again, and type `jobgait stack` while it sleeps."
	case r.Batch:
		return "Ask for fewer CPUs, or start more tasks or threads."
	}
	return "Start more tasks or threads if it is to end sooner."
}

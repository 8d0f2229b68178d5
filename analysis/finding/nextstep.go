package finding

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// adviceOnHang returns how to find out why a run hung.
func adviceOnHang(r RunFacts) string {
	if r.Stacks != "" {
		return "Read its call stacks below: they show where each task waited."
	}
	return "See where it waits: run it again, and `jobgait stack` while it hangs."
}

// adviceOnSignal returns what to do about a run that a signal ended.
func adviceOnSignal(r RunFacts) string {
	if r.ExitSignal == int(unix.SIGINT) {
		return "Nothing, if you interrupted it: Ctrl-C sends this signal."
	}
	return "Find out who sent the signal: it came from outside of the program."
}

// adviceOnMemory returns what to do about a run that ran out of memory.
func adviceOnMemory(r RunFacts) string {
	if r.Memory.Growth != nil {
		return "Find what keeps growing, or give it more memory."
	}
	return "Make it need less memory, or give it more."
}

// adviceOnOtherWork returns what to do about CPUs that other work used.
func adviceOnOtherWork(r RunFacts) string {
	if r.Batch {
		return "Ask for whole nodes: sbatch --exclusive."
	}
	return "Run it again when CPUs are free; `top` shows what uses them."
}

// adviceOnTasks returns what to do about a run with more tasks than CPUs.
func adviceOnTasks(r RunFacts) string {
	if lacked, _ := r.lackedCPUs(); r.slowedByOtherWork(lacked) {
		return fmt.Sprintf("Run it again when CPUs are free, with no more than %d tasks or threads at a time.",
			r.wholeCPUs())
	}
	return fmt.Sprintf("Start no more than %d tasks or threads at a time.", r.wholeCPUs())
}

// adviceOnIdleCPUs returns what to do about CPUs that a run left idle.
func adviceOnIdleCPUs(r RunFacts) string {
	switch {
	case r.sleptLong():
		return "See what it waits for: run it again, and type `jobgait stack` while it sleeps."
	case r.Batch:
		return "Ask for fewer CPUs, or start more tasks or threads."
	}
	return "Start more tasks or threads if it is to end sooner."
}

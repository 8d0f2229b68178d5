package stacks

import (
	"slices"
	"strings"
)

// allWaitFor reports whether all tasks but those of one odd group wait in blocking calls of MPI, as ranks of one MPI
// program: each task has a rank, and no rank occurs twice. A group that is in MPI itself is waited for only if it is in
// one collective and all others are in another one: of calls between two ranks it is unknown who waits for whom.
func allWaitFor(odd Group, main []Group) bool {
	if len(main) < 2 {
		return false
	}
	call := blockingCall(odd.Frames)
	ranks := map[int]bool{}
	for _, g := range main {
		if len(g.Ranks) != g.Tasks {
			return false
		}
		for _, rank := range g.Ranks {
			if ranks[rank] {
				return false
			}
			ranks[rank] = true
		}
		same := slices.Equal(g.Ranks, odd.Ranks)
		theirs := blockingCall(g.Frames)
		switch {
		case same:
		case g.Odd || theirs == "":
			return false
		case odd.State == Stopped || call == "":
		case !isCollective(call) || !isCollective(theirs) || call == theirs:
			return false
		}
	}
	// A call of MPI that does not block, as MPI_Test, is made while a rank works or polls.
	return odd.State == Stopped || call != "" || !PlacesOf(odd.Frames).Waits
}

// blockingCall returns the lower-case name of the blocking function of MPI that the program's own code called, without
// prefix; "" if the thread is in none.
func blockingCall(frames []GroupFrame) string {
	p := PlacesOf(frames)
	if p.Own >= 0 {
		frames = frames[:p.Own]
	}
	for _, f := range slices.Backward(frames) { // the outermost call first
		call := strings.ToLower(mpiCall(f.Function))
		if isCollective(call) || slices.Contains([]string{"send", "ssend", "rsend", "bsend", "recv", "sendrecv",
			"sendrecv_replace", "mrecv", "probe", "mprobe", "wait", "waitall", "waitany", "waitsome", "finalize"}, call) {
			return call
		}
	}
	return ""
}

// isCollective reports whether a function of MPI, by its lower-case name without prefix, blocks until all ranks of a
// communicator call it or may do so.
func isCollective(call string) bool {
	return slices.Contains([]string{"barrier", "bcast", "gather", "gatherv", "scatter", "scatterv", "allgather",
		"allgatherv", "alltoall", "alltoallv", "alltoallw", "reduce", "allreduce", "reduce_scatter", "reduce_scatter_block",
		"scan", "exscan", "comm_dup", "comm_split", "comm_create", "win_fence", "win_create", "win_free",
		"file_open", "file_close", "file_read_all", "file_write_all", "file_read_at_all", "file_write_at_all"}, call)
}

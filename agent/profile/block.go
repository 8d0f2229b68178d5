package profile

import (
	"jobgait/analysis/anatomy"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// Version is the version of the format.
const Version = 1

// Header is the first frame of a profile, as JSON: what is sampled, where, and on which grid.
type Header struct {
	Version int `json:"version"`
	// Key identifies the run, Node is the node's name.
	Key  run.Key `json:"key"`
	Node string  `json:"node"`
	// StepNS is the step of the grid in ns. Slot i begins at BaseNS + i*StepNS of CLOCK_MONOTONIC; RunNS is
	// CLOCK_MONOTONIC when the Prolog ran.
	StepNS int64 `json:"step_ns"`
	BaseNS int64 `json:"base_ns"`
	RunNS  int64 `json:"run_ns"`
	// RunReal is UTC epoch seconds when the Prolog ran.
	RunReal float64 `json:"run_real"`
	CPUs    int     `json:"cpus"`
	// CPUModel is the model name of /proc/cpuinfo, "" if it has none.
	CPUModel string `json:"cpu_model,omitempty"`
	// Scope is whose processes the code addresses are from: "job", its processes; "task", the command and what it
	// started; "proc", there are no code addresses and only files below /proc were read.
	Scope string `json:"scope"`
	// AddressHz is the number of code addresses a second on each CPU; 0 without code addresses.
	AddressHz float64 `json:"address_hz"`
	// InterruptNS is the CPU time that taking one sample is assumed to cost, in ns; 0 if the profile does not say.
	InterruptNS float64 `json:"interrupt_ns,omitempty"`
	// BudgetPct is the agent's CPU budget in percent of each CPU.
	BudgetPct float64             `json:"budget_pct,omitempty"`
	Columns   []Column            `json:"columns"`
	Sources   []run.CounterSource `json:"sources"`
	// Notes are what the agent found it could not do when it started.
	Notes []note.Note `json:"notes"`
}

// Column is the description of one counter in the blocks.
type Column struct {
	Name  string `json:"name"`
	Unit  string `json:"unit"`
	Scope string `json:"scope"` // "job" or "node"
	// Gauge is true for a level (bytes in use). Otherwise the values are cumulative counts, and a reader takes
	// differences.
	Gauge bool `json:"gauge,omitempty"`
	// Hz is how often a second the counter was read if that is less often than once a step; values between
	// readings are interpolated. 0 = read every step.
	Hz float64 `json:"hz,omitempty"`
	// Ticked is true if a driver updates the value at times of its own, possibly seldom: its update interval would
	// be found as a period.
	Ticked bool `json:"ticked,omitempty"`
	// Quantum is the distance between the values that the file stores for this column, in its unit: no value
	// differs by more than half of it from the reading, and the first and last of a block are exact. 0 or 1 =
	// exact. It is stored in every block and not in the header of the file: a reader's header has the largest of
	// the blocks read so far, that of Load the largest of all.
	Quantum int64 `json:"quantum,omitempty"`
}

// NoValue marks a value that could not be read.
const NoValue = int64(-1) << 63

// Block is about one second of samples: the N consecutive slots from slot First on.
type Block struct {
	First int64
	N     int
	// RealNS is CLOCK_REALTIME and MonoNS CLOCK_MONOTONIC, read together.
	RealNS, MonoNS int64
	// Columns has, for each column of the header, the value at the END of each slot: a count since the profile
	// began, or a level. NoValue where the value is missing.
	Columns [][]int64
	// MergedSlots is the number of slots that were merged into one because the file grew too large; 0 or 1 = none.
	// Values of columns between are then interpolated, and Samples and the Counts of pages spread evenly, so that
	// sums stay as counted.
	MergedSlots int
	// overview is true if the block is the overview of other blocks; leadSlots is how many slots of its first
	// group precede it.
	overview  bool
	leadSlots int
	// CountedShare has, for each column, the share of the time in which a counter of a multiplexed group was
	// counting, in 1/10000; nil = always.
	CountedShare []uint16
	// Samples is the number of code addresses of the job in each slot; nil without code addresses.
	Samples []uint32
	// Pages are the code pages with the most hits in this block, at most MaxPages. Hits elsewhere are Samples
	// minus the sum of the pages.
	Pages []PageCount
	// Bins are the same samples in steps of the job's CPU time; a reader has them in LoadedProfile.CPU.
	Bins Bins
	// parts are the samples of the parts of pages slot by slot, where a reader took them from the bins.
	parts []anatomy.Page
	// UncertainSlots is the number of slots of which more than 1 % may belong to another slot, because CPUs
	// delivered no record (package sampler). LostRecords is the number of records that the kernel reported as
	// lost, Records the number read from the ring buffers.
	UncertainSlots, LostRecords, Records int64
	// AgentCPUNS is the CPU time of the agent since it started, in ns.
	AgentCPUNS int64
}

// MaxPages is the number of code pages that a block keeps: two of them have 94 % of the samples of a LAMMPS
// melt, and hits of other pages are still counted in Samples.
const MaxPages = 48

// PageCount is the number of hits of one code page in each slot of a block.
type PageCount struct {
	// Key is a hash of the file's build id (or device and inode without one) and the page's offset in it; 1 is all
	// kernel code, 2 all code without a file. It reveals neither path nor symbol.
	Key    uint64
	Counts []uint16
}

// KernelPage and AnonymousPage are the keys for all kernel code and for all code without a file.
const (
	KernelPage    = 1
	AnonymousPage = 2
)

// Footer seals a profile: it is written when the agent ends in order.
type Footer struct {
	Reason string `json:"reason"` // "stopped", "max_hours", "job_gone", "spool_full"
	// Executable is the base name of the program that used most of the
	// job's sampled CPU time, "" if unknown.
	Executable string `json:"executable,omitempty"`
	// Script is the script that an interpreter runs, "" if unknown.
	Script string `json:"script,omitempty"`
	// Programs are those with most sampled CPU time.
	Programs []run.Program `json:"programs,omitempty"`
	// Sleeps says why processes slept, ThreadWork how the CPU time divides among threads; nil where that is unknown.
	Sleeps     []run.Sleep     `json:"sleeps,omitempty"`
	ThreadWork *run.ThreadWork `json:"thread_work,omitempty"`
	// MostActiveS is the most time, in seconds, that any one thread ran or waited for a CPU; 0 if it is unknown.
	MostActiveS float64 `json:"most_active_s,omitempty"`
	// NodeMemoryBytes is the memory of the node, 0 if it is unknown.
	NodeMemoryBytes float64 `json:"node_memory_bytes,omitempty"`
	// BuildID is the build id of the program, or a hash of its size and time without one.
	BuildID string `json:"build_id,omitempty"`
	// GPUs describes the GPUs that have columns, as far as the agent knows them.
	GPUs []run.GPUDevice `json:"gpus,omitempty"`
	// GPUReaderS is the CPU time in seconds of the programs that read GPUs, which is part of the agent's;
	// GPUReaderStartS is the part of it that starting them took.
	GPUReaderS      float64 `json:"gpu_reader_cpu_s,omitempty"`
	GPUReaderStartS float64 `json:"gpu_reader_start_s,omitempty"`
	// Before is what columns had already counted of the run when they were first read, by name: on a busy node the
	// agent starts seconds late.
	Before map[string]uint64 `json:"before,omitempty"`
	// Uncertain is, by column name, which part of its counts lies in gaps between the records of a CPU.
	Uncertain map[string]float64 `json:"uncertain,omitempty"`
	// Notes are what the agent met while it ran.
	Notes []note.Note `json:"notes"`
}

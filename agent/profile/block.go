package profile

import (
	"jobgait/analysis/anatomy"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// Version is the version of the format.
const Version = 1

// Header is the first block of a profile, as JSON.
type Header struct {
	Version int     `json:"version"`
	Key     run.Key `json:"key"`
	Node    string  `json:"node"`
	// StepNS is the step of the grid. Slot i begins at BaseNS + i*StepNS of
	// CLOCK_MONOTONIC; RunNS is CLOCK_MONOTONIC when the Prolog ran.
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
	// AddressHz is samples a second and CPU; 0 without code addresses.
	AddressHz float64 `json:"address_hz"`
	// InterruptNS is what one record is taken to cost the CPU that it interrupts,
	// 0 in profiles that do not say.
	InterruptNS float64 `json:"interrupt_ns,omitempty"`
	// BudgetPct is what the agent may cost, in percent of each CPU.
	BudgetPct float64             `json:"budget_pct,omitempty"`
	Columns   []Column            `json:"columns"`
	Sources   []run.CounterSource `json:"sources"`
	// Notes are what the agent found it could not do when it started.
	Notes []note.Note `json:"notes"`
}

// Column is one counter in the blocks.
type Column struct {
	Name  string `json:"name"`
	Unit  string `json:"unit"`
	Scope string `json:"scope"` // "job" or "node"
	// Gauge is true for a level (bytes in use); else the values are
	// cumulative counts and a reader differences them.
	Gauge bool `json:"gauge,omitempty"`
	// Hz is how often a second it was read, where that is less often than
	// the grid has steps; values between are interpolated. 0 = every step.
	Hz float64 `json:"hz,omitempty"`
	// Ticked is true where a driver makes new values at times of its own, which may
	// be seldom: its ticks would be found as a period.
	Ticked bool `json:"ticked,omitempty"`
	// Quantum is how far apart the values are that the file keeps of this
	// column, in its unit: no value is further than half of it from what
	// was read, and the first and last of a block are exact. 0 or 1 =
	// exact. It stands in every block and not in the header of the file; a
	// reader's header has the largest of the blocks read so far, that of
	// Load the largest of all.
	Quantum int64 `json:"quantum,omitempty"`
}

// NoValue marks a value that was not read.
const NoValue = int64(-1) << 63

// Block is about one second of samples: N consecutive slots from slot First.
type Block struct {
	First int64
	N     int
	// RealNS is CLOCK_REALTIME and MonoNS CLOCK_MONOTONIC, read together.
	RealNS, MonoNS int64
	// Columns has, for each column of the header, the value at the END of each slot: cumulative since the profile
	// began, or the level. NoValue where the value is missing.
	Columns [][]int64
	// Every is how many slots were merged because the file grew too large;
	// 0 or 1 = none. Columns between are interpolated then, and Samples and
	// the Counts of pages spread evenly, so that sums are what was counted.
	Every int
	// overview is set if it is the overview of other blocks, of which lead
	// slots are missing in the first group.
	overview bool
	lead     int
	// Ran has, for each column, the share of time in which the counter of a
	// multiplexed group really counted, in 1/10000; nil = always all of it.
	Ran []uint16
	// Samples is the number of code-address samples of the job per slot;
	// nil without code addresses.
	Samples []uint32
	// Pages are the code pages that were hit most in this block, at most
	// MaxPages; what is not in them is Samples minus their sum.
	Pages []PageCount
	// Bins are the same samples on the job's own clock; a reader has them in
	// Loaded.CPU.
	Bins Bins
	// parts are the samples of the parts of pages slot by slot, where a reader took them from the bins.
	parts []anatomy.Page
	// Missing is the number of slots of which more than 1 % may lie in another slot,
	// because CPUs gave no record (package sampler), LostRecords what the kernel reported as lost, Records the number of
	// ring records drained.
	Missing, LostRecords, Records int64
	// AgentCPUNS is the CPU time of the agent so far.
	AgentCPUNS int64
}

// MaxPages is the number of code pages a block keeps: two of them have 94 % of
// the samples of a LAMMPS melt, and what is left out is still counted.
const MaxPages = 48

// PageCount is how often one code page was hit in each slot of a block.
type PageCount struct {
	// Key is a hash of the file's build id (else device and inode) and the
	// page's offset in it; 1 is all kernel code, 2 all anonymous code. It
	// names no path and no symbol.
	Key    uint64
	Counts []uint16
}

// KernelPage and AnonymousPage are the keys of the two buckets without a file.
const (
	KernelPage    = 1
	AnonymousPage = 2
)

// Footer seals a profile: the agent ended in order.
type Footer struct {
	Reason string `json:"reason"` // "stopped", "max_hours", "job_gone", "spool_full"
	// Executable is the base name of the program that used most of the
	// job's sampled CPU time, "" if unknown.
	Executable string `json:"executable,omitempty"`
	// Script is what that runs where it is an interpreter, "" if unknown.
	Script string `json:"script,omitempty"`
	// Programs are those with most sampled CPU time.
	Programs []run.Program `json:"programs,omitempty"`
	// BuildID is its build id, else a hash of its size and time.
	BuildID string `json:"build_id,omitempty"`
	// GPUs describes the boards that have columns, as far as the agent knows them.
	GPUs []run.GPUDevice `json:"gpus,omitempty"`
	// GPUReaderS is the CPU time of the programs that read GPUs, part of the agent's;
	// GPUReaderStartS the part of it that starting them took.
	GPUReaderS      float64 `json:"gpu_reader_cpu_s,omitempty"`
	GPUReaderStartS float64 `json:"gpu_reader_start_s,omitempty"`
	// Before is what columns had counted of the run when they were first read, by name:
	// an agent on a node without time is seconds late.
	Before map[string]uint64 `json:"before,omitempty"`
	// Uncertain is which part of what columns counted lies in gaps between the records of
	// a CPU, by name.
	Uncertain map[string]float64 `json:"uncertain,omitempty"`
	// Notes are what the agent met while it ran.
	Notes []note.Note `json:"notes"`
}

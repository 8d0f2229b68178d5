package run

import "strings"

// GPUDevice identifies a GPU board. Index counts the job's GPUs on a node, in the
// scheduler's order. "" and 0 mean unknown.
type GPUDevice struct {
	Index       int     `json:"index"`
	Name        string  `json:"name"`
	UUID        string  `json:"uuid"`
	MemoryBytes float64 `json:"memory_bytes"`
}

// IsGPUColumn reports whether a counter belongs to a GPU (gpu0_energy).
func IsGPUColumn(name string) bool {
	rest, ok := strings.CutPrefix(name, "gpu")
	digits, _, found := strings.Cut(rest, "_")
	return ok && found && digits != "" && strings.Trim(digits, "0123456789") == ""
}

package scope

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Used is what a command used, as its parent was told when it waited for it.
type Used struct {
	// CPUNS is its CPU time, with that of all it has waited for, in ns.
	CPUNS uint64 `json:"cpu_ns"`
	// EndNS is CLOCK_MONOTONIC when it had ended.
	EndNS int64 `json:"end_ns"`
}

func usedFile(dir string) string { return filepath.Join(dir, "used.json") }

// Write leaves it in a run directory, for the agent, at once or not at all.
func (u Used) Write(dir string) error {
	text, err := json.Marshal(u)
	if err == nil {
		err = os.WriteFile(usedFile(dir)+".part", text, 0o600)
	}
	if err == nil {
		err = os.Rename(usedFile(dir)+".part", usedFile(dir))
	}
	if err != nil {
		return fmt.Errorf("write CPU time of the command: %w", err)
	}
	return nil
}

// ReadUsed reads it back; false when there is none: the command still runs.
func ReadUsed(dir string) (Used, bool) {
	var u Used
	text, err := os.ReadFile(usedFile(dir))
	return u, err == nil && json.Unmarshal(text, &u) == nil
}

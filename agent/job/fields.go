package job

import (
	"strings"

	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// Bounds of what a user may have recorded of a run.
const (
	maxLabels  = 8
	maxModules = 4096
)

// fields are the recorded fields that the user's side passed in variables with
// this prefix: git commit, labels and loaded modules. nil where there are none.
func fields(getenv func(string) string, prefix string) map[string]string {
	f := labels(getenv(prefix + "LABELS"))
	f[summary.FieldCommit] = note.Clean(getenv(prefix+"COMMIT"), maxText)
	f[summary.FieldModules] = note.Clean(getenv(prefix+"MODULES"), maxModules)
	return summary.Job{}.WithFields(f).Fields
}

// labels reads NAME=VALUE,... as far as it is that; there are maxLabels at most.
func labels(list string) map[string]string {
	f := map[string]string{}
	for item := range strings.SplitSeq(list, ",") {
		name, value, ok := strings.Cut(item, "=")
		name = note.Clean(strings.TrimSpace(name), maxText)
		if ok && name != "" && len(f) < maxLabels {
			f[summary.LabelPrefix+name] = note.Clean(value, maxText)
		}
	}
	return f
}

package job

import (
	"strings"

	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// Limits of the labels (number) and the module list (characters) that a user may record with a run.
const (
	maxLabels  = 8
	maxModules = 4096
)

// RecordedFields returns the fields that a user records with a run: git commit, loaded modules, and at most
// maxLabels valid labels NAME=VALUE. It returns nil without fields.
func RecordedFields(commit, modules string, labels []string) map[string]string {
	f := map[string]string{}
	for _, item := range labels {
		name, value, ok := strings.Cut(item, "=")
		name = note.Clean(strings.TrimSpace(name), MaxText)
		if ok && name != "" && len(f) < maxLabels {
			f[run.LabelPrefix+name] = note.Clean(value, MaxText)
		}
	}
	f[run.FieldCommit] = note.Clean(commit, MaxText)
	f[run.FieldModules] = note.Clean(modules, maxModules)
	return run.Job{}.WithFields(f).Fields
}

package job

import (
	"fmt"
	"slices"
	"strings"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/quantity"
	"jobgait/analysis/summary"
)

// courseLine describes the parts of a run without cycles that differ: when, how many CPUs were busy, and which code
// ran. It returns "" for other runs.
func (r Report) courseLine() string {
	if len(r.Course) < 2 {
		return ""
	}
	var parts []string
	for i, s := range r.Course {
		words := fmt.Sprintf("%s to %s: %s", quantity.Position(s.StartS, r.Job.ElapsedS),
			quantity.Position(s.EndS, r.Job.ElapsedS), cpus(s.BusyCPUs))
		if i == 0 {
			words += " CPUs busy"
		}
		if name := leadName(s.Lead); name != "" && s.LeadShare >= briefFunction {
			words += fmt.Sprintf(", %s in %s", quantity.Share(s.LeadShare), name)
		}
		parts = append(parts, words)
	}
	return strings.Join(parts, "; ")
}

// leadName returns the printed name of a function, or of its library; "" if both are unknown.
func leadName(f anatomy.Function) string {
	switch {
	case f.Library == anatomy.KernelCode:
		return "the kernel"
	case f.Name != "":
		return shortName(string(functionName(f)), 30)
	case f.Library == "" || f.Library == anatomy.Unresolved:
		return ""
	}
	return libraryWords(f.Library)
}

// courseWithin returns the parts of a run, none of which ends after the run: the last sample may be later than that.
func courseWithin(course []summary.Stretch, elapsedS float64) []summary.Stretch {
	out := slices.Clone(course)
	for i := range out {
		if elapsedS > 0 {
			out[i].StartS, out[i].EndS = min(out[i].StartS, elapsedS), min(out[i].EndS, elapsedS)
		}
	}
	return out
}

// partsS returns the lengths in s of the parts of a run that differ, of which the first begins with the run; nil
// without such parts.
func (r Report) partsS() (lengths []float64) {
	if len(r.Course) < 2 {
		return nil
	}
	from := 0.0
	for _, s := range r.Course {
		lengths = append(lengths, s.EndS-from)
		from = s.EndS
	}
	return lengths
}

// courseSentence says whether a run without cycles looks alike throughout, for the finding that it has none.
func (r Report) courseSentence() string {
	switch n := len(r.Course); {
	case n > 1:
		return fmt.Sprintf("The run has %d parts that differ (PARTS).", n)
	case n == 1:
		return "The run looks alike from start to end."
	}
	return ""
}

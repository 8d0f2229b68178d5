package job

import (
	"fmt"
	"strings"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/quantity"
)

// courseLine describes the parts of a run without cycles that differ: when, how many CPUs were busy, and which code
// ran. It returns "" for other runs.
func (r Report) courseLine() string {
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

// courseSentence says whether a run without cycles looks alike throughout, for the finding that it has none.
func (r Report) courseSentence() string {
	switch n := len(r.Course); {
	case n > 1:
		return fmt.Sprintf("The run has %d parts that differ (PARTS).", n)
	case r.Job.ElapsedS >= leastCourseS && r.Quality.sampled():
		return "The run looks alike from start to end."
	}
	return ""
}

// leastCourseS is the length of a run in s below which its parts are not compared.
const leastCourseS = 2.0

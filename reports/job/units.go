package job

import (
	"math"
	"strings"

	"jobgait/analysis/run"
	"jobgait/analysis/series"
)

// inReadable returns the factor and unit in which a column is printed. Counts of code-address samples become CPUs: a
// sampler at AddressHz hits a CPU that is busy in a page AddressHz / RateHz times per slot. CPU time per second becomes
// CPUs too, waiting time per second tasks, pressure a share, other ns/s become s/s, and uJ/s become W. Other units stay
// as they are.
func inReadable(name, unit string, q run.Quality) (factor float64, readable string) {
	cpu := cpuTime(name)
	switch {
	case unit == "samples" && q.AddressHz > 0 && q.RateHz > 0:
		return q.RateHz / q.AddressHz, "CPUs"
	case unit == "ns/s" && (name == run.StorageWait || name == run.CPUWait): // may exceed the number of CPUs
		return 1e-9, "tasks"
	case unit == "ns/s" && cpu:
		return 1e-9, "CPUs"
	case unit == "s/s" && cpu:
		return 1, "CPUs"
	case unit == "ns/s" && strings.Contains(name, "psi"):
		return 1e-9, "share"
	case unit == "ns/s":
		return 1e-9, "s/s"
	case unit == "uJ/s":
		return 1e-6, "W"
	}
	return 1, unit
}

// cpuTime reports whether a column in units of time is CPU time, so that one second per second is one CPU in
// use, or wanted where it is waiting. The kernel's pressure (psi) is waiting time of all tasks together.
func cpuTime(name string) bool {
	if strings.Contains(name, "psi") {
		return false
	}
	return name == run.CPUWait || strings.Contains(name, "cpu") || strings.Contains(name, "clock")
}

// scaled returns the values times a factor; the result is never nil, so that JSON writes a list.
func scaled(v series.Values, factor float64) series.Values {
	out := make(series.Values, len(v))
	for i, x := range v {
		if out[i] = float32(float64(x) * factor); math.IsInf(float64(out[i]), 0) {
			out[i] = series.Missing()
		}
	}
	return out
}

// floats returns the values as float64.
func floats[T ~[]float32](v T) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}

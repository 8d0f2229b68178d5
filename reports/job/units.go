package job

import (
	"math"
	"strings"

	"jobgait/analysis/run"
	"jobgait/analysis/series"
)

// inReadable returns the factor and unit in which a column is printed. Counts of
// code-address samples become CPUs: a sampler of AddressHz hits a CPU that is
// busy in a page AddressHz / RateHz times a slot. CPU time a second is CPUs too.
// Everything else stays as it is.
func inReadable(name, unit string, q run.Quality) (factor float64, readable string) {
	cpu := cpuTime(name)
	switch {
	case unit == "samples" && q.AddressHz > 0 && q.RateHz > 0:
		return q.RateHz / q.AddressHz, "CPUs"
	case unit == "ns/s" && cpu:
		return 1e-9, "CPUs"
	case unit == "s/s" && cpu:
		return 1, "CPUs"
	case unit == "ns/s":
		return 1e-9, "s/s"
	case unit == "uJ/s":
		return 1e-6, "W"
	}
	return 1, unit
}

// cpuTime is whether a column in units of time is time of CPUs, so that a second
// of it a second is a CPU in use. The kernel's pressure (psi) is time of waiting.
func cpuTime(name string) bool {
	return (strings.Contains(name, "cpu") || strings.Contains(name, "clock")) && !strings.Contains(name, "psi")
}

// scaled returns the values times a factor, never nil: its JSON is a list.
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

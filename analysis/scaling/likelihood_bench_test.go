package scaling

import (
	"syscall"
	"testing"
)

// mixed is ten-point series no two of which share a grid, segmented ones and others.
func mixed(count int, segmented func(int) bool) []grid {
	src := newDraw(31)
	out := make([]grid, count)
	for i := range out {
		c := drawCell{In: i&2 == 0, Decades: i&4 == 0, Doubling: i&8 == 0, Noise: []float64{0, 0.02, 0.05, 0.1}[i/16%4]}
		parts := []int{10}
		if segmented(i) {
			parts = []int{5, 5}
		}
		s := src.Paper(c, parts...)
		for k := range s.P {
			s.P[k] *= 1 + float64(i)/1e4
		}
		out[i] = gridOf(s.P, s.Values, nil)
	}
	return out
}

func benchmarkDetect(b *testing.B, segmented func(int) bool) {
	grids := mixed(2048, segmented)
	d := newDetector()
	all := func() {
		for _, g := range grids {
			d.detect(g)
		}
	}
	all() // the buffers grow
	b.ReportAllocs()
	before := userSeconds()
	for b.Loop() {
		all()
	}
	detections := float64(b.N * len(grids))
	b.ReportMetric(detections/b.Elapsed().Seconds(), "detections/s")
	// On a machine that others load, this is what one core would do alone.
	b.ReportMetric(detections/(userSeconds()-before), "detections/cpu-s")
}

// One core, ten points, every grid another; half of the series have a change.
func BenchmarkDetect(b *testing.B) { benchmarkDetect(b, func(i int) bool { return i%2 == 0 }) }

// A list as it comes: few series have a change.
func BenchmarkDetectOneLaw(b *testing.B) { benchmarkDetect(b, func(int) bool { return false }) }

func BenchmarkDetectSegmented(b *testing.B) { benchmarkDetect(b, func(int) bool { return true }) }

// The largest number of points that are analysed one by one.
func BenchmarkDetect64(b *testing.B) {
	src := newDraw(32)
	s := src.Paper(drawCell{In: true, Noise: 0.05}, 32, 32)
	g := gridOf(s.P, s.Values, nil)
	d := newDetector()
	for b.Loop() {
		d.detect(g)
	}
}

// userSeconds is the CPU time that the process took so far.
func userSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Sec) + float64(u.Utime.Usec)/1e6
}

package changepoint

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"
)

// campus is series of several users on one machine, which is slower for a while.
func campus(n, runs int) []Series {
	r := rand.New(rand.NewPCG(7, 7))
	out := make([]Series, n)
	for i := range out {
		s := Series{ID: fmt.Sprint(i), User: fmt.Sprint(i % 7), Machine: "m"}
		for k := range runs {
			day := float64(k) + r.Float64()/2
			y := 100 * math.Exp(.01*r.NormFloat64())
			if k > runs/2 && i%5 == 0 {
				y *= 1.1
			}
			if k > runs/3 && k < runs/3+8 {
				y *= 1.05
			}
			s.T, s.Start, s.Y = append(s.T, day), append(s.Start, 1.79e9+day*86400), append(s.Y, y)
		}
		out[i] = s
	}
	return out
}

// The number of CPUs does not affect what is found.
func TestCPUsMakeNoDifference(t *testing.T) {
	list := campus(24, 60)
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	one := Analyse(list, Sequential, Default())
	runtime.GOMAXPROCS(4)
	if many := Analyse(list, Sequential, Default()); !reflect.DeepEqual(one, many) {
		t.Error("four CPUs find something else than one")
	}
	if len(one.Machine) == 0 || len(one.Series[0].Changes) == 0 {
		t.Errorf("nothing to compare: %d machine events, %d changes", len(one.Machine), len(one.Series[0].Changes))
	}
}

// BenchmarkSite judges 60 series of 200 runs on one CPU and on all.
func BenchmarkSite(b *testing.B) {
	list := campus(60, 200)
	for _, cpus := range []int{1, runtime.NumCPU()} {
		b.Run(fmt.Sprint("cpus", cpus), func(b *testing.B) {
			before := runtime.GOMAXPROCS(cpus)
			defer runtime.GOMAXPROCS(before)
			for b.Loop() {
				Analyse(list, Sequential, Default())
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N)/float64(len(list)), "ms/series")
		})
	}
}

// The number of parts in which series are scanned does not affect what is found.
func TestPartsMakeNoDifference(t *testing.T) {
	list := campus(3*maxNeighbours, 40)
	for i := range list {
		list[i].User = []string{"", "a", "a", "b"}[i%4]
	}
	var want []SeriesResult
	for _, atOnce := range []int{len(list), 1, 7, 2 * maxNeighbours} {
		runs := make([]preparedSeries, len(list))
		for i := range list {
			runs[i] = prepare(&list[i])
		}
		v := newVotingRound(runs, Default())
		v.atOnce = atOnce
		found := make([]SeriesResult, len(list))
		v.analyse(found)
		if want == nil {
			want = found
		}
		if !reflect.DeepEqual(found, want) {
			t.Errorf("%d series at once have other results than all", atOnce)
		}
	}
}

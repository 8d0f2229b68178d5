package anatomy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// What is left out of a record is still counted in its sums. A record of 500 functions in 60 libraries keeps 32
// and 24.
func TestBoundedAddsUp(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	code, b := Code{}, Block{Samples: make([]uint32, 400), SampleS: .001}
	for k := range 500 {
		code.Functions = append(code.Functions, Function{Library: fmt.Sprintf("lib%d.so", k%60), Name: fmt.Sprintf("f%d", k)})
		code.HotAddresses = append(code.HotAddresses, HotAddress{Page: uint64(k), Function: k, Count: 1})
		p := Page{Key: uint64(k), Counts: make([]uint16, 400)}
		for i := range p.Counts {
			if r.IntN(1+k/4) == 0 {
				p.Counts[i]++
				b.Samples[i]++
			}
		}
		b.Pages = append(b.Pages, p)
	}
	cycles := Cycles{Pattern: "A"}
	for k := range 10 {
		cycles.Instances = append(cycles.Instances, [2]int{k * 40, 40})
	}
	tally := New(code, []Cycles{cycles})
	tally.Add(b)
	for _, s := range []Split{tally.Result().Bounded().Run, tally.Result().Bounded().Cycles[0].Split} {
		functions, libraries := s.Others.Share, 0.0
		for _, f := range s.Functions {
			functions += f.Share
		}
		for _, p := range s.Libraries {
			libraries += p.Share
		}
		if len(s.Functions) != maxFunctions || len(s.Libraries) != maxLibraries+1 ||
			s.Others.Count != len(tally.Result().Run.Functions)-maxFunctions ||
			math.Abs(functions-1) > 1e-9 || math.Abs(libraries-1) > 1e-9 {
			t.Errorf("%d functions %g, %d libraries %g, others %+v", len(s.Functions), functions, len(s.Libraries), libraries,
				s.Others)
		}
	}
	bare := tally.Result().Bounded().WithoutFunctions()
	if len(bare.Run.Functions) != 0 || bare.Run.Others != nil || len(bare.Cycles[0].Functions) != 0 ||
		len(bare.Cycles[0].Classes) == 0 {
		t.Errorf("%+v", bare)
	}
}

func TestRounded(t *testing.T) {
	got := rounded([]float64{0, 0.00123456, 12345, 7.6543, -0.5})
	for i, want := range []float64{0, .00123, 12300, 7.65, -.5} {
		if math.Abs(got[i]-want) > 1e-12*math.Abs(want) {
			t.Errorf("%g, not %g", got[i], want)
		}
	}
}

// A page is named by the function with most of its samples.
func TestColumn(t *testing.T) {
	tally := New(Code{Functions: work[:2],
		HotAddresses: []HotAddress{{Page: 0xab, Count: 30}, {Page: 0xab, Function: 1, Count: 10}}}, nil)
	if p, ok := tally.Column("code:00000000000000ab"); !ok || p.Name != "a" || p.Share != .75 {
		t.Errorf("%+v %v", p, ok)
	}
	for _, name := range []string{"code:00000000000000ac", "code:other", "code:kernel", "busy_cpus",
		"code:00000000000000ab+300"} {
		if p, ok := tally.Column(name); ok {
			t.Errorf("%s is %+v", name, p)
		}
	}
}

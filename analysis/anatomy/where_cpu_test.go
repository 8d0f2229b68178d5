package anatomy

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestPartsOfCPUTime checks that functions of a job that others keep from its CPU lie in their own part of the CPU
// time of a cycle, whatever that took of wall time, and that the samples of a page are in its parts.
func TestPartsOfCPUTime(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	code := Code{Functions: work[:3]}
	b := Block{SampleS: .001}
	cycles := Cycles{Pattern: "A", OnCPU: true}
	parts := []PagePart{PlacePart(0x21), PlacePart(0x24), BlockPart(0x30)}
	for k, part := range parts {
		b.Pages = append(b.Pages, Page{Key: 100, Part: part})
		code.HotAddresses = append(code.HotAddresses, HotAddress{Page: 100, Place: []uint8{0x21, 0x24, 0x30}[k], Function: k})
	}
	for range 40 {
		first := len(b.Samples)
		for used := 0; used < 200; {
			n := min(200-used, 5)
			if r.IntN(10) < 7 {
				n = 0 // another job has the CPU
			}
			b.Samples = append(b.Samples, uint32(n))
			for k := range parts {
				b.Pages[k].Counts = append(b.Pages[k].Counts, 0)
			}
			for range n {
				k := 0
				for ; (float64(used)+.5)/200 > ends[k]; k++ {
				}
				b.Pages[k].Counts[len(b.Samples)-1]++
				code.HotAddresses[k].Count++
				used++
			}
		}
		cycles.Instances = append(cycles.Instances, [2]int{first, len(b.Samples) - first})
	}
	s := Samples{Code: code, Blocks: func(yield func(Block) bool) { yield(b) }}
	c := s.Tally([]Cycles{cycles}).Result().Cycles[0]
	if !c.OnCPU || len(c.Functions) != 3 {
		t.Fatalf("%+v", c)
	}
	from := 0.0
	for k, f := range c.Functions {
		if f.Name != work[k].Name || f.Within == nil {
			t.Fatalf("%+v", f)
		}
		in, all := 0.0, 0.0
		for bin, v := range f.Within {
			if all += v; float64(bin+1) > from*Bins-1 && float64(bin) < ends[k]*Bins+1 {
				in += v
			}
		}
		if math.Abs(all-*f.CycleS) > 1e-9 || in < .999*all {
			t.Errorf("%s: %.4f of %.4f s are within its part, of %.4f s a cycle", f.Name, in, all, *f.CycleS)
		}
		from = ends[k]
	}
}

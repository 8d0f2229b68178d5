package profile

import (
	"math"
	"testing"

	"jobgait/analysis/series"
)

// What is followed while a profile is written is what Load finds in it, to the bit.
func TestFeaturesAreThoseOfASet(t *testing.T) {
	p := sample()
	p.Header.Scope = "job"
	for i := range p.Header.Columns {
		p.Header.Columns[i].Scope = "job"
	}
	p.Blocks = append(p.Blocks, Block{First: 116, N: 4,
		Columns: [][]int64{{140, 151, 163, 176}, {2, 2, 2, 2}, {230, 240, 251, 263}},
		Samples: []uint32{7, 1, 3, 2}, Pages: []PageCount{{Key: 9, Counts: []uint16{7, 0, 1, 1}}}})
	set := held(t, p, defaultLimits()).Set
	x := NewLiveColumns(p.Header, 2, 8)
	for i, key := range []uint64{9, KernelPage} {
		x.AssignPage(i, key)
		if at, ok := x.PageIndex(key); at != i || !ok {
			t.Errorf("page %d is in column %d, %t", key, at, ok)
		}
	}
	var want []series.Column
	for _, c := range set.Columns {
		if c.Name != "memory" { // a level
			want = append(want, c)
		}
	}
	columns := x.Columns()
	if len(columns) != len(want) {
		t.Fatalf("%d columns, not %d: %+v", len(columns), len(want), columns)
	}
	for i, c := range columns {
		w := want[i]
		if page := i == 1 || i == 2; c.Unit != w.Unit || c.Scope != w.Scope || c.Group != w.Group ||
			c.Source != w.Source || !page && c.Name != w.Name {
			t.Errorf("column %d: %+v, not %+v", i, c, w)
		}
	}
	for _, b := range p.Blocks {
		x.ComputeRows(&b, p.Header.AddressHz)
		for i := range b.N {
			for k, v := range x.Row(i) {
				stored := want[k].Values[int(b.First)-100+i]
				if k < 4 && b.Samples == nil {
					stored = 0 // live, code without addresses is 0
				}
				if math.Float32bits(v) != math.Float32bits(stored) && !(isNaN(v) && isNaN(stored)) {
					t.Errorf("%s in slot %d: %v, not %v", want[k].Name, b.First+int64(i), v, stored)
				}
			}
		}
	}
}

func isNaN(v float32) bool { return math.IsNaN(float64(v)) }

// A column of a page has the counts of the page that it follows now.
func TestFeaturesFollowAnotherPage(t *testing.T) {
	p := sample()
	x := NewLiveColumns(p.Header, 1, 0)
	for n, key := range []uint64{9, KernelPage, 9} {
		x.AssignPage(0, key)
		x.ComputeRows(&p.Blocks[0], p.Header.AddressHz)
		other := uint64(9)
		if key == 9 {
			other = KernelPage
		}
		if _, ok := x.PageIndex(other); ok {
			t.Errorf("round %d: page %d is followed too", n, other)
		}
		if row := x.Row(0); row[1] != map[uint64]float32{9: 4, KernelPage: 1}[key] || row[1]+row[2] != 10 {
			t.Errorf("round %d: %v", n, row)
		}
	}
}

package names

import (
	"cmp"
	"slices"

	"jobgait/agent/profile"
)

// KnownFile is the file of a run directory in which Known is stored.
const KnownFile = "names.json"

// Known is what was answered of a run's code, file by file.
type Known struct {
	Files []KnownOf `json:"files"`
	// Lost is set when a child did not return; no further lookup is made then.
	Lost bool `json:"lost,omitempty"`
}

// KnownOf is what is known of one file.
type KnownOf struct {
	Key uint64 `json:"key,string"` // of the file in profile.Places
	// Why the last attempt did not read the file, "" if it did.
	Why Reason `json:"why,omitempty"`
	// Functions are in the order of their starts.
	Functions []Function `json:"functions"`
}

// Add takes an answer.
func (k *Known) Add(key uint64, a Answer) {
	i, ok := slices.BinarySearchFunc(k.Files, key, func(f KnownOf, key uint64) int { return cmp.Compare(f.Key, key) })
	if !ok {
		k.Files = slices.Insert(k.Files, i, KnownOf{Key: key})
	}
	f := &k.Files[i]
	f.Why = a.Why
	f.Functions = append(f.Functions, a.Functions...)
	slices.SortFunc(f.Functions, compareFunctions)
	f.Functions = slices.Compact(f.Functions)
}

func compareFunctions(a, b Function) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.Name, b.Name),
		cmp.Compare(a.Source, b.Source))
}

// Of is what is known of a file.
func (k Known) Of(key uint64) KnownOf {
	i, ok := slices.BinarySearchFunc(k.Files, key, func(f KnownOf, key uint64) int { return cmp.Compare(f.Key, key) })
	if !ok {
		return KnownOf{Key: key, Functions: []Function{}}
	}
	return k.Files[i]
}

// mostBefore is how many functions that begin before a place are looked at: of honest
// files one or two cover it.
const mostBefore = 16

// At is the function around the place at an offset: the one that covers most of it,
// of equals the shorter.
func (f KnownOf) At(off uint64) (best Function, ok bool) {
	end, over := off+profile.PlaceBytes, uint64(0)
	i, _ := slices.BinarySearchFunc(f.Functions, end, func(x Function, end uint64) int {
		return cmp.Compare(x.Start, end)
	})
	for _, x := range f.Functions[max(0, i-mostBefore):i] {
		if x.End <= off {
			continue
		}
		if n := min(end, x.End) - max(off, x.Start); n > over || n == over && x.End-x.Start < best.End-best.Start {
			best, over, ok = x, n, true
		}
	}
	return best, ok
}

// Sorted is what was read from a file, in the order that Of and At expect.
func (k Known) Sorted() Known {
	slices.SortFunc(k.Files, func(a, b KnownOf) int { return cmp.Compare(a.Key, b.Key) })
	for _, f := range k.Files {
		slices.SortFunc(f.Functions, compareFunctions)
	}
	return k
}

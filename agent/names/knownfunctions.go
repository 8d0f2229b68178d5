package names

import (
	"cmp"
	"slices"

	"jobgait/agent/profile"
)

// KnownFile is the name of the file in a run directory that has the run's KnownFunctions.
const KnownFile = "names.json"

// KnownFunctions are the functions of a run's code that lookups have found, by file.
type KnownFunctions struct {
	Files []FileFunctions `json:"files"`
	// Lost is set when a child did not return; no further lookup is made then.
	Lost bool `json:"lost,omitempty"`
}

// FileFunctions are the found functions of one file.
type FileFunctions struct {
	Key uint64 `json:"key,string"` // of the file in profile.Places
	// Why says why the last lookup did not read the file, "" if it did.
	Why Reason `json:"why,omitempty"`
	// Functions are in the order of their starts.
	Functions []Function `json:"functions"`
}

// Add adds the functions of an answer to those of the file with this key. The functions stay sorted, without
// duplicates. The answer's reason replaces the file's reason.
func (k *KnownFunctions) Add(key uint64, a Answer) {
	i, ok := slices.BinarySearchFunc(k.Files, key, func(f FileFunctions, key uint64) int {
		return cmp.Compare(f.Key, key)
	})
	if !ok {
		k.Files = slices.Insert(k.Files, i, FileFunctions{Key: key})
	}
	f := &k.Files[i]
	f.Why = a.Why
	f.Functions = append(f.Functions, a.Functions...)
	slices.SortFunc(f.Functions, compareFunctions)
	f.Functions = slices.Compact(f.Functions)
}

// compareFunctions orders functions by start, end, name and source.
func compareFunctions(a, b Function) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.Name, b.Name),
		cmp.Compare(a.Source, b.Source))
}

// OfFile returns the functions of the file with this key, without functions if it is unknown.
func (k KnownFunctions) OfFile(key uint64) FileFunctions {
	i, ok := slices.BinarySearchFunc(k.Files, key, func(f FileFunctions, key uint64) int {
		return cmp.Compare(f.Key, key)
	})
	if !ok {
		return FileFunctions{Key: key, Functions: []Function{}}
	}
	return k.Files[i]
}

// maxBefore limits the functions that FunctionAt compares: in normal files one or two cover a place.
const maxBefore = 16

// FunctionAt returns the function around the place at a file offset: the one that covers most of it, of equals
// the shorter. ok is false if no function covers it.
func (f FileFunctions) FunctionAt(off uint64) (best Function, ok bool) {
	end, over := off+profile.PlaceBytes, uint64(0)
	i, _ := slices.BinarySearchFunc(f.Functions, end, func(x Function, end uint64) int {
		return cmp.Compare(x.Start, end)
	})
	for _, x := range f.Functions[max(0, i-maxBefore):i] {
		if x.End <= off {
			continue
		}
		if n := min(end, x.End) - max(off, x.Start); n > over || n == over && x.End-x.Start < best.End-best.Start {
			best, over, ok = x, n, true
		}
	}
	return best, ok
}

// Sorted sorts files and functions, as OfFile and FunctionAt require, and returns k. It is for values read from
// a file.
func (k KnownFunctions) Sorted() KnownFunctions {
	slices.SortFunc(k.Files, func(a, b FileFunctions) int { return cmp.Compare(a.Key, b.Key) })
	for _, f := range k.Files {
		slices.SortFunc(f.Functions, compareFunctions)
	}
	return k
}

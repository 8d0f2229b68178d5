package stacks

import (
	"cmp"
	"errors"
	"slices"

	"jobgait/analysis/note"
)

// Bounds of a record. A record of 512 tasks in 4 groups has about 10 kB, the largest possible one 400 kB.
const (
	mostGroups = 24
	mostFrames = 48
	mostNotes  = 16
	maxText    = 160 // characters
	maxNumber  = 1 << 30
)

// Bounded returns a copy of a record with at most mostGroups groups, mostFrames frames and mostNotes notes, and at most
// the given number of ranks, PIDs and nodes in a group. It drops groups of other threads first, then middle-sized
// groups of main threads, and keeps the innermost frames.
func (r Record) Bounded(tasks int) Record {
	// The smallest groups of main threads have the odd ranks, and the largest one is what most do.
	groups := slices.Clone(r.Groups)
	slices.SortStableFunc(groups, func(a, b Group) int {
		if a.Others != b.Others {
			return map[bool]int{false: -1, true: 1}[a.Others]
		}
		return cmp.Compare(b.Threads, a.Threads)
	})
	notes := r.Notes
	if n := len(groups) - mostGroups; n > 0 {
		notes = append([]note.Note{note.New(note.StackNodes, "%d groups of call stacks were left out", n)}, notes...)
	}
	for len(groups) > mostGroups {
		at := mostGroups / 2
		if last := len(groups) - 1; groups[last].Others {
			at = last
		}
		groups = slices.Delete(groups, at, at+1)
	}
	for i := range groups {
		g := &groups[i]
		g.Frames = g.Frames[:min(len(g.Frames), mostFrames)]
		g.Ranks, g.PIDs = g.Ranks[:min(len(g.Ranks), tasks)], g.PIDs[:min(len(g.PIDs), tasks)]
		g.Nodes = g.Nodes[:min(len(g.Nodes), tasks)]
	}
	return Record{AtS: r.AtS, Groups: groups, Notes: notes[:min(len(notes), mostNotes)]}
}

var errRecord = errors.New("its call stacks have a value or a length out of range")

// Valid returns an error if the numbers or the lengths of a record are out of range or its texts are not clean, which
// no node writes. A group may have at most the given number of ranks, PIDs and nodes. Records come from a directory in
// which another account can write.
func (r Record) Valid(tasks int) error {
	if !(r.AtS >= 0 && r.AtS <= maxNumber) || len(r.Groups) > mostGroups || len(r.Notes) > mostNotes {
		return errRecord
	}
	for _, g := range r.Groups {
		if !g.valid(tasks) {
			return errRecord
		}
	}
	return nil
}

// valid reports whether the numbers of a group are in range, its lists of ranks, PIDs and nodes have at most tasks
// entries, it has at most mostFrames frames, and its texts are printable and at most maxText characters long.
func (g Group) valid(tasks int) bool {
	clean := func(texts ...string) bool {
		return !slices.ContainsFunc(texts, func(s string) bool { return s != note.Clean(s, maxText) })
	}
	ok := g.Tasks > 0 && g.Threads > 0 && g.Threads <= maxNumber && g.Tasks <= g.Threads && len(g.Frames) <= mostFrames &&
		len(g.Ranks) <= tasks && len(g.PIDs) <= tasks && len(g.Nodes) <= tasks && clean(g.Nodes...) &&
		clean(string(g.State), g.Key) && (g.WaitsIn == nil || clean(*g.WaitsIn))
	for _, list := range [][]int{g.Ranks, g.PIDs} {
		ok = ok && !slices.ContainsFunc(list, func(n int) bool { return n < 0 || n > maxNumber })
	}
	return ok && !slices.ContainsFunc(g.Frames, func(f GroupFrame) bool {
		return !clean(f.Function, f.Library) || f.File != nil && !clean(*f.File) ||
			f.Line != nil && (*f.Line < 0 || *f.Line > maxNumber)
	})
}

// Clean makes the texts of a record printable and no longer than Valid accepts. It changes the groups in place
// and returns the record.
func (r Record) Clean() Record {
	for i := range r.Groups {
		g := &r.Groups[i]
		g.Key, g.State = note.Clean(g.Key, maxText), Activity(note.Clean(string(g.State), maxText))
		for k, n := range g.Nodes {
			g.Nodes[k] = note.Clean(n, maxText)
		}
		if g.WaitsIn != nil {
			call := note.Clean(*g.WaitsIn, maxText)
			g.WaitsIn = &call
		}
		for k := range g.Frames {
			f := &g.Frames[k]
			f.Function, f.Library = note.Clean(f.Function, maxText), note.Clean(f.Library, maxText)
			if f.File != nil {
				file := note.Clean(*f.File, maxText)
				f.File = &file
			}
		}
	}
	return r
}

package summary

import (
	"slices"
	"testing"

	"jobgait/analysis/note"
	"jobgait/analysis/stacks"
)

// A node whose call stacks are missing is noted, because it may have the task for which all others wait.
func TestMissingStacksAreNoted(t *testing.T) {
	node := func(read *stacks.Record) NodeRecord {
		r := NodeRecord{Silence: &Silence{SinceS: 60, Stacks: read}}
		r.Quality.Samples = 1000
		return r
	}
	one := &stacks.Record{Groups: []stacks.Group{{Tasks: 1, Threads: 1, Ranks: []int{0}, PIDs: []int{7},
		Nodes: []string{"n1"}, State: stacks.Running}}}
	for _, c := range []struct {
		second *stacks.Record
		noted  bool
	}{{nil, true}, {one, false}} {
		s := silenceOf([]NodeRecord{node(one), node(c.second)})
		noted := slices.ContainsFunc(s.Stacks.Notes, func(n note.Note) bool { return n.Code == note.StackNodes })
		if noted != c.noted {
			t.Errorf("%+v", s.Stacks.Notes)
		}
	}
}

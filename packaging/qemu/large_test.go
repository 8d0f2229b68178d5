package qemu

import (
	"slices"
	"strings"
	"testing"
)

// large is the result of opening a set of events with Extra hardware events too many.
type large struct {
	Extra   int
	Columns []string
	Sources []source
	Silent  []string
}

// judgeLarge: events that do not fit are dropped in the documented order, each with its reason, and the others
// count all the time.
func judgeLarge(t *testing.T, m machine, all []large) {
	order := []string{"branch_misses", "l1d_refills", "ref_cycles"}
	if len(all) != 4 {
		t.Fatalf("%d of 4 sets", len(all))
	}
	for i, l := range all {
		for k, name := range order {
			if given, want := !slices.Contains(l.Columns, name), k < i; given != want {
				t.Errorf("%d too many: %s given up %v, want %v: %v", i, name, given, want, l.Columns)
			}
			at := slices.IndexFunc(l.Sources, func(s source) bool { return s.Name == name })
			if at < 0 {
				t.Errorf("%d too many: %s is in no source", i, name)
			} else if said := strings.HasPrefix(l.Sources[at].Absent, "no room"); said != (k < i) {
				t.Errorf("%d too many: of %s it says %q", i, name, l.Sources[at].Absent)
			}
		}
		for _, name := range append(slices.Clone(order[min(i, len(order)):]), "instructions", "cycles") {
			if !slices.Contains(l.Columns, name) || slices.Contains(l.Silent, name) {
				t.Errorf("%d too many: %s does not count: %v, silent %v", i, name, l.Columns, l.Silent)
			}
		}
	}
}

package job

import (
	"fmt"
	"slices"
	"strings"

	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// Note is what a result declines to say or warns of.
type Note struct {
	Code note.Code `json:"code"`
	Text string    `json:"text"`
	// Nodes are those that it is about; none when it is about the run or
	// about all nodes that reported.
	Nodes []string `json:"nodes"`
}

// newNotes joins what several nodes say in the same words: two hundred nodes
// without hardware counters are one note.
func newNotes(s summary.Summary) []Note {
	out := []Note{}
	for _, n := range s.Notes {
		i := slices.IndexFunc(out, func(m Note) bool { return m.Code == n.Code && m.Text == n.Text })
		if i < 0 {
			i = len(out)
			out = append(out, Note{n.Code, n.Text, []string{}})
		}
		if n.Node != "" && !slices.Contains(out[i].Nodes, n.Node) {
			out[i].Nodes = append(out[i].Nodes, n.Node)
		}
	}
	reported := 0
	for _, n := range s.Nodes {
		if n.Reported {
			reported++
		}
	}
	for i, n := range out {
		if len(s.Nodes) <= 1 || len(n.Nodes) >= reported && reported > 0 {
			out[i].Nodes = []string{}
		}
	}
	return out
}

// Line is the note in print, without its code.
func (n Note) Line() string {
	if len(n.Nodes) > 0 {
		return some(n.Nodes, 3) + ": " + n.Text
	}
	return n.Text
}

// isOf is whether a note says of a source that was not read what stands beside it.
func (n Note) isOf(s CounterSource) bool {
	return !s.Read && (n.Code == note.NoPMU && s.Name == "cycles" ||
		s.Absent != "" && strings.HasPrefix(n.Text, string(s.Absent)))
}

// mostNotes have a line.
const mostNotes = 20

// listedNotes returns the notes that have a line, and what to say of the rest. The reason for no period is
// printed in the head or beside the rhythm, the reason why something was not read in its own line.
func (r Report) listedNotes() (list []Note, rest string) {
	for _, n := range r.Notes {
		why := func(w Note) bool { return w.Code == n.Code && w.Text == n.Text }
		if r.Quality.sampled() && slices.ContainsFunc(r.Rhythm.Why, why) {
			continue
		}
		if slices.ContainsFunc(r.Quality.Sources, n.isOf) {
			continue
		}
		list = append(list, n)
	}
	if len(list) <= mostNotes {
		return list, ""
	}
	return list[:mostNotes], fmt.Sprintf("and %d more notes, in the JSON form of this report", len(list)-mostNotes)
}

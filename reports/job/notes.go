package job

import (
	"fmt"
	"slices"
	"strings"

	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// Note says what the report leaves out or warns about.
type Note struct {
	Code note.Code `json:"code"`
	Text string    `json:"text"`
	// Nodes lists the nodes that the note is about; it is empty when the note is about the run or about all nodes
	// that reported.
	Nodes []string `json:"nodes"`
}

// newNotes merges equal notes of several nodes: two hundred nodes without hardware counters give one note. A
// note of all nodes that reported, or of a run on one node, lists no nodes.
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

// Line returns the note as it is printed: its first three nodes, if it lists any, and its text, without its code.
func (n Note) Line() string {
	if len(n.Nodes) > 0 {
		return firstNames(n.Nodes, 3) + ": " + n.Text
	}
	return n.Text
}

// isOf reports whether a note repeats why source s was not read, which the line of the source says already.
func (n Note) isOf(s CounterSource) bool {
	return !s.Read && (n.Code == note.NoPMU && s.Name == "cycles" ||
		s.Absent != "" && strings.HasPrefix(n.Text, string(s.Absent)))
}

// mostNotes is the largest number of notes that get a line.
const mostNotes = 20

// listedNotes returns the notes that get a line, and a sentence on the rest. It leaves out the reason for no
// period, which the head or the rhythm section prints, and the reasons why sources were not read, which have
// lines of their own.
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

// Package series holds regular samples: values at a fixed step, with the gaps
// kept as gaps. It comes from a profile or from a file of anybody's numbers
// and goes into the analyses. It refuses to fill a gap with an invented value:
// a missing sample is NaN here and null in JSON.
package series

// Scope says whose activity a column counted.
type Scope string

const (
	JobScope  Scope = "job"  // processes of the job only
	NodeScope Scope = "node" // everything on the node, neighbours included
)

// Column is one series. Columns that share a non-empty Group are the
// coordinates of one vector-valued series (the shares of code pages) and are
// analysed together.
type Column struct {
	Name   string
	Unit   string
	Scope  Scope
	Group  string
	Values Values
}

// Set is the columns of one profile on one grid. Sample i of every column
// covers the time from StartS + i*StepS to StartS + (i+1)*StepS, in seconds
// since the run began.
type Set struct {
	StartS  float64
	StepS   float64
	Columns []Column
}

// Len returns the number of samples of every column.
func (s Set) Len() int {
	if len(s.Columns) == 0 {
		return 0
	}
	return len(s.Columns[0].Values)
}

// Column returns the column of that name.
func (s Set) Column(name string) (Column, bool) {
	for _, c := range s.Columns {
		if c.Name == name {
			return c, true
		}
	}
	return Column{}, false
}

package table

import (
	"slices"
	"strings"
)

// Columns names the columns that a user chooses; "" leaves the choice to the reader.
type Columns struct {
	Time      string // when a run or a sample was
	Value     string // what is analysed
	Parameter string // what varies between runs: nodes, ranks, the size of a problem
}

// Reading describes how an input was interpreted.
type Reading struct {
	// Columns says which column was used for what, "" for a format that defines it.
	Columns string
	// Cut says where an input ends too early, "" if it is complete.
	Cut string
}

// Names that say what a column holds, the surest first. They are compared without case,
// unit and the signs between words.
var (
	timeNames = []string{"t", "t s", "timestamp", "datetime", "date time", "date", "time",
		"t ms", "t us", "t ns", "start", "start time", "begin", "submit", "end", "when", "commit date", "commit ts", "epoch"}
	valueNames = []string{"value", "y", "seconds", "time s", "elapsed", "elapsed s", "elapsed seconds", "elapsed time",
		"duration", "duration s", "runtime", "runtime s", "run time", "wall time", "walltime", "wall s", "wall", "time ms",
		"real", "real time", "elapsedraw", "mean", "median", "time"}
	// parameterNames are what varies between runs of one program, the most usual first.
	parameterNames = []string{"param", "parameter", "nodes", "nnodes", "ranks", "procs", "processes", "nprocs", "np", "p",
		"tasks",
		"ntasks", "threads", "nthreads", "cores", "ncores", "cpus", "ncpus", "alloccpus", "gpus", "n", "size", "problem size",
		"x", "node count", "nodecount", "num nodes", "numnodes", "n nodes", "mpi ranks", "mpi processes", "mpi tasks",
		"num ranks", "num procs", "num processes", "numprocs", "nproc", "num threads", "numthreads", "num cores", "num gpus",
		"ngpus", "devices", "workers", "num workers", "ranks per node", "tasks per node", "processes per node", "ppn",
		"threads per rank"}
)

// statistics describe the runs of a row: they are neither its time nor a parameter.
var statistics = []string{"stddev", "std", "sd", "stdev", "error", "median", "user", "system", "min", "max", "stderr"}

// scatterNames are the statistics that say how much the runs of a row differ.
var scatterNames = []string{"stddev", "std", "sd", "stdev", "error", "stderr"}

// name is a header in the form in which it is compared, and its unit.
type name struct{ words, unit string }

// nameOf splits a header into its words, in lower case and separated by single blanks, and the unit in parentheses or
// brackets at its end, "" without one: "Time (s)", "elapsed [ms]". A unit that is the last word, as in "timestamp_us",
// stays among the words.
func nameOf(header string) name {
	s := strings.ToLower(strings.TrimSpace(header))
	unit := ""
	for _, b := range []string{"()", "[]"} {
		if open := strings.IndexByte(s, b[0]); open > 0 && s[len(s)-1] == b[1] {
			unit, s = strings.TrimSpace(s[open+1:len(s)-1]), s[:open]
		}
	}
	words := strings.Join(strings.FieldsFunc(s, func(c rune) bool { return strings.ContainsRune(" _-./:", c) }), " ")
	return name{strings.TrimPrefix(words, "parameter "), unit} // as hyperfine writes them
}

// isKnown reports whether the name says what the column holds.
func (n name) isKnown() bool {
	return slices.Contains(timeNames, n.words) || slices.Contains(valueNames, n.words) ||
		slices.Contains(parameterNames, n.words)
}

// timeUnit returns the time unit of a column: the one in parentheses or brackets, else the last of several words of its
// name. It returns Auto if that is not a unit of time from ns to s.
func (n name) timeUnit() TimeUnit {
	unit := n.unit
	if i := strings.LastIndexByte(n.words, ' '); unit == "" && i >= 0 {
		unit = n.words[i+1:]
	}
	switch unit {
	case "s", "sec", "seconds":
		return Seconds
	case "ms", "msec", "milliseconds":
		return Milliseconds
	case "us", "usec", "\u00b5s", "microseconds":
		return Microseconds
	case "ns", "nsec", "nanoseconds":
		return Nanoseconds
	}
	return Auto
}

// find returns the index of the column whose name comes first in names; -1 if no column has one of them. It skips
// columns for which taken returns true.
func (r *csvReader) find(names []string, taken func(int) bool) int {
	best, at := len(names), -1
	for i, n := range r.names {
		if k := slices.Index(names, nameOf(n).words); k >= 0 && k < best && !taken(i) {
			best, at = k, i
		}
	}
	return at
}

// noneTaken is an argument for find: no column is taken.
func noneTaken(int) bool { return false }

// kind is the kind of content of a column or a cell.
type kind int

const (
	empty   kind = iota // missing values only
	numeric             // numbers and missing values
	dates               // texts that are times
	texts
)

// kind returns the kind of most cells of column i in the first rows, apart from cells without a value. It returns empty
// only if no cell has a value.
func (r *csvReader) kind(i int) kind {
	var count [texts + 1]int
	for _, row := range r.sample {
		if i < len(row) {
			count[r.kindOf(row[i])]++
		}
	}
	best := empty
	for k := numeric; k <= texts; k++ {
		if count[k] > count[best] || best == empty && count[k] > 0 {
			best = k
		}
	}
	return best
}

// kindOf returns the kind of a cell: empty for a word that means a missing value too, numeric for a number with or
// without a unit, dates for a time, else texts.
func (r *csvReader) kindOf(cell string) kind {
	if isMissing(cell) {
		return empty
	}
	if _, _, ok := r.number([]byte(cell)); ok {
		return numeric
	}
	if _, err := parseTime(cell); err == nil {
		return dates
	}
	return texts
}

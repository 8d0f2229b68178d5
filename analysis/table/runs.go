package table

import (
	"fmt"
	"io"
	"strconv"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/note"
)

// Runs is one series of runs: as it was read, or as it is stored. They are in the order
// of time.
type Runs struct {
	changepoint.Series
	// NumberID reports that the ID was a number in the input.
	NumberID bool
	// App, Shape, Metric and Unit name the series for people; "" is unknown.
	App, Shape, Metric, Unit string
	// Given is the time of each run as given in the input.
	Given []Moment
	// Order is the position in the input of each run; nil where that is its
	// position here.
	Order []int
	// Calendar reports that T counts days from the beginning of 1970, UTC.
	Calendar bool
	Notes    []note.Note
	// Bad reports that the series could not be read: it has only an ID and notes.
	Bad bool
	// OneSession reports that the series is of one session of a benchmark tool: JoinSessions merges those of several
	// files.
	OneSession bool
	// Undated reports that the runs of a session have no date: JoinSessions numbers them in the order of the files.
	Undated bool
	// largerIsBetter reports that the file declares the values as scores: finish inverts them.
	largerIsBetter bool
	// rows names the file if several series are columns of its rows: they have one owner.
	rows string
}

// RunOptions holds the options for reading a file of runs.
type RunOptions struct {
	Name string // of the file, for messages
	// Columns of a CSV file. Each value of Parameter makes a series of its own.
	Columns Columns
	Unit    TimeUnit // of numbers as times
	Limits  Limits
}

// DefaultRuns returns the options for a file of the given name.
func DefaultRuns(name string) RunOptions {
	limits := DefaultLimits()
	limits.Columns = 1000
	return RunOptions{Name: name, Unit: Auto, Limits: limits}
}

// ReadRuns reads all series of an input: JSON lines, one series each,
//
//	{"id":"a","t":[..],"y":[..],"start":[epoch s],"also":{"cpu_s":[..]},
//	 "meta":{"field":[..]},"nodes":[["n1","n2"],..]}
//
// of which all but t and y may be absent (app, shape, metric, unit, user and machine name
// the series if they are there), or CSV with one run a row: a time, a value, and further
// columns. Those whose names end in _s and hold numbers only are further metrics of the
// runs; `start` is the epoch second at which a run began, `nodes` its nodes as Slurm
// lists them or separated by spaces; `app`, `shape` and the name of a benchmark (see benchmarkNames) divide the runs
// into series; all others are metadata. Where no column is known as the value, each column of numbers is a series. JSON
// objects of one run each, in lines or in a list, are rows of such a table. The data.js and the lists of
// github-action-benchmark, the JSON of hyperfine, pytest-benchmark, CodSpeed, Google Benchmark, JMH, asv and the
// Phoronix Test Suite, the messages of cargo-criterion, Criterion's raw.csv and the logs of LAMMPS are read as well, a
// series for each benchmark or command.
//
// A fault of one series of several is a note on that series, which is then empty; what
// cannot be taken apart into series is an error with the file's name and the line.
func ReadRuns(r io.Reader, o RunOptions) ([]Runs, Reading, error) {
	in := newSource(r, o.Name, o.Limits)
	if err := in.begin(); err != nil {
		return nil, Reading{}, err
	}
	first, _, err := in.sample(1)
	if err != nil {
		return nil, Reading{}, err
	}
	if len(first) == 0 {
		if in.broken {
			_, _ = in.next()
			return nil, Reading{}, fmt.Errorf("%s: %s", o.Name, in.cutText())
		}
		return nil, Reading{}, fmt.Errorf("%s: read: the file has no data: want results as CSV or JSON", o.Name)
	}
	if err := in.rejectUnsupported(first[0]); err != nil {
		return nil, Reading{}, err
	}
	var all []Runs
	understood := ""
	begin := trimLeft(first[0], ',')[0]
	switch {
	case isCriterionLine(first[0]):
		all, understood, err = readCriterionRuns(in, o)
	case isLammpsLog(first[0]):
		all, understood, err = readLammpsRuns(in, o)
	case isRunObject(first[0]):
		var rows *csvReader
		if rows, err = readObjectLines(in, nil); err == nil {
			all, understood, err = readRunTable(rows, o)
		}
	case isRunDocument(first[0]):
		all, understood, err = readRunDocument(in, o)
	case begin == '{':
		all, err = readRunLines(in, o)
	default:
		all, understood, err = readRunRows(in, o)
	}
	if err != nil {
		return nil, Reading{}, err
	}
	return all, Reading{Columns: understood, Cut: in.cutText()}, nil
}

// markRepeated adds a note to each series whose id an earlier series has too.
func markRepeated(all []Runs) {
	first := make(map[string]int, len(all))
	for i := range all {
		k, ok := first[all[i].ID]
		if !ok {
			first[all[i].ID] = i
			continue
		}
		all[i].Notes = append(all[i].Notes, note.New(note.RepeatedID,
			"series %d of the input (counted from 0) has the same id, which selects that one and not this: give each series "+
				"its own id", k))
	}
}

// badRuns returns a placeholder for a series that could not be read, with a note that says why.
func badRuns(id, why string) Runs {
	in := Runs{Bad: true, Notes: []note.Note{note.New(note.BadSeries, "%s: the series is not analysed", why)}}
	in.ID = id
	return in
}

// lineID returns the id of a series that has none: the number of its line, from 0.
func lineID(line int) string { return strconv.Itoa(line) }

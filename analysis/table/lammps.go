package table

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
)

// lammpsHead is how the logs of LAMMPS begin, with its version behind it.
const lammpsHead = "LAMMPS ("

// lammpsLoop is a line of a log of LAMMPS about a loop that has ended:
//
//	Loop time of 0.943801 on 4 procs for 100 steps with 32000 atoms
type lammpsLoop struct {
	number                  int // of the loop in its log, from 1
	seconds                 float64
	processes, steps, atoms float64
}

// perStep returns the seconds of one step.
func (l lammpsLoop) perStep() float64 { return l.seconds / l.steps }

// id returns the name of the loop in a history.
func (l lammpsLoop) id() string {
	return fmt.Sprintf("loop %d (procs=%g, atoms=%g)", l.number, l.processes, l.atoms)
}

// isLammpsLog reports whether an input with the given first line is a log of LAMMPS.
func isLammpsLog(first []byte) bool { return bytes.HasPrefix(first, []byte(lammpsHead)) }

// parseLammpsLoop parses the line of an ended loop; false for other lines, and for a loop without steps.
func parseLammpsLoop(line []byte) (l lammpsLoop, ok bool) {
	const words = "Loop time of # on # procs for # steps with # atoms"
	if !bytes.HasPrefix(line, []byte("Loop time of ")) {
		return l, false
	}
	numbers := []*float64{&l.seconds, &l.processes, &l.steps, &l.atoms}
	fields, want := strings.Fields(string(line)), strings.Fields(words)
	if len(fields) < len(want) {
		return l, false
	}
	for k, w := range want {
		if w != "#" {
			if fields[k] != w {
				return l, false
			}
			continue
		}
		v, err := plainNumber(fields[k])
		if err != nil {
			return l, false
		}
		*numbers[0], numbers = v, numbers[1:]
	}
	return l, l.steps > 0
}

// lammpsName names a log of LAMMPS in messages.
const lammpsName = "log of LAMMPS"

// lammpsVersion matches the head of a log of LAMMPS within a line, where logs were joined without a line end between.
var lammpsVersion = regexp.MustCompile(`LAMMPS \(\d+ [A-Z][a-z]+ \d{4}`)

// beginsLammpsLog reports whether a log of LAMMPS begins in the line. A comment that quotes the head does not count.
func beginsLammpsLog(line []byte) bool {
	return isLammpsLog(line) || bytes.Contains(line, []byte(lammpsHead)) && line[0] != '#' && lammpsVersion.Match(line)
}

// lammpsLogs is what was found in a file of one or more logs of LAMMPS.
type lammpsLogs struct{ logs, loops int }

// eachLammpsLoop calls handle with every ended loop of one step or more, in one or more logs of LAMMPS. The loops of
// each log are numbered from 1. It returns an error if there is no such loop, or if a compressed log follows. An input
// that is cut off gives the loops before its end, and cut is set.
func eachLammpsLoop(in *source, handle func(lammpsLoop) error) (found lammpsLogs, err error) {
	in.content = lammpsName
	number := 0
	for {
		line, err := in.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return found, err
		}
		if bytes.IndexByte(line, 0) >= 0 {
			return found, in.fail("read the %s: the line is not text, as if a compressed file follows: unpack all logs "+
				"before you join them", lammpsName)
		}
		if beginsLammpsLog(line) {
			found.logs++
			number = 0
		}
		l, ok := parseLammpsLoop(line)
		if !ok {
			if bytes.HasPrefix(line, []byte("Loop time")) && !bytes.HasSuffix(bytes.TrimSpace(line), []byte(" atoms")) {
				in.dropCut()
			}
			continue
		}
		number++
		found.loops++
		l.number = number
		if err := handle(l); err != nil {
			return found, in.fail("read the %s: %w", lammpsName, err)
		}
	}
	switch {
	case found.loops > 0:
		return found, nil
	case in.broken:
		return found, fmt.Errorf("%s: read: %s; no loop had ended before", in.name, in.cutText())
	}
	return found, fmt.Errorf("%s: read: the log of LAMMPS has no line \"Loop time of ...\" of one step or more: "+
		"name a log of a finished run", in.name)
}

// understood returns a text that says how the logs were read; what names the columns.
func (f lammpsLogs) understood(what string) string {
	if f.logs > 1 {
		return fmt.Sprintf("LAMMPS, %d logs in one file: %s", f.logs, what)
	}
	return "LAMMPS: " + what
}

// readLammpsRuns reads logs of LAMMPS: a series for each loop of a log and size, its runs in the order of the logs.
func readLammpsRuns(in *source, o RunOptions) ([]Runs, string, error) {
	var all []Runs
	found, err := eachLammpsLoop(in, func(l lammpsLoop) error {
		if len(all) >= o.Limits.Rows {
			return tooManyRuns(o.Limits.Rows)
		}
		all = append(all, undatedRun(l.id(), "s/step", l.perStep()))
		return nil
	})
	if err != nil {
		return nil, "", err
	}
	all = JoinSessions(all)
	for i := range all {
		all[i].finish()
	}
	return all, found.understood("value = loop time / steps, runs in the order of the logs"), nil
}

// lammpsOrder counts the loops of one log at each size, so that equal stages of several logs are found.
type lammpsOrder map[[2]float64]struct {
	stage int
	steps float64
}

// stage returns the number of the loop among those of its log with as many processes and atoms, from 1. Successive
// loops of as many steps are repetitions and share a number.
func (o lammpsOrder) stage(l lammpsLoop) int {
	size := [2]float64{l.processes, l.atoms}
	last := o[size]
	if last.steps != l.steps {
		last.stage, last.steps = last.stage+1, l.steps
	}
	o[size] = last
	return last.stage
}

// readLammpsMeasurements reads logs of LAMMPS as measurements of the time of a step by processes and atoms. If the
// loops of a log are stages of different lengths, such as equilibration and production, each stage is a series of its
// own. If all have the same number of atoms per process, processes is the only parameter.
func readLammpsMeasurements(in *source) (Measurements, error) {
	var loops []lammpsLoop
	var stages []int
	order, stagesOfFile := lammpsOrder{}, 1
	found, err := eachLammpsLoop(in, func(l lammpsLoop) error {
		if l.number == 1 {
			order = lammpsOrder{}
		}
		stage := order.stage(l)
		stagesOfFile = max(stagesOfFile, stage)
		loops, stages = append(loops, l), append(stages, stage)
		return in.tooMany(len(loops))
	})
	if err != nil {
		return Measurements{}, err
	}
	e := &experiment{in: in, parameters: []string{"procs", "atoms"}}
	weak := isWeakScaling(loops)
	what := "parameters = procs, atoms, value = loop time / steps"
	if weak {
		e.parameters = e.parameters[:1]
		what = "parameter = procs (as many atoms per process in all runs), value = loop time / steps"
	}
	if stagesOfFile > 1 {
		what += ", a series for each loop of a log"
	}
	for i, l := range loops {
		name := ""
		if stagesOfFile > 1 {
			name = fmt.Sprintf("loop %d", stages[i])
		}
		if err := e.of(name, "time of a step (s)").add([]float64{l.processes, l.atoms}[:len(e.parameters)],
			[]float64{l.perStep()}); err != nil {
			return Measurements{}, err
		}
	}
	m, err := e.file(Lammps)
	if err != nil && found.logs > 1 {
		err = fmt.Errorf("%w; the file has %d logs of LAMMPS: join in one file only the logs that belong to one "+
			"experiment (cat LOG1 LOG2 ... > FILE)", err, found.logs)
	}
	m.Columns = found.understood(what)
	return m, err
}

// isWeakScaling reports whether the loops have several numbers of processes and as many atoms per process in all of
// them, but for a hundredth.
func isWeakScaling(loops []lammpsLoop) bool {
	several := false
	for _, l := range loops {
		first := loops[0]
		several = several || l.processes != first.processes
		if math.Abs(l.atoms/l.processes/(first.atoms/first.processes)-1) > .01 {
			return false
		}
	}
	return several
}

// errLammpsSamples is the error for a log of LAMMPS where samples are wanted.
var errLammpsSamples = errors.New("the file is a log of LAMMPS: copy the rows of one table into a file, from its " +
	"header \"Step ...\" to \"Loop time\", and name a column of seconds with --time (thermo_style custom step cpu ...)")

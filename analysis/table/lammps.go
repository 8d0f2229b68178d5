package table

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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

// eachLammpsLoop calls handle with every ended loop of one step or more, in one or more logs of LAMMPS. The loops of
// each log are numbered from 1. It returns an error if there is no such loop.
func eachLammpsLoop(in *source, handle func(lammpsLoop) error) error {
	number, found := 0, false
	for {
		line, err := in.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if isLammpsLog(line) {
			number = 0 // another log
		}
		l, ok := parseLammpsLoop(line)
		if !ok {
			continue
		}
		number, found = number+1, true
		l.number = number
		if err := handle(l); err != nil {
			return in.fail("read the log of LAMMPS: %w", err)
		}
	}
	if !found {
		return fmt.Errorf("%s: read: the log of LAMMPS has no line \"Loop time of ...\" of one step or more: "+
			"name a log of a finished run", in.name)
	}
	return nil
}

// readLammpsRuns reads logs of LAMMPS: a series for each loop of a log and size, its runs in the order of the logs.
func readLammpsRuns(in *source, o RunOptions) ([]Runs, string, error) {
	var all []Runs
	err := eachLammpsLoop(in, func(l lammpsLoop) error {
		if len(all) >= o.Limits.Rows {
			return errTooLarge
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
	return all, "LAMMPS: value = loop time / steps, runs in the order of the logs", nil
}

// readLammpsMeasurements reads logs of LAMMPS as measurements of the time of a step by processes and atoms.
func readLammpsMeasurements(in *source) (Measurements, error) {
	e := &experiment{in: in, parameters: []string{"procs", "atoms"}}
	err := eachLammpsLoop(in, func(l lammpsLoop) error {
		return e.of("", "time of a step (s)").add([]float64{l.processes, l.atoms}, []float64{l.perStep()})
	})
	if err != nil {
		return Measurements{}, err
	}
	m, err := e.file(Lammps)
	m.Columns = "LAMMPS: parameters = procs, atoms, value = loop time / steps"
	return m, err
}

// errLammpsSamples is the error for a log of LAMMPS where samples are wanted.
var errLammpsSamples = errors.New("the file is a log of LAMMPS: copy the rows of one table into a file, from its " +
	"header \"Step ...\" to \"Loop time\", and name a column of seconds with --time (thermo_style custom step cpu ...)")

package table

import (
	"bytes"
	"errors"
	"fmt"
)

// Formats of other tools that hold no table of runs, measurements or samples, with what to do instead.
var (
	errPhoronixXML = errors.New("the file is XML of the Phoronix Test Suite: convert it with " +
		"\"phoronix-test-suite result-file-to-json NAME\", and name the JSON file")
	errXML         = errors.New("the file is XML or HTML: want CSV or JSON")
	errGromacsPlot = errors.New("the file is a plot of GROMACS (.xvg) over simulated time: write a CSV file with a row " +
		"for each run")
	errGromacsSamples = errors.New("the file is a plot of GROMACS (.xvg), whose times are picoseconds of the simulation " +
		"and not of the run: to read them as seconds, remove the lines that begin with @")
	errJSONSamples = errors.New("the file is JSON: want samples as CSV, float32 or a profile")
)

// unsupported returns an error if the first line with content, after which more text follows, shows a format that is
// known and not read.
func unsupported(first, more []byte) error {
	first = bytes.TrimSpace(first)
	switch {
	case bytes.HasPrefix(first, []byte("<")):
		if bytes.Contains(more, []byte("<PhoronixTestSuite>")) {
			return errPhoronixXML
		}
		return errXML
	case bytes.HasPrefix(first, []byte("@ ")), bytes.HasPrefix(first, []byte("@TYPE")):
		return errGromacsPlot
	}
	return nil
}

// unsupportedSamples returns an error if the first line with content, after which more text follows, shows a format
// that is known and holds no samples.
func unsupportedSamples(first, more []byte) error {
	switch err := unsupported(first, more); {
	case err == errGromacsPlot:
		return errGromacsSamples
	case err != nil:
		return err
	case isLammpsLog(first):
		return errLammpsSamples
	case bytes.HasPrefix(bytes.TrimSpace(first), []byte("{")), bytes.HasPrefix(first, []byte("[{")):
		return errJSONSamples
	}
	return nil
}

// rejectUnsupported returns an error with the input's name and line if its first lines, given by sample, are of a
// format that is not read.
func (s *source) rejectUnsupported(first []byte) error {
	if err := unsupported(first, s.buf[s.lo:s.hi]); err != nil {
		return fmt.Errorf("%s: read: %w", s.name, err)
	}
	return nil
}

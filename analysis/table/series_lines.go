package table

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"jobgait/analysis/note"
	"jobgait/analysis/scaling"
)

// seriesLine is one series on one line. Further keys are not read.
type seriesLine struct {
	ID        word     `json:"id"`
	P         []values `json:"p"`
	Y         []values `json:"y"`
	Parameter string   `json:"parameter"`
	Metric    string   `json:"metric"`
	Mode      string   `json:"mode"`
	// Group and NodeHours have one entry a point; Group may have a list of one
	// entry a repetition.
	Group     []words `json:"group"`
	NodeHours []value `json:"node_hours"`
}

// readSeriesLines reads one series per line of JSON; line is the first.
func readSeriesLines(in *source, line []byte) (Measurements, error) {
	f := Measurements{Format: SeriesLines}
	n := 0
	for {
		s, isNumber, err := in.seriesOf(line)
		if n += len(s.Observations); err == nil {
			err = in.tooMany(max(n, len(f.Series)*in.limits.Rows/in.limits.Series))
		} else if len(f.Series) > 0 && !json.Valid(plainJSON(line)) && in.dropCut() {
			return f, nil
		}
		if err != nil {
			return Measurements{}, in.fail("read series: %w", err)
		}
		f.Series, f.Numbers = append(f.Series, s), append(f.Numbers, isNumber)
		switch line, err = in.nextContent(); {
		case err == io.EOF:
			return f, nil
		case err != nil:
			return Measurements{}, err
		}
	}
}

// seriesOf reads one line. It returns an error if the line is not a JSON object; an object without a valid
// series gives an empty series with a note.
func (in *source) seriesOf(line []byte) (s scaling.Series, isNumber bool, err error) {
	var l seriesLine
	err = json.Unmarshal(plainJSON(line), &l)
	if err != nil && !isObject(line) {
		return s, false, jsonFault(err)
	}
	why := ""
	if err != nil {
		why = jsonFault(err).Error()
	} else {
		s, why = l.series()
	}
	if why != "" {
		s = scaling.Series{ID: l.ID.text, Parameter: l.Parameter, Metric: l.Metric,
			Notes: []note.Note{note.New(note.BadSeries, "%s: the series is not analysed", why)}}
	}
	if l.ID == (word{}) {
		s.ID = strconv.Itoa(in.number - 1) // the 0-based number of the line
	}
	return s, l.ID.number, nil
}

// isObject reports whether a line is a complete JSON object, whatever its keys hold.
func isObject(line []byte) bool {
	var keys map[string]json.RawMessage
	return json.Unmarshal(plainJSON(line), &keys) == nil
}

// series checks the mode, and that the lists have equal lengths, and returns one observation for each repetition. wrong
// says what does not match, "" if all does.
func (l seriesLine) series() (s scaling.Series, wrong string) {
	s = scaling.Series{ID: l.ID.text, Parameter: l.Parameter, Metric: l.Metric, Mode: scaling.Mode(l.Mode)}
	switch s.Mode {
	case scaling.Undeclared, scaling.Strong, scaling.Weak:
	default:
		return s, fmt.Sprintf("invalid mode %q, want strong or weak", short(l.Mode))
	}
	switch {
	case len(l.P) != len(l.Y):
		return s, fmt.Sprintf(`"p" has %d entries and "y" has %d, want equal numbers`, len(l.P), len(l.Y))
	case len(l.Group) != 0 && len(l.Group) != len(l.P):
		return s, fmt.Sprintf(`"p" has %d entries and "group" has %d, want equal numbers`, len(l.P), len(l.Group))
	case len(l.NodeHours) != 0 && len(l.NodeHours) != len(l.P):
		return s, fmt.Sprintf(`"p" has %d entries and "node_hours" has %d, want equal numbers`, len(l.P), len(l.NodeHours))
	}
	n := 0
	for _, y := range l.Y {
		n += len(y)
	}
	s.Observations = make([]scaling.Observation, 0, n)
	for i := range l.P {
		if s.Observations, wrong = l.point(s.Observations, i); wrong != "" {
			return s, fmt.Sprintf("point %d: %s", i, wrong)
		}
	}
	return s, ""
}

// point appends the repetitions of point i.
func (l seriesLine) point(to []scaling.Observation, i int) (_ []scaling.Observation, wrong string) {
	if len(l.P[i]) != 1 {
		return to, `"p" has a list, want a number`
	}
	o := scaling.Observation{P: l.P[i][0]}
	if len(l.NodeHours) > 0 && l.NodeHours[i] >= 0 {
		o.NodeHours = float64(l.NodeHours[i])
	}
	for k, y := range l.Y[i] {
		o.Value = y
		if len(l.Group) > 0 {
			if o.Group, wrong = l.Group[i].at(k, len(l.Y[i])); wrong != "" {
				return to, `"group" has ` + wrong
			}
		}
		to = append(to, o)
	}
	return to, ""
}

// at returns the word for repetition k of n: the k-th of n words, the only word, or "" without words. wrong is not
// empty if there is another number of words.
func (w words) at(k, n int) (text, wrong string) {
	switch len(w) {
	case n:
		return w[k].text, ""
	case 1:
		return w[0].text, ""
	case 0:
		return "", ""
	}
	return "", "another number of entries than 1 or that of the repetitions"
}

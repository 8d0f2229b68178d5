package table

import (
	"fmt"
	"io"
	"strings"

	"jobgait/analysis/quantity"
)

// maxTextParameters is Extra-P's own bound for this format.
const maxTextParameters = 4

// keywords begin the lines of Extra-P's text.
var keywords = [...]string{"PARAMETER", "POINTS", "METRIC", "REGION", "DATA"}

// isKeyword reports whether a line begins with a keyword of Extra-P's text.
func isKeyword(line []byte) bool {
	word, _, _ := strings.Cut(strings.ReplaceAll(string(line[:min(len(line), 16)]), "\t", " "), " ")
	for _, k := range keywords {
		if word == k {
			return true
		}
	}
	return false
}

// text reads Extra-P's text: PARAMETER names, POINTS that all metrics and
// regions share, and for each of them one DATA line a point.
type text struct {
	e              *experiment
	points         [][]float64
	metric, region string
	next           int // the point that the next DATA line is about
}

// readExtraPText reads Extra-P's text format.
func readExtraPText(in *source) (Measurements, error) {
	t := &text{e: &experiment{in: in}}
	for {
		line, err := in.nextContent()
		if err == io.EOF {
			break
		}
		if err == nil {
			if err = t.line(string(line)); err != nil {
				err = in.fail("%w", err)
			}
		}
		if err != nil {
			return Measurements{}, err
		}
	}
	if err := t.complete(); err != nil {
		return Measurements{}, in.fail("%w", err)
	}
	return t.e.file(ExtraPText)
}

// line reads one line with content, which must begin with a keyword.
func (t *text) line(line string) error {
	fields := strings.Fields(line)
	rest := strings.Join(fields[1:], " ")
	switch fields[0] {
	case "PARAMETER":
		return t.parameters(fields[1:])
	case "POINTS":
		return t.addPoints(rest)
	case "METRIC", "REGION":
		if err := t.complete(); err != nil {
			return err
		}
		if fields[0] == "METRIC" {
			t.metric = rest
		} else {
			t.region = rest
		}
		t.next = 0
		return nil
	case "DATA":
		return t.data(fields[1:])
	}
	return fmt.Errorf("unknown keyword %q: want PARAMETER, POINTS, METRIC, REGION or DATA", short(fields[0]))
}

// parameters adds the names of a PARAMETER line. It returns an error if the line has none, if it follows a POINTS line,
// or if the file then has more than maxTextParameters.
func (t *text) parameters(names []string) error {
	t.e.parameters = append(t.e.parameters, names...)
	switch {
	case len(names) == 0:
		return fmt.Errorf("the PARAMETER line is empty: want the name of a parameter")
	case len(t.points) > 0:
		return fmt.Errorf("PARAMETER follows POINTS: write all PARAMETER lines first")
	case len(t.e.parameters) > maxTextParameters:
		return fmt.Errorf("the PARAMETER lines name too many parameters: want at most %d: leave some out", maxTextParameters)
	}
	return nil
}

// addPoints adds the points of a POINTS line: "1 2 4", "(1) (2)", "((1)(2))" or "( 1 10 ) ( 2 10 )". Each needs one
// number for each parameter.
func (t *text) addPoints(s string) error {
	d := len(t.e.parameters)
	if d == 0 {
		return fmt.Errorf("POINTS precedes PARAMETER: write a PARAMETER line first")
	}
	groups, err := pointGroups(s)
	if err != nil {
		return err
	}
	for _, g := range groups {
		if len(g) != d {
			return fmt.Errorf("a point has %s for %s: want one value per parameter",
				quantity.Plural(len(g), "value"), quantity.Plural(d, "parameter"))
		}
		point := make([]float64, d)
		for i, f := range g {
			if point[i], err = plainNumber(f); err != nil {
				return err
			}
			if point[i] != point[i] {
				return fmt.Errorf("the POINTS line holds %q: want numbers", short(f))
			}
		}
		t.points = append(t.points, point)
	}
	if len(groups) == 0 {
		return fmt.Errorf("the POINTS line is empty: want points such as ( 1 2 )")
	}
	return nil
}

// pointGroups returns the fields of each point. Without parentheses each field
// is a point.
func pointGroups(s string) ([][]string, error) {
	if !strings.ContainsAny(s, "()") {
		fields := strings.Fields(s)
		out := make([][]string, len(fields))
		for i := range fields {
			out[i] = fields[i : i+1]
		}
		return out, nil
	}
	var out [][]string
	depth := 0
	for len(s) > 0 {
		i := strings.IndexAny(s, "()")
		if i < 0 {
			i = len(s)
		}
		if f := strings.Fields(s[:i]); len(f) > 0 {
			if depth == 0 {
				return nil, fmt.Errorf("the POINTS line has %q outside the parentheses: want points such as ( 1 2 )", short(f[0]))
			}
			out = append(out, f)
		}
		if i == len(s) {
			break
		}
		if s[i] == '(' {
			depth++
		} else if depth--; depth < 0 {
			return nil, fmt.Errorf("the POINTS line has a ')' without its '(': want points such as ( 1 2 )")
		}
		s = s[i+1:]
	}
	if depth != 0 {
		return nil, fmt.Errorf("the POINTS line has a '(' without its ')': want points such as ( 1 2 )")
	}
	return out, nil
}

// data reads the repetitions of the next point and adds them to the current region and metric.
func (t *text) data(fields []string) error {
	switch {
	case len(t.points) == 0:
		return fmt.Errorf("DATA precedes POINTS: write a POINTS line first")
	case t.next >= len(t.points):
		return fmt.Errorf("the region has more DATA lines than the %d points: want one line per point", len(t.points))
	case len(fields) == 0:
		return fmt.Errorf("the DATA line is empty: want the values of one point")
	}
	repetitions := make([]float64, len(fields))
	for i, f := range fields {
		var err error
		if repetitions[i], err = plainNumber(f); err != nil {
			return err
		}
	}
	t.next++
	return t.e.of(t.region, t.metric).add(t.points[t.next-1], repetitions)
}

// complete returns an error if the current region has DATA lines for some of the points but not for all. Which point a
// line belongs to is known from their order only.
func (t *text) complete() error {
	if t.next != 0 && t.next != len(t.points) {
		return fmt.Errorf("the region before this line has %s for %s: want one line per point",
			quantity.Plural(t.next, "DATA line"),
			quantity.Plural(len(t.points), "point"))
	}
	return nil
}

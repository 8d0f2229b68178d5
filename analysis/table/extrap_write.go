package table

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"jobgait/analysis/quantity"
	"jobgait/analysis/scaling"
)

// ErrPointsDiffer is returned if series with different points are written into one file: Extra-P rejects a file
// in which a metric lacks a point.
var ErrPointsDiffer = errors.New("a file of Extra-P needs equal points in all series")

// WriteExtraP writes series as Extra-P's Text, ExtraPJSON or ExtraPLines. All have one
// parameter and the same points; a missing value is left out. Ids become call
// paths.
func WriteExtraP(w io.Writer, format Format, list []scaling.Series) error {
	out, err := newSheet(list)
	if err != nil {
		return fmt.Errorf("write %s: %w", format, err)
	}
	b := bufio.NewWriter(w)
	switch format {
	case ExtraPText:
		out.text(b)
	case ExtraPJSON:
		err = out.json(b)
	case ExtraPLines:
		err = out.jsonLines(b)
	default:
		err = errors.New("unknown format of Extra-P: want text, json or jsonl")
	}
	if err == nil {
		err = b.Flush()
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", format, err)
	}
	return nil
}

// sheet holds series over common points.
type sheet struct {
	parameter string
	points    []float64
	columns   []column
}

// column is one series: its repetitions at each point.
type column struct {
	callpath, metric string
	at               [][]float64
}

// newSheet arranges the series over common points; their parameters and points must be equal. It numbers call
// paths that occur twice with one metric.
func newSheet(list []scaling.Series) (sheet, error) {
	if len(list) == 0 {
		return sheet{}, errors.New("there is no series of measurements to write: want one or more")
	}
	out := sheet{parameter: oneWord(list[0].Parameter, "p")}
	taken := map[[2]string]bool{}
	for i, s := range list {
		if oneWord(s.Parameter, "p") != out.parameter {
			return sheet{}, fmt.Errorf("series %q varies %s, but the first series varies %s",
				short(s.ID), short(s.Parameter), short(out.parameter))
		}
		c, points := newColumn(s)
		switch {
		case len(points) == 0:
			return sheet{}, fmt.Errorf("series %q has no values", short(s.ID))
		case i == 0:
			out.points = points
		case !slices.Equal(points, out.points):
			return sheet{}, fmt.Errorf("series %q and %q have different points: %w", short(list[0].ID), short(s.ID),
				ErrPointsDiffer)
		}
		for key, n := c.callpath, 2; taken[[2]string{c.callpath, c.metric}]; n++ {
			c.callpath = key + " (" + strconv.Itoa(n) + ")"
		}
		taken[[2]string{c.callpath, c.metric}] = true
		out.columns = append(out.columns, c)
	}
	return out, nil
}

// newColumn groups the values of a series by ascending p. It leaves out observations whose p or value is
// unknown.
func newColumn(s scaling.Series) (column, []float64) {
	c := column{callpath: line(s.ID, "main"), metric: line(s.Metric, "value")}
	if path, ok := strings.CutSuffix(s.ID, joinID("", s.Metric)); ok && s.Metric != "" && path != "" {
		c.callpath = line(path, "main")
	}
	values := map[float64][]float64{}
	var points []float64
	for _, o := range s.Observations {
		if !quantity.Known(o.P) || !quantity.Known(o.Value) {
			continue
		}
		if values[o.P] == nil {
			points = append(points, o.P)
		}
		values[o.P] = append(values[o.P], o.Value)
	}
	slices.Sort(points)
	for _, p := range points {
		c.at = append(c.at, values[p])
	}
	return c, points
}

// line returns s with white space folded to single blanks and invalid UTF-8 replaced by "?". If nothing is left, it
// returns the argument otherwise.
func line(s, otherwise string) string {
	if s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "?")), " "); s == "" {
		return otherwise
	}
	return s
}

// oneWord returns the same text as line, with underscores for blanks.
func oneWord(s, otherwise string) string {
	return strings.ReplaceAll(line(s, otherwise), " ", "_")
}

// plain formats a number with as many digits as needed.
func plain(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// text writes Extra-P's text: for each metric its regions, each with a DATA line for each point. With metrics inside
// regions, Extra-P 4.2 assigns a metric that occurs again wrongly.
func (out sheet) text(w *bufio.Writer) {
	fmt.Fprintf(w, "PARAMETER %s\nPOINTS", out.parameter)
	for _, p := range out.points {
		fmt.Fprintf(w, " ( %s )", plain(p))
	}
	var metrics []string
	for _, c := range out.columns {
		if !slices.Contains(metrics, c.metric) {
			metrics = append(metrics, c.metric)
		}
	}
	fmt.Fprintln(w)
	for _, m := range metrics {
		fmt.Fprintf(w, "METRIC %s\n", m)
		for _, c := range out.columns {
			if c.metric != m {
				continue
			}
			fmt.Fprintf(w, "REGION %s\n", c.callpath)
			for _, at := range c.at {
				w.WriteString("DATA")
				for _, v := range at {
					w.WriteString(" " + plain(v))
				}
				w.WriteByte('\n')
			}
		}
	}
}

// json writes Extra-P's JSON, with call paths and metrics in alphabetical order.
func (out sheet) json(w *bufio.Writer) error {
	type measurement struct {
		Point  []float64 `json:"point"`
		Values []float64 `json:"values"`
	}
	measurements := map[string]map[string][]measurement{}
	for _, c := range out.columns {
		of := measurements[c.callpath]
		if of == nil {
			of = map[string][]measurement{}
			measurements[c.callpath] = of
		}
		for j, at := range c.at {
			of[c.metric] = append(of[c.metric], measurement{out.points[j : j+1], at})
		}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(struct {
		Parameters   []string                            `json:"parameters"`
		Measurements map[string]map[string][]measurement `json:"measurements"`
	}{[]string{out.parameter}, measurements})
}

// jsonLines writes Extra-P's JSON Lines: a line for each point of each series, with the repetitions.
func (out sheet) jsonLines(w *bufio.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, c := range out.columns {
		for j, at := range c.at {
			err := e.Encode(struct {
				Params   map[string]float64 `json:"params"`
				Callpath string             `json:"callpath"`
				Metric   string             `json:"metric"`
				Value    []float64          `json:"value"`
			}{map[string]float64{out.parameter: out.points[j]}, c.callpath, c.metric, at})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

package table

import (
	"bytes"
	"fmt"
	"io"
	"math"
)

// Cells of a line of `perf stat -I MS -x,`: one event of one interval. A run time of the
// event, the share of the time that it was counted, and a metric follow.
const (
	perfTime = iota
	perfValue
	perfUnit
	perfEvent
	perfRunTime
	perfLeast // how many cells a line has at least
)

// isPerf reports whether the rows are output of perf stat, which has no header.
func (r *csvReader) isPerf() bool {
	for _, row := range r.sample {
		if len(row) < perfLeast || r.kindOf(row[perfTime]) != numeric || r.kindOf(row[perfEvent]) != texts ||
			r.kindOf(row[perfUnit]) == numeric || r.kindOf(row[perfRunTime]) != numeric {
			return false
		}
		if k := r.kindOf(row[perfValue]); k != numeric && k != empty {
			return false
		}
	}
	return !r.headed && len(r.sample) > 0
}

// readPerf reads output of perf stat: it joins the lines of one interval to a row with one column for each
// event. The first interval defines the events, and another event in a later one is an error; if only is not
// "", other events than that are skipped.
func (c *sampleTable) readPerf(only string) error {
	events := map[string]int{}
	c.names, c.scale = []string{"perf's interval"}, 1
	rows := &csvReader{in: c.in, dialect: c.dialect, names: make([]string, len(c.sample[0]))}
	at, pending := math.Inf(-1), false
	for {
		cells, err := rows.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		t, _, ok1 := c.number(cells[perfTime])
		v, _, ok2 := c.number(cells[perfValue])
		if !ok1 || !ok2 || math.IsNaN(t) || math.IsInf(t, 0) {
			line := short(bytes.Join(cells, []byte{c.separator}))
			if err := rows.badRow(c.n, fmt.Errorf("invalid line %q: want output of perf stat -I -x", line)); err != nil {
				return err
			}
			break
		}
		if t != at && pending {
			c.flushPerf(at)
			if err := c.checkSize(); err != nil {
				return err
			}
		}
		name := string(cells[perfEvent])
		k, known := events[name]
		if !known && c.n == 0 {
			if only != "" && only != name {
				events[name] = skipped
				continue
			}
			if len(c.kept) >= c.in.limits.Columns {
				return c.in.fail("an interval of perf stat has more than %d events: %w", c.in.limits.Columns, errTooLarge)
			}
			k, known = len(c.kept), true
			events[name] = k
			c.names, c.kept = append(c.names, name), append(c.kept, len(c.names))
			c.v, c.offset, c.row = append(c.v, floats{}), append(c.offset, math.NaN()), append(c.row, math.NaN())
		}
		if !known {
			return c.in.fail("event %q is not in the first interval: want the same events in every one", short(name))
		}
		if at = t; k >= 0 {
			c.row[k], pending = v, true
		}
	}
	if pending {
		c.flushPerf(at)
	}
	if len(c.kept) == 0 {
		return fmt.Errorf("%s: the file has no event %q: choose one that perf recorded", c.in.name, short(only))
	}
	return nil
}

// flushPerf stores the row of one interval and clears it.
func (c *sampleTable) flushPerf(at float64) {
	c.t.add(at)
	c.keepRow(at)
	for k := range c.row {
		c.row[k] = math.NaN()
	}
}

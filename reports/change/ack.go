package change

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"jobgait/analysis/table"
)

// Acks lists the changes that a user has acknowledged. Each is a change of a series at a run, which is given by
// its index in the input or by its day.
type Acks []Ack

// Ack is one acknowledged change.
type Ack struct {
	ID    string
	Index int     // -1: any
	Day   float64 // NaN: any
}

// Has reports whether the list contains the change of the series id at the run with this index on this day. An entry
// matches if both its index and its day do; a missing one (-1, NaN) matches any.
func (a Acks) Has(id string, index int, day float64) bool {
	return slices.ContainsFunc(a, func(k Ack) bool {
		return k.ID == id && (k.Index < 0 || k.Index == index) && (math.IsNaN(k.Day) || math.Floor(k.Day) == math.Floor(day))
	})
}

const (
	maxAcks     = 1_000_000
	maxAckBytes = 256 << 20
)

// ReadAcks reads acknowledgements: CSV with a header that has id, and index or t or both; other columns (who,
// why) are ignored. t has the form of the series' times: a day number, a date, or seconds if that is the
// unit. An empty input has no acknowledgements. More than maxAcks acknowledgements, or more than maxAckBytes of
// input, are an error.
func ReadAcks(r io.Reader, name string, u table.TimeUnit) (Acks, error) {
	limited := &io.LimitedReader{R: r, N: maxAckBytes + 1}
	acks, err := parseAcks(limited, name, u)
	if limited.N == 0 { // the last line may be cut
		return nil, fmt.Errorf("%s: read the acknowledgements: the file is larger than %d MiB: remove old lines",
			name, maxAckBytes>>20)
	}
	return acks, err
}

// parseAcks is ReadAcks without the limit of maxAckBytes.
func parseAcks(r io.Reader, name string, u table.TimeUnit) (Acks, error) {
	c := csv.NewReader(r)
	c.Comment, c.TrimLeadingSpace = '#', true
	head, err := c.Read()
	if errors.Is(err, io.EOF) {
		return Acks{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: read the header of the acknowledgements: %w: correct it", name, err)
	}
	id, index, at := slices.Index(head, "id"), slices.Index(head, "index"), slices.Index(head, "t")
	if id < 0 || index < 0 && at < 0 {
		return nil, fmt.Errorf("%s:1: read the acknowledgements: the header lacks id, or index and t: want id, and index "+
			"or t", name)
	}
	acks := Acks{}
	for {
		record, err := c.Read()
		if errors.Is(err, io.EOF) {
			return acks, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: read the acknowledgements: %w: correct the line", name, err)
		}
		if len(acks) == maxAcks {
			return nil, fmt.Errorf("%s: read the acknowledgements: the file has more than %d lines: remove old ones", name,
				maxAcks)
		}
		one, err := ackOf(record, id, index, at, u)
		if err != nil {
			line, _ := c.FieldPos(0)
			return nil, fmt.Errorf("%s:%d: read the acknowledgement: %w", name, line, err)
		}
		acks = append(acks, one)
	}
}

// ackOf parses one record; id, index and at are columns, -1 for a missing one.
func ackOf(record []string, id, index, at int, u table.TimeUnit) (Ack, error) {
	a := Ack{ID: strings.TrimSpace(record[id]), Index: -1, Day: math.NaN()}
	var err error
	if index >= 0 && strings.TrimSpace(record[index]) != "" {
		if a.Index, err = strconv.Atoi(strings.TrimSpace(record[index])); err != nil || a.Index < 0 {
			return a, fmt.Errorf("invalid index %q of a change: want a position in the input, from 0", record[index])
		}
	}
	if at >= 0 && strings.TrimSpace(record[at]) != "" {
		if a.Day, err = table.Day(strings.TrimSpace(record[at]), u); err != nil {
			return a, err
		}
	}
	if a.Index < 0 && math.IsNaN(a.Day) {
		return a, errors.New("index and t are both missing: name the change by one of them")
	}
	return a, nil
}

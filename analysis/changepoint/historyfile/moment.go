package historyfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"jobgait/analysis/note"
)

// Moment is a time as it was given: a number, or a text.
type Moment struct {
	Number float64
	Text   string // "" for a number
}

// MarshalJSON writes the moment as it was read.
func (m Moment) MarshalJSON() ([]byte, error) {
	if m.Text != "" {
		return json.Marshal(m.Text)
	}
	return json.Marshal(m.Number)
}

// String returns the moment as it was read.
func (m Moment) String() string {
	if m.Text != "" {
		return m.Text
	}
	return strconv.FormatFloat(m.Number, 'f', -1, 64)
}

const (
	daySeconds = 86400
	// lastDay bounds times: beyond it, neighbouring days are one float64.
	lastDay = 1e12
	// calendarEnd is the year 9999 in days; a larger day number is one in seconds.
	calendarEnd = 2_932_897
)

// layouts are the texts that are times; without a zone they are UTC.
var layouts = [...]string{time.DateOnly, time.RFC3339, "2006-01-02T15:04:05", time.DateTime}

var errTime = errors.New("no day number, date or RFC 3339 time")

// parseMoment reads a time; ok days are those since 1970 for a text.
func parseMoment(s string) (Moment, error) {
	if v, err := strconv.ParseFloat(s, 64); err == nil {
		if math.IsNaN(v) || math.Abs(v) > lastDay*daySeconds {
			return Moment{}, fmt.Errorf("%q: %w", clip(s), errTime)
		}
		return Moment{Number: v}, nil
	}
	for _, l := range layouts {
		if _, err := time.Parse(l, s); err == nil {
			return Moment{Text: s}, nil
		}
	}
	return Moment{}, fmt.Errorf("%q: %w", clip(s), errTime)
}

// days returns the moment in days; calendar says that they count from 1970.
func (m Moment) days(u Unit) (days float64, calendar bool) {
	if m.Text == "" {
		if u == Seconds {
			return m.Number / daySeconds, true
		}
		return m.Number, false
	}
	for _, l := range layouts {
		if at, err := time.Parse(l, m.Text); err == nil {
			return float64(at.Unix())/daySeconds + float64(at.Nanosecond())/1e9/daySeconds, true
		}
	}
	return math.NaN(), true
}

// setTimes turns the times of a series into days. Numbers and texts do not mix:
// they count from different beginnings.
func (in *Input) setTimes(given []Moment, u Unit) error {
	in.Given, in.T = given, make([]float64, len(given))
	for i, m := range given {
		d, calendar := m.days(u)
		if math.Abs(d) > lastDay {
			return fmt.Errorf("t %s is out of range", m)
		}
		if i > 0 && calendar != in.Calendar {
			return errors.New("t is a number in some runs and a date in others")
		}
		in.T[i], in.Calendar = d, calendar
	}
	for _, d := range in.T {
		if math.Abs(d) > calendarEnd {
			in.Notes = append(in.Notes, note.New(note.TimeUnit,
				"t is beyond the year 9999 if it counts days; if it is in seconds, say --t-unit s"))
			break
		}
	}
	return nil
}

// number reads a value; nothing and the names of nothing are NaN. ok is false
// for what is no number.
func number(s string) (v float64, ok bool) {
	switch strings.ToLower(s) {
	case "", "na", "n/a", "nan", "null", "none", "-":
		return math.NaN(), true
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil || errors.Is(err, strconv.ErrRange)
}

// clip shortens text of the input for an error.
func clip(s string) string {
	const most = 40
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}

// Day reads a time as a run has it and returns it in days.
func Day(s string, u Unit) (float64, error) {
	m, err := parseMoment(s)
	if err != nil {
		return math.NaN(), err
	}
	d, _ := m.days(u)
	return d, nil
}

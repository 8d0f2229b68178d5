package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Moment is a time as given in the input: a number, or a text.
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

// TimeUnit is the unit and the beginning in which a number counts time.
type TimeUnit string

const (
	// Auto infers the unit from the size of the numbers: see unitOf.
	Auto TimeUnit = "auto"
	Days TimeUnit = "day"
	// These count since the beginning of 1970, UTC.
	Seconds      TimeUnit = "s"
	Milliseconds TimeUnit = "ms"
	Microseconds TimeUnit = "us"
	Nanoseconds  TimeUnit = "ns"
)

// TimeUnits returns the units that a user may choose.
func TimeUnits() []TimeUnit {
	return []TimeUnit{Auto, Days, Seconds, Milliseconds, Microseconds, Nanoseconds}
}

// perSecond returns the number of units in a second, 0 for days.
func (u TimeUnit) perSecond() float64 {
	return map[TimeUnit]float64{Seconds: 1, Milliseconds: 1e3, Microseconds: 1e6, Nanoseconds: 1e9}[u]
}

// String names the unit in a sentence.
func (u TimeUnit) String() string {
	switch u {
	case Seconds:
		return "epoch seconds"
	case Milliseconds:
		return "epoch milliseconds"
	case Microseconds:
		return "epoch microseconds"
	case Nanoseconds:
		return "epoch nanoseconds"
	}
	return string(u)
}

const (
	daySeconds = 86400
	// lastDay bounds times: beyond it, neighboring days are one float64.
	lastDay = 1e12
	// calendarEnd is the year 9999 in days. A number beyond it does not count days.
	calendarEnd = 2_932_897
	// Numbers from these on count milliseconds, microseconds and nanoseconds: in the unit
	// before they would lie beyond the year 5000.
	firstMs, firstUs, firstNs = 1e11, 1e14, 1e17
)

// unitOf infers the unit of numbers of which the largest has the size v: day numbers up
// to the year 9999, and epoch seconds, milli-, micro- and nanoseconds beyond.
func unitOf(v float64) TimeUnit {
	switch v = math.Abs(v); {
	case v >= firstNs:
		return Nanoseconds
	case v >= firstUs:
		return Microseconds
	case v >= firstMs:
		return Milliseconds
	case v > calendarEnd:
		return Seconds
	}
	return Days
}

var errTime = errors.New("want a number, a date or a time, such as 2026-11-20T02:00")

// parseMoment parses a time, given as a number or a text.
func parseMoment(s string) (Moment, error) {
	if v, ok := parseFloat(s); ok {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return Moment{}, fmt.Errorf("cannot parse %q: %w", short(s), errTime)
		}
		return Moment{Number: v}, nil
	}
	if _, err := parseTime(s); err != nil {
		return Moment{}, err
	}
	return Moment{Text: s}, nil
}

// days returns the moment in days. calendar reports that they count from the beginning of 1970, UTC; a number in the
// unit Days counts from an unknown day. The unit, which must not be Auto, applies to numbers only. An invalid text
// gives NaN.
func (m Moment) days(u TimeUnit) (days float64, calendar bool) {
	if m.Text != "" {
		at, err := parseTime(m.Text)
		if err != nil {
			return math.NaN(), true
		}
		return float64(at.Unix())/daySeconds + float64(at.Nanosecond())/1e9/daySeconds, true
	}
	if u == Days {
		return m.Number, false
	}
	return m.Number / u.perSecond() / daySeconds, true
}

// Day parses a time and returns it in days since the beginning of 1970, UTC. A number in the unit Days is returned as
// it is. With Auto the size of the number decides on its unit.
func Day(s string, u TimeUnit) (float64, error) {
	m, err := parseMoment(s)
	if err != nil {
		return math.NaN(), err
	}
	if u == Auto {
		u = unitOf(m.Number)
	}
	d, _ := m.days(u)
	return d, nil
}

// parseTime reads a date, with or without a time of day and a zone (without: UTC).
//
//	2024-01-01, 2024/1/1, 2024.01.01, 01.02.2024 (day first), 20240101
//	2024-01-01T02:00:00Z, 2024-01-01 02:00, 2024.01.01 3:00:00.5 +0100, 2024-01-01 02:00 UTC
//
// and the forms of date, git, mail and Go in layouts.
func parseTime(s string) (time.Time, error) {
	p := timeParser{rest: s}
	if p.date() && p.clock() && p.zone() {
		t := time.Date(p.year, time.Month(p.month), p.day, p.hour, p.minute, p.second, p.nano, time.UTC)
		if t.Day() == p.day {
			return t.Add(-time.Duration(p.offset) * time.Minute), nil
		}
	}
	if dayOrMonthFirst(s) {
		return time.Time{}, fmt.Errorf("the date %q is ambiguous (day or month first?): write year-month-day", short(s))
	}
	for _, l := range layouts {
		if t, err := time.Parse(l, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("cannot parse %q: %w", short(s), errTime)
}

// layouts are other texts that are times.
var layouts = [...]string{
	time.ANSIC, time.UnixDate, time.RubyDate, "Mon Jan _2 15:04:05 2006 -0700", // date, ctime, git log
	time.RFC1123, time.RFC1123Z, "Mon, _2 Jan 2006 15:04:05 -0700", time.RFC850, // mail
	"2 Jan 2006", "2 Jan 2006 15:04:05", "2 January 2006", "Jan 2, 2006", "Jan 2 2006",
	"02-Jan-2006", "02-Jan-2006 15:04:05",
	"Jan 2, 2006 15:04:05", "Mon Jan _2 15:04:05 PM MST 2006", "Mon _2 Jan 2006 15:04:05 MST",
	"2006-01-02 15:04:05.999999999 -0700 MST", // Go
}

// dayOrMonthFirst reports whether a text begins with a date like 1/2/2024, which is ambiguous.
func dayOrMonthFirst(s string) bool {
	first, rest, _ := strings.Cut(s, "/")
	second, year, ok := strings.Cut(rest, "/")
	return ok && len(first) <= 2 && len(second) <= 2 && len(year) >= 2 &&
		isDigits(first) && isDigits(second) && isDigits(year[:2])
}

// isDigits reports whether s is not empty and consists of decimal digits.
func isDigits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}

// timeParser reads a time from the left.
type timeParser struct {
	rest                                         string
	year, month, day, hour, minute, second, nano int
	offset                                       int // minutes east of UTC
}

// digits reads a whole number of minDigits to maxDigits digits. ok is false, and nothing is read, if fewer digits
// follow.
func (p *timeParser) digits(minDigits, maxDigits int) (v int, ok bool) {
	n := 0
	for n < len(p.rest) && n < maxDigits && p.rest[n]-'0' <= 9 {
		v = 10*v + int(p.rest[n]-'0')
		n++
	}
	if n < minDigits {
		return 0, false
	}
	p.rest = p.rest[n:]
	return v, true
}

// one reads one of the given characters and returns it, 0 if another follows.
func (p *timeParser) one(of string) byte {
	if p.rest == "" || strings.IndexByte(of, p.rest[0]) < 0 {
		return 0
	}
	c := p.rest[0]
	p.rest = p.rest[1:]
	return c
}

// date reads year-month-day with one of - / . twice, year month day without, or day.month.year. It returns false if the
// text begins with no such date, or if month or day is out of range.
func (p *timeParser) date() bool {
	whole := p.rest
	year, ok := p.digits(4, 4)
	if !ok {
		p.rest = whole
		return p.dayFirst()
	}
	sep := p.one("-/.")
	var ok1, ok2 bool
	p.year = year
	if p.month, ok1 = p.digits(1, 2); sep == 0 {
		p.day, ok2 = p.digits(2, 2)
		return ok1 && ok2 && p.validDate() && (p.rest == "" || p.rest[0] == 'T')
	}
	ok2 = p.one(string(sep)) != 0
	var ok3 bool
	p.day, ok3 = p.digits(1, 2)
	return ok1 && ok2 && ok3 && p.validDate()
}

// dayFirst reads day.month.year, with two dots and a year of four digits. It returns false if the text begins
// otherwise, or if month or day is out of range.
func (p *timeParser) dayFirst() bool {
	var ok1, ok2, ok3 bool
	p.day, ok1 = p.digits(1, 2)
	dot1 := p.one(".") != 0
	p.month, ok2 = p.digits(1, 2)
	dot2 := p.one(".") != 0
	p.year, ok3 = p.digits(4, 4)
	return ok1 && dot1 && ok2 && dot2 && ok3 && p.validDate()
}

// validDate reports whether month and day are in range.
func (p *timeParser) validDate() bool {
	return p.month >= 1 && p.month <= 12 && p.day >= 1 && p.day <= 31
}

// clock reads a time of day: H:MM[:SS[.f]], or HHMM[SS] behind a T. It returns true if the text has none here, and
// false if it is malformed or out of range.
func (p *timeParser) clock() bool {
	if p.rest == "" || strings.IndexByte("T _t", p.rest[0]) < 0 {
		return true
	}
	before := p.rest
	for p.one("T _t") != 0 {
		continue
	}
	var ok bool
	if p.hour, ok = p.digits(1, 2); !ok {
		p.rest = before
		return true // a zone may follow
	}
	colon := p.one(":") != 0
	if p.minute, ok = p.digits(2, 2); !ok {
		return false
	}
	if colon == (p.one(":") != 0) || !colon {
		if p.second, ok = p.digits(2, 2); !ok && colon {
			return false
		}
	}
	if p.one(".,") != 0 {
		fraction := 0
		scale := 100_000_000
		for p.rest != "" && p.rest[0]-'0' <= 9 {
			fraction += scale * int(p.rest[0]-'0')
			scale /= 10
			p.rest = p.rest[1:]
		}
		p.nano = fraction
	}
	return p.hour <= 24 && p.minute <= 59 && p.second <= 60
}

// zone reads the time zone at the end of the text, Z, UTC, GMT, +01, +0100 or +01:00, into offset, in minutes.
// An empty rest is UTC. It returns false if the rest is anything else.
func (p *timeParser) zone() bool {
	p.rest = strings.TrimSpace(p.rest)
	switch p.rest {
	case "", "Z", "z", "UTC", "GMT", "utc":
		return true
	}
	for _, name := range []string{"UTC", "GMT"} {
		if after, ok := strings.CutPrefix(p.rest, name); ok {
			p.rest = after
		}
	}
	sign := p.one("+-")
	hours, ok := p.digits(2, 2)
	if sign == 0 || !ok {
		return false
	}
	p.one(":")
	minutes := 0
	if p.rest != "" {
		if minutes, ok = p.digits(2, 2); !ok {
			return false
		}
	}
	if p.offset = 60*hours + minutes; sign == '-' {
		p.offset = -p.offset
	}
	return p.rest == "" && hours <= 24 && minutes <= 59
}

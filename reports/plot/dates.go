package plot

import (
	"math"
	"strconv"
	"time"
)

const dayS = 86400

// DateTicks returns at most want+1 ticks from lo to hi, days since 1970 in UTC, at the beginnings of minutes,
// hours, days, weeks, months or years. It returns nil for an invalid range.
func DateTicks(lo, hi float64, want int) []Tick {
	const lastDay = 2_932_896 // of year 9999
	if !(hi > lo) || want < 1 || math.Abs(lo) > lastDay || math.Abs(hi) > lastDay {
		return nil
	}
	raw := (hi - lo) / float64(want)
	if raw > 16 {
		return monthTicks(lo, hi, raw)
	}
	return dayTicks(lo, hi, raw)
}

// dayTicks returns ticks whose distance is the first of one minute to two weeks that is at least raw, in days. Weeks
// begin on Monday.
func dayTicks(lo, hi, raw float64) []Tick {
	step, phase := 14.0, 0.0
	for _, s := range []float64{1. / 1440, 5. / 1440, 15. / 1440, 1. / 24, 2. / 24, 6. / 24, 0.5, 1, 2, 7} {
		if s >= raw {
			step = s
			break
		}
	}
	if step >= 7 {
		phase = 4 // 1970-01-05 was a Monday
	}
	var ticks []Tick
	for i := math.Ceil((lo-phase)/step - 1e-6); phase+i*step <= hi; i++ {
		t := date(phase + i*step)
		label, long, begins := "2 Jan", "2 Jan 2006", t.YearDay() <= int(step)
		if step < 1 {
			label, long, begins = "15:04", "2 Jan 15:04", t.Hour() == 0 && t.Minute() == 0
		}
		if begins || len(ticks) == 0 {
			label = long
		}
		ticks = append(ticks, Tick{max(lo, phase+i*step), t.Format(label)})
	}
	return ticks
}

// monthTicks returns ticks at the beginnings of months or years, about raw days apart or more.
func monthTicks(lo, hi, raw float64) []Tick {
	step := 12 * int(math.Ceil(raw/365.25))
	for _, s := range []int{1, 2, 3, 6, 12} {
		if float64(s)*30.4 >= raw {
			step = s
			break
		}
	}
	first := date(lo)
	months := first.Year()*12 + int(first.Month()) - 1
	var ticks []Tick
	for m := months / step * step; ; m += step {
		t := time.Date(m/12, time.Month(m%12+1), 1, 0, 0, 0, 0, time.UTC)
		at := float64(t.Unix()) / dayS
		if at > hi {
			return ticks
		}
		if at < lo {
			continue
		}
		label := t.Format("Jan")
		if step >= 12 {
			label = t.Format("2006")
		} else if len(ticks) == 0 || m/12 != (m-step)/12 {
			label = t.Format("Jan 2006")
		}
		ticks = append(ticks, Tick{at, label})
	}
}

// date returns the time of a day, given in days since 1970.
func date(day float64) time.Time { return time.Unix(int64(math.Round(day*dayS)), 0).UTC() }

// NumberTicks returns about want ticks from lo to hi at round whole numbers, with word before each number. It
// returns nil for an invalid range.
func NumberTicks(lo, hi float64, want int, word string) []Tick {
	if !(hi > lo) || want < 1 || math.IsInf(hi-lo, 0) {
		return nil
	}
	step := math.Max(1, NiceStep((hi-lo)/float64(want)))
	var ticks []Tick
	for i := math.Ceil(lo / step); i*step <= hi && len(ticks) <= 2*want; i++ {
		ticks = append(ticks, Tick{i * step, word + strconv.FormatFloat(i*step+0, 'f', -1, 64)})
	}
	return ticks
}

package changepoint

import (
	"math"
	"strconv"
	"time"
)

// since says from when on something holds, in the words of a note.
func (r *ready) since(k int) string { return "since " + r.moment(k) }

// moment names the time of kept run k: the date if one is known, else the time
// as it was given. A position would be that in a list that the reader never saw:
// runs may have been sorted, and some left out.
func (r *ready) moment(k int) string {
	i := r.at[k]
	switch {
	case len(r.Start) == len(r.Y) && math.Abs(r.Start[i]) < 1e11:
		return time.Unix(int64(math.Floor(r.Start[i])), 0).UTC().Format(minute)
	case r.T == nil:
		return "run " + strconv.Itoa(i)
	case !r.Dated:
		return "t = " + strconv.FormatFloat(r.Time(i), 'f', -1, 64)
	}
	day := math.Floor(r.Time(i))
	at := time.Unix(int64(day)*86400+int64(math.Round((r.Time(i)-day)*86400)), 0).UTC()
	if r.Time(i) == day {
		return at.Format(time.DateOnly)
	}
	return at.Format(minute)
}

// minute is a time of day that tells most runs apart, UTC as all times.
const minute = "2006-01-02 15:04"

package summary

// Silence is that the job's processes did nothing up to its end: since when, in seconds since the run began, and what
// they did instead. No cycle of its loop ended since; with NoLoop it was in none, and none of its own code ran.
type Silence struct {
	SinceS float64 `json:"since_s"`
	Doing  string  `json:"doing"`
	NoLoop bool    `json:"no_loop,omitempty"`
}

// silenceOf is when all nodes that were sampled had fallen silent, nil if one had not.
func silenceOf(records []NodeRecord) *Silence {
	var last *Silence
	for _, r := range records {
		switch {
		case r.Quality.Samples == 0:
		case r.Silence == nil:
			return nil
		case last == nil || r.Silence.SinceS > last.SinceS:
			last = r.Silence
		}
	}
	return last
}

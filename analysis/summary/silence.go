package summary

// Silence is that no cycle of the job's loop has ended up to its end, while its
// processes did nothing: since when, in seconds since the run began, and what they did
// instead.
type Silence struct {
	SinceS float64 `json:"since_s"`
	Doing  string  `json:"doing"`
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

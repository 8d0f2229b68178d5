package run

// Interval is a stretch of a run, in seconds since it began.
type Interval struct {
	StartS float64 `json:"start_s"`
	EndS   float64 `json:"end_s"`
}

package history

// Run is one row of the history: an earlier run as analyses and reports need
// it. nil and "" are unknown.
type Run struct {
	Cluster   string
	JobID     int64
	DisplayID string // as sacct spells it: 123 or 123_7
	Restart   int
	User      string
	App       string  // application: the user's label, else executable and job name
	Shape     string  // nodes x tasks x CPUs per task, and the user's size
	Start     float64 // UTC epoch seconds
	End       float64
	ElapsedS  float64
	State     string
	PeriodS   *float64 // of the main pattern
	Coverage  *float64
	ReportDir string
}

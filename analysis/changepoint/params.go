package changepoint

import "jobgait/analysis/changepoint/scatter"

// Params are what is asked of a change, in nats. Most of what the method rests on
// are constants beside their use; these are what scans of different purpose ask
// differently.
type Params struct {
	// Threshold is the evidence that commits a change when the noise is known
	// and independent, and that is left under the lag-1 correlation that explains
	// most. Less finds weaker changes and names more that are none.
	Threshold float64
	// EpisodeRuns is the longest episode whose two ends are judged as one claim, 0
	// for none.
	EpisodeRuns int
	// Outliers are what is believed of runs far off their level: those of a ratio of
	// two series are as often far below.
	Outliers scatter.Outliers
	// NoFunctions leaves out the changes of single functions, each of which is judged as
	// a series of its own: a third of the time where runs are recorded with them.
	NoFunctions bool
}

// Default returns the settings that the figures of MEASURED.md hold for.
func Default() Params {
	return Params{Threshold: 8.5, EpisodeRuns: 8, Outliers: scatter.Usual()}
}

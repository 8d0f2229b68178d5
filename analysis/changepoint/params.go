package changepoint

// Params are the settings of the sequential method. Figures in the comments are
// those of calibrate/, on its development seeds. Evidence is in nats.
type Params struct {
	// Window is how many runs a scan looks back at most (the paper's w is 30).
	// More sees weaker changes and costs more.
	Window int
	// MinSegment is the fewest runs of a level: the paper's three.
	MinSegment int
	// LeftOfCut is the fewest runs left of a split once the window was cut, so
	// that an outlier at its edge is not a level.
	LeftOfCut int

	// Threshold is the evidence that commits a change when the noise is known
	// and independent; SmallSample / (degrees of freedom) is asked on top for
	// noise that is not known. Less finds weaker changes and names more that are none.
	Threshold   float64
	SmallSample float64
	// FewRuns is the further evidence asked of a level of 3, 4 and 5 runs, and
	// UpRuns of one above its neighbour: runs of slow outliers look like it.
	// The 18 make three runs an outlier run until another level follows.
	FewRuns [3]float64
	UpRuns  [3]float64

	// OutlierUp and OutlierDown are the shares of runs far above and below
	// their level, spread over OutlierRange in log units.
	OutlierUp, OutlierDown, OutlierRange float64
	// OutlierStay is the chance that a run after an outlier is one too, where a
	// change is placed.
	OutlierStay float64

	// NoiseSD and NoiseWeight are what is believed of the noise (log units)
	// before any run, and how many observations that belief is worth.
	NoiseSD, NoiseWeight float64
	// MemoryRuns before a regime tell of its noise, each worth MemoryEach
	// observations and all at most MemoryCap: noise is a property of machine and
	// code and is not forgotten when the level changes.
	MemoryRuns            int
	MemoryEach, MemoryCap float64

	// Flip is the evidence for a change where a recorded field changed; half of
	// it counts against one where none did. Without fields it is not used.
	Flip float64

	// PhiSD is the spread of the lag-1 correlation that is believed before any
	// run: less trusts independence more. Correlated and SmallCorrelated are
	// threshold and small-sample term of the evidence that is left under the
	// correlation that explains most. At 0.15 and 5 correlation .5 gives 3
	// false events per 1000 runs, at 0.2 and 8.5 it gives 0.5.
	PhiSD                       float64
	Correlated, SmallCorrelated float64

	// Lookback is how many runs are asked about two levels that take turns.
	// Turns is by how much a change must beat turns since the first run: a change
	// at the 8th run, when the 14th is known, just passes. TurnsLate is asked against
	// turns since a later run, TurnsAgain of a change to a level that was there
	// before: asked of all later changes it held back a real one of 12 %. Where the
	// first level had not lasted for Settled runs (more than ten) it is TurnsEarly (a change passes
	// when 21 runs are known). For both ends of an episode it is TurnsReturn (20
	// runs), and ReturnEarly before run ReturnRuns: an eighth of the false events of
	// 20 % levels that stay with .8 were such episodes, two events each. Each earlier
	// change between the two levels counts Charge against changes, and what meeting
	// an old level by chance is worth. What they cost: MEASURED.md.
	Lookback                int
	Turns, TurnsLate        float64
	TurnsAgain              float64
	Settled                 float64
	TurnsEarly, TurnsReturn float64
	ReturnEarly             float64
	ReturnRuns              int
	Charge                  float64

	// EpisodeRuns is the longest episode whose two ends are judged as one claim.
	// It is asked Episode more than one change, and EpisodeOwn more than the best
	// single change of the same runs has: without that, and with 12 runs, runs
	// beside a true change were called an episode (0.35 false events per 1000
	// instead of 0.25 with fields, seed 1).
	EpisodeRuns         int
	Episode, EpisodeOwn float64

	// DoubtPhi is the correlation of the residuals in standard errors above
	// which, and DoubtTurns the nats over two levels below which, no rate of
	// false alarms is given: it would not be true. With 5.5 nats levels that stay
	// with .9 give up to .06 events with a rate per 1000 runs, where a third of that
	// was said; with 6.5 up to .02, and one true change in six has a rate, not four.
	DoubtPhi, DoubtTurns float64
	// Rate is how often chance gives an event of independent noise.
	Rate Rate

	// Selected is the share of the score asked for at detection that is held
	// against an effect: a change that misses once has further chances. At 0
	// effects of changes of strength 4.5 to 6 are 9 to 17 % too large.
	Selected float64

	// DriftMargin is by how much two steps in one direction must beat one drift
	// to stay two entries. More makes one entry of two true steps.
	DriftMargin float64
	// ExcursionRuns is the longest stay that makes an up and a down one excursion.
	ExcursionRuns int
}

// Default returns the settings that the figures of MEASURED.md hold for.
func Default() Params {
	return Params{
		Window: 60, MinSegment: 3, LeftOfCut: 10,
		Threshold: 8.5, SmallSample: 70,
		FewRuns: [3]float64{18, 3, 2}, UpRuns: [3]float64{5, 2, 1},
		OutlierUp: 0.06, OutlierDown: 0.01, OutlierRange: 1, OutlierStay: 0.3,
		NoiseSD: 0.015, NoiseWeight: 2,
		MemoryRuns: 60, MemoryEach: 0.4, MemoryCap: 10,
		Flip:  2,
		PhiSD: 0.2, Correlated: 8.5, SmallCorrelated: 15,
		Lookback: 120, Turns: 4.2, TurnsLate: 0, TurnsAgain: 6, Settled: 10.1, TurnsEarly: 5,
		TurnsReturn: 7, ReturnEarly: 10, ReturnRuns: 60, Charge: 3,
		EpisodeRuns: 8, Episode: 4, EpisodeOwn: 6,
		DoubtPhi: 1, DoubtTurns: 6.5, Rate: Rate{PerThousand: 0.015, Fold: 2, Floor: 0.005},
		Selected:    0.9,
		DriftMargin: 0.5, ExcursionRuns: 5,
	}
}

package periodicity

// Params are the thresholds of the detector. Default gives the values that the
// figures in the package comment were measured with.
type Params struct {
	// NodeScope permits columns that count the whole node when no column of
	// the job has a period. Set it for exclusive nodes only: on a shared one
	// the period of a neighbour's daemon would be reported as the job's.
	NodeScope bool
	// MaxDistance is the normalised squared distance between an instance and
	// the template, counting noise taken out, at which an instance is worth
	// nothing: 0 = equal, 1 = unrelated, 2 = opposite (the paper's "close to
	// 0" made a ratio). More lets heavier jitter pass, and chance.
	MaxDistance float64
	// MeanDistance is the largest mean distance over the instances.
	MeanDistance float64
	// MinInstances is the smallest number of instances that is a period.
	MinInstances int
	// MinCoverage is the smallest share of the profile that one period has to
	// cover, all of its regions together (the paper's 5 %).
	MinCoverage float64
	// MinConfidence is the smallest confidence that is reported: four good
	// instances are enough and three are not.
	MinConfidence float64
	// FewInstances is the number below which a note warns: the paper found
	// that a pattern needs 100 instances.
	FewInstances int
	// MaxPatterns bounds the number of periods of one profile.
	MaxPatterns int
	// Preference is the share of the score of a period at which a fraction of
	// it is taken instead. ShortPreference is for lags under 8 samples, which
	// are tracked several at a time and cannot follow jitter as their multiples
	// can.
	Preference, ShortPreference float64
	// RunSlack is by how much a run of instances may be further from the
	// template than those it was made from.
	RunSlack float64
	// Likeness is the distance between two templates up to which they are
	// one period, found in two places.
	Likeness float64
	// Surrogates is the number of block permutations of the profile that a
	// candidate has to beat, every one of them. A column without a period
	// mostly loses to one of the first few, so a large number is cheap and
	// leaves room for the some twenty columns that are tried.
	Surrogates int
	// Margin is the share of what is left to a perfect score by which the
	// permutations have to be beaten. It makes up for the search over places
	// and lags that the permutations do not go through.
	Margin float64
	// MinSignificance is the least significance of a period (see null.go)
	// where one column is looked at, ColumnSignificance what the logarithm of
	// their number adds: of 2560 columns without a period, of sixteen kinds,
	// 12 reached 1.2 and three 1.5.
	MinSignificance, ColumnSignificance float64
	// ColumnConfidence is what the logarithm of the number of columns adds to
	// MinConfidence: four instances in one of 64 columns are chance.
	ColumnConfidence float64
	// EnoughSurrogates permutations are enough where all of them are beaten by
	// ClearMargin, or the significance is twice what is asked for.
	EnoughSurrogates int
	ClearMargin      float64
	// MaxBeyond is how much of a template's energy its fraction may lack
	// without having to explain the more for it: true multiples lack up to
	// 0.1, periods of two similar halves as little as 0.1.
	MaxBeyond float64
	// MinSignal is the least energy of a unit's template over the noise of
	// one sample: below 12 (3.5 standard deviations) noise can be bent into it.
	MinSignal float64
	// Seed starts the generator of the permutations.
	Seed uint64
	// Window is the number of points of one autocorrelation, at every level
	// of decimation; Windows bounds how many are taken per level.
	Window, Windows int
	// Chunk is the number of samples that are in memory at once. A period
	// has to be shorter than a third of it (1.4 h at 5 ms).
	Chunk int
	// Components bounds the number of principal components kept of a group.
	Components int
}

// Default returns the parameters for profiles of a few seconds to days at 5 ms.
func Default() Params {
	return Params{
		MaxDistance:        0.6,
		MeanDistance:       0.42,
		MinInstances:       3,
		MinCoverage:        0.05,
		MinConfidence:      0.28,
		FewInstances:       100,
		MaxPatterns:        6,
		Preference:         0.85,
		ShortPreference:    0.7,
		RunSlack:           0.1,
		Likeness:           0.2,
		Surrogates:         24,
		Margin:             0.12,
		MinSignificance:    1.2,
		ColumnSignificance: 0.35,
		ColumnConfidence:   0.05,
		EnoughSurrogates:   6,
		ClearMargin:        0.6,
		MaxBeyond:          0.05,
		MinSignal:          12,
		Seed:               1,
		Window:             1536,
		Windows:            32,
		Chunk:              1 << 20,
		Components:         4,
	}
}

// Confident is the confidence from which a period is stated without reserve. In
// the real profiles behind the package comment no wrong one reached it.
const Confident = 0.8

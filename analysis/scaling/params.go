package scaling

// Params are the settings of the likelihood detector. Default gives the values
// that its figures were measured with; thresholds (Program calibrate) hold for
// these only.
type Params struct {
	// NoiseLow to NoiseHigh is the range of noise levels that a series may
	// have, as standard deviations relative to the value, in steps of
	// NoiseStep; their weights fall with the level to the power of NoiseTilt.
	// A lower NoiseLow lets smaller misfits be changes, also those of laws that
	// are not quite of the space. The negative tilt distrusts fits that are too
	// good: with it the strength that one false change in a thousand exceeds is
	// nearly the same at all levels of noise.
	NoiseLow, NoiseHigh, NoiseStep, NoiseTilt float64
	// BetweenTilt is NoiseTilt where repetitions show a part of the noise: it
	// is of what comes between points beside that. At 0 a day's effect of 5 %
	// gives 3 % false changes at six points, at -0.5 it gives 1 %.
	BetweenTilt float64
	// TermPenalty and SumPenalty are what a law of one term and one of two
	// terms must gain over a constant, in units of log likelihood. KinkPenalty
	// is what a kink must gain over a change with a jump. SumPenalty must stay
	// near it, or sums of a slow and a fast term become kinks: 1.8 % of them
	// at 6, 0.4 % at 3.
	TermPenalty, SumPenalty, KinkPenalty float64
	// OutlierPrior is the log probability that a point is disturbed,
	// OutlierSpan the scale of the logarithm of how much too large it then is.
	// EndPrior and EndSpan are those of the last point, where nothing that
	// follows tells a disturbed run from a change: the prior makes up for what
	// a change before it has in its favour. A last point up to 8 times too
	// large is taken for disturbed, one further out or too small for a change.
	OutlierPrior, OutlierSpan, EndPrior, EndSpan float64
	// UnevenPenalty and GroupPenalty are what noise that is not in proportion
	// to the value, and noise that groups share, must gain as explanations. The
	// second is less than nothing: days do share noise. At 0, 5 % that a day
	// has in all of its sizes makes .017 false changes at eight points, at -0.5
	// it makes .0145, and .57 instead of .59 of the steps of 50 % are found.
	UnevenPenalty, GroupPenalty float64
	// FarRun is by how many typical distances a repetition may lie above the
	// middle one before it is left out, FarLeast the least such distance
	// relative to the value.
	FarRun, FarLeast float64
	// MinSegment is the least number of points between two changes. A change
	// before the last point alone is looked for too; it is told as one at the
	// last but one, which then belongs to both laws.
	MinSegment int
	// MaxChanges bounds the changes of one series.
	MaxChanges int
	// MinGain is what each change after the first must add to the evidence,
	// JumpGain what two changes need where one alone is not seen, ShortGain
	// what further ones need for each point that a new beginning or end lacks
	// to four. More than that is dear: 3+5+5 points are cut rightly in .95 at 0,
	// .94 at 2 and .57 at 14, where the place of the third law is taken by two
	// others that are not there.
	MinGain, JumpGain, ShortGain float64
	// CommonGain is by how much two laws that share a point must explain a
	// change better than two that do not.
	CommonGain float64
	// JointStrength is the evidence that a change common to many series needs.
	JointStrength float64
	// Hopeless is the residual, relative to the values, that exponents between
	// those of the grid of shapes do not mend; ScreenGap how much evidence a
	// closer look may add. Both only save time.
	Hopeless, ScreenGap float64
	// Caution is added to the thresholds of strength.
	Caution float64
	// MaxPoints is the number of distinct parameter values looked at one by
	// one; more are joined to as many neighbourhoods.
	MaxPoints int
}

// Default returns the settings of the figures.
func Default() Params {
	return Params{
		NoiseLow: 0.003, NoiseHigh: 0.13, NoiseStep: 1.5, NoiseTilt: -1,
		BetweenTilt: -0.5,
		TermPenalty: -0.5, SumPenalty: 2, KinkPenalty: 1.5,
		OutlierPrior: -3.5, OutlierSpan: 1.2,
		EndPrior: 0.5, EndSpan: 0.7,
		UnevenPenalty: 2, GroupPenalty: -0.5,
		FarRun: 8, FarLeast: 0.05,
		MinSegment: 2, MaxChanges: 4, MinGain: 4, JumpGain: 3, ShortGain: 1,
		CommonGain: 0.5, JointStrength: 4,
		Hopeless: 0.35, ScreenGap: 10,
		MaxPoints: 64,
	}
}

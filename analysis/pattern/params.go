package pattern

// Params are the choices of Represent. Default gives the values that reports are
// made with.
type Params struct {
	// MaxPoints bounds the length of a shape that is stored and drawn; 0 keeps
	// one point per sample.
	MaxPoints int
	// MaxInstances bounds how many instances, spread over the run, the mean is
	// taken of. A day of 50 ms iterations has two million.
	MaxInstances int
	// MaxSpread does so for the percentiles: the 10th of 256 is certain to two
	// percent points.
	MaxSpread int
	// MaxAligned bounds how many are aligned elastically (the paper found 100
	// to be enough for a pattern); AlignCells is the number of table cells
	// that one round may cost, so that long periods get fewer.
	MaxAligned, AlignCells int
	// Rounds is how often the average is refined: a third changes nothing.
	Rounds int
	// ElasticSignal and ElasticRest say when instances are aligned at all: the
	// shape's variance over that of the noise is above the one (6 dB: below,
	// the alignment bends noise into shape), and what the unaligned mean leaves
	// is above the other (else there is no jitter to take out).
	ElasticSignal, ElasticRest float64
	// MinSeparation is the share of a shape's variance that its division into
	// a low and a high class explains: a sine has 0.81, three even levels
	// 0.67. MinDepth is the step between them as a share of the high level.
	// Below either there are no low regions.
	MinSeparation, MinDepth float64
	// LowSamples and LowShare are the shortest low region, in samples and as a
	// share of the period.
	LowSamples int
	LowShare   float64
	// MinRepeatability is the share of instances in which a low region has to
	// be low.
	MinRepeatability float64
}

// Default returns the parameters of reports.
func Default() Params {
	return Params{
		MaxPoints:        512,
		MaxInstances:     2000,
		MaxSpread:        256,
		MaxAligned:       128,
		AlignCells:       400_000,
		Rounds:           2,
		ElasticSignal:    4,
		ElasticRest:      2,
		MinSeparation:    0.5,
		MinDepth:         0.1,
		LowSamples:       4,
		LowShare:         0.02,
		MinRepeatability: 0.5,
	}
}

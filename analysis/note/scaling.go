package note

// Notes on a scaling series.
const (
	Unsorted          Code = "unsorted"            // the input was not in the order of the parameter
	MissingRuns       Code = "missing_runs"        // runs without a value
	UnusableValue     Code = "unusable_value"      // infinite or absurdly large values, left out
	UnusableParameter Code = "unusable_parameter"  // a parameter that is not positive and finite
	NonPositive       Code = "non_positive_values" // zero or negative values: no relative errors, no efficiency
	// values are so far apart that the small ones do not count in sums of squares
	ExtremeRange      Code = "extreme_range"
	LoneExtreme       Code = "lone_extreme_value"   // one value is far from any law of the others
	FewPoints         Code = "few_points"           // the model is based on fewer than five points
	NeedMore          Code = "need_more_points"     // no model: the text says how many points are missing
	Thinned           Code = "thinned"              // more points than can be analysed one by one
	NotLocated        Code = "change_not_located"   // the series has segments, but the paper does not locate the change
	Unbounded         Code = "prediction_uncertain" // the interval spans more than a factor of ten
	WorseThanLinear   Code = "worse_than_linear"    // the metric grows faster than the parameter
	WorseThanDeclared Code = "worse_than_ideal"     // worse than ideal strong or weak scaling
)

// Why runs of a history do not make one scaling series.
const (
	ConfoundedWithTime Code = "confounded_with_time" // sizes do not overlap in time: the cause may be the size or the date
	OtherRegime        Code = "other_regime"         // runs before the last change of speed were left out
	IterationsDiffer   Code = "iterations_differ"    // sizes made different numbers of iterations
	OtherParameters    Code = "other_parameters"     // more than one parameter varies
	AdjustedForChange  Code = "adjusted_for_change"  // values from before a change, scaled by its effect on another size
)

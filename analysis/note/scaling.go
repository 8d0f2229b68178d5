package note

// What a scaling series does not say.
const (
	Unsorted          Code = "unsorted"            // the input was not in the order of the parameter
	MissingRuns       Code = "missing_runs"        // runs without a value
	UnusableValue     Code = "unusable_value"      // infinite or absurdly large values, left out
	UnusableParameter Code = "unusable_parameter"  // a parameter that is not positive and finite
	NonPositive       Code = "non_positive_values" // zero or negative values: no relative errors, no efficiency
	// values so far apart that the small ones say nothing in sums of squares
	ExtremeRange      Code = "extreme_range"
	LoneExtreme       Code = "lone_extreme_value"   // one value far from any law of the others
	FewPoints         Code = "few_points"           // a model from fewer than five points
	NeedMore          Code = "need_more_points"     // no model: the text says how many points are missing
	Thinned           Code = "thinned"              // more points than are looked at one by one
	NotLocated        Code = "change_not_located"   // segmented, but the paper does not say where
	Unbounded         Code = "prediction_uncertain" // the interval spans more than a factor of ten
	WorseThanLinear   Code = "worse_than_linear"    // grows faster than the parameter
	WorseThanDeclared Code = "worse_than_ideal"     // worse than strong or weak scaling would have it
)

// Why runs of a history do not make one scaling series.
const (
	ConfoundedWithTime Code = "confounded_with_time" // sizes do not overlap in time: scale or calendar
	OtherRegime        Code = "other_regime"         // runs before the last change of speed were left out
	IterationsDiffer   Code = "iterations_differ"    // sizes made different numbers of iterations
	OtherParameters    Code = "other_parameters"     // more than one parameter varies
	AdjustedForChange  Code = "adjusted_for_change"  // values from before a change, scaled by what it did to another size
)

package note

// What a history of runs does not tell, or tells with a warning.
const (
	FewRuns        Code = "few_runs"        // too few runs for any change to be seen
	AllEqual       Code = "all_equal"       // every run has the same value
	RepeatedTimes  Code = "repeated_times"  // several runs have one time
	ArrayTasks     Code = "array_tasks"     // tasks of one array are judged as one run
	LongGap        Code = "long_gap"        // long without runs: what changed meanwhile cannot be dated
	FieldsMissing  Code = "fields_missing"  // recorded fields are not known of every run
	NodePlacement  Code = "node_placement"  // the level follows the nodes, not the date
	CommonMode     Code = "common_mode"     // a shift shared by other series of the machine was taken out
	ChangedPhase   Code = "changed_phase"   // the phase of a run that carries a change
	Waiting        Code = "waiting"         // elapsed time changed, CPU time did not
	Autocorrelated Code = "autocorrelated"  // a run resembles the one before it: slow stretches are not changes
	TwoLevels      Code = "two_levels"      // runs take turns between two levels: kinds of nodes, not a change
	FewPairs       Code = "few_pairs"       // fewer than 10 pairs: the interval is widened
	NoPairs        Code = "no_pairs"        // too few runs in common to compare
	RatioChanged   Code = "ratio_changed"   // the ratio of a pair changed: figures are of the time since
	TooFewSets     Code = "few_runs_in_set" // too few runs for any difference to be significant
	SpreadChanged  Code = "spread_changed"  // runs scatter more or less than before, whatever their level does
	Weekly         Code = "weekly"          // runs of some weekdays take longer: taken out before changes are looked for
)

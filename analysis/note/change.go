package note

// Notes on a history of runs.
const (
	FewRuns        Code = "few_runs"        // too few runs to detect a change
	AllEqual       Code = "all_equal"       // every run has the same value
	RepeatedTimes  Code = "repeated_times"  // several runs have the same time
	ArrayTasks     Code = "array_tasks"     // the tasks of one array are judged as one run
	LongGap        Code = "long_gap"        // a long time without runs: a change within it cannot be dated
	FieldsMissing  Code = "fields_missing"  // recorded fields are not known for every run
	NodePlacement  Code = "node_placement"  // the level follows the nodes, not the date
	CommonMode     Code = "common_mode"     // a shift that other series of the machine share was removed
	ChangedPhase   Code = "changed_phase"   // the phase of a run that causes the change
	Waiting        Code = "waiting"         // elapsed time changed, CPU time did not
	Autocorrelated Code = "autocorrelated"  // a run resembles the one before it: slow stretches are not changes
	TwoLevels      Code = "two_levels"      // runs alternate between two levels: kinds of nodes, not a change
	FewPairs       Code = "few_pairs"       // fewer than 10 pairs: the interval is widened
	NoPairs        Code = "no_pairs"        // too few runs in common to compare
	RatioChanged   Code = "ratio_changed"   // the ratio of a pair changed: the figures describe the time since then
	TooFewSets     Code = "few_runs_in_set" // too few runs for any difference to be significant
	SpreadChanged  Code = "spread_changed"  // runs scatter more or less than before, independent of their level
	Weekly         Code = "weekly"          // runs of some weekdays differ: subtracted before the search
)

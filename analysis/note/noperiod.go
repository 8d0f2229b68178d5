package note

// NoPeriodReason explains one code that can say why a run has no period.
type NoPeriodReason struct {
	Code Code
	// Brief is a few words for a table, Clause a clause that continues "no period: ". HasCandidate reports that the
	// text of the note itself is more precise than Clause, because it names the best candidate.
	Brief, Clause string
	HasCandidate  bool
}

// NoPeriodReasons returns the reasons why a run has no period, the most telling first.
func NoPeriodReasons() []NoPeriodReason {
	return []NoPeriodReason{
		{NoAgent, "no agent ran", "no agent of jobgait ran on its nodes", false},
		{NoProfile, "samples unreadable", "the file with its samples could not be read", false},
		{Idle, "used almost no CPU", "the job used almost no CPU time where it could be seen", false},
		{TooShort, "run too short", "the run is too short to tell", false},
		{NodesDisagree, "nodes disagree", "the nodes show different periods", false},
		{NoVariance, "evenly busy", "what was sampled did not change over the run", false},
		{NoValley, "nothing repeats", "no shift in time makes the run resemble itself", true},
		{LowCoverage, "repeats in too small a part", "what repeats covers less than 5 % of the run", true},
		{NotTracked, "repeats only for a while", "what repeats could not be followed from one cycle to the next", true},
		{NotSignificant, "no better than chance", "what repeats is no more regular than chance makes it", true},
		{UnsurePeriod, "too little confidence", "the best candidate is too unsure to be reported", true},
		{OnlyClocks, "only timers repeat", "the only periods are those of timers of the machine", true},
		{FewSamples, "too fast for the samples", "it would be too fast for the sampling rate", false},
		{FewInstances, "too few repetitions", "there are too few repetitions to tell", false},
	}
}

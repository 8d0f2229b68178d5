package scaling

import "math"

// Some of many series are segmented although nothing changed: from 0 to 16 of a thousand, depending on their
// laws and noise. The tail of the evidence has the same steepness for all of them: for each false change, two
// or three series fall short of the threshold by less than 1, and ten to twenty by 1 to 3. So the number of
// false changes is estimated from the list itself. Real changes that were missed fall short by little too, so
// both counts are made and the smaller one is used.
const (
	// nearShare and furtherShare are how many false changes there are for each
	// series that stays short by less than 1, and by 1 to 3.
	nearShare, furtherShare = 0.45, 0.1
	// Prior of the estimate: the assumed number of series, of those near the threshold, and of those further away.
	seriesBefore, nearBefore, furtherBefore = 50, 0.5, 4
	// chanceSpread is the factor by which the expected number may be off.
	chanceSpread = 2
)

// resultCounts counts the series of a list: all, those with a change, and those that miss the threshold by less
// than 1 or by 1 to 3.
type resultCounts struct{ series, cut, near, further int }

// add counts a series by how much its evidence is below the threshold; negative means above.
func (l *resultCounts) add(short float64) {
	l.series++
	switch {
	case short < 0:
		l.cut++
	case short < 1:
		l.near++
	case short < 3:
		l.further++
	}
}

// expectedByChance returns how many of the series would be segmented if none had a change.
func (l resultCounts) expectedByChance() float64 {
	if l.series == 0 {
		return 0
	}
	share := min(nearShare*(nearBefore+float64(l.near)), furtherShare*(furtherBefore+float64(l.further)))
	return share * float64(l.series) / (seriesBefore + float64(l.series-l.cut))
}

// ExpectedByChance returns how many of the results would be segmented if none of their series had a change. It
// is for the likelihood method with default settings; series without a change strength do not count.
func ExpectedByChance(results []Result) float64 {
	var l resultCounts
	for i := range results {
		if r := &results[i]; r.ChangeStrength != nil {
			l.add(r.short)
		}
	}
	return l.expectedByChance()
}

// ChanceRange returns the range that holds, in 95 of 100 lists, the number of series segmented by chance, given the
// expected number. It includes the scatter of counts and an error of expected by a factor of chanceSpread. For expected
// of 0 or less it returns 0, 0.
func ChanceRange(expected float64) (lo, hi int) {
	if !(expected > 0) || math.IsInf(expected, 0) {
		return 0, 0
	}
	return poissonQuantile(expected/chanceSpread, 0.025), poissonQuantile(expected*chanceSpread, 0.975)
}

// poissonQuantile returns the least count that at least the given share of a Poisson distribution does not
// exceed.
func poissonQuantile(mean, share float64) int {
	sum := 0.0
	for k := 0; ; k++ {
		log, _ := math.Lgamma(float64(k + 1))
		sum += math.Exp(float64(k)*math.Log(mean) - mean - log)
		if sum >= share || float64(k) > mean+20*math.Sqrt(mean)+20 {
			return k
		}
	}
}

package changepoint

import "jobgait/analysis/internal/parallel"

// votingRound analyses many series, each first alone and then with the votes of its user's other series. It
// holds the scans of at most atOnce + maxNeighbours series at a time: a scan takes more memory than the series.
type votingRound struct {
	runs   []preparedSeries
	p      Params
	atOnce int // number of series that are scanned before those whose neighbors are known are finished
	places []votingPlace
	scans  []seriesScan // by place, each only until its series is finished
	// needsOfOneRun returns how many runs a history of one run needs to show a change of usefulPct.
	needsOfOneRun func() int
}

// votingPlace is one series in the order of a voting round, in which the series of one user are neighbors.
type votingPlace struct {
	series     int // index of the series
	first, end int // places of its user's series; of a series without votes its own
	boundaries []boundary
}

// scansAtOnce is the usual number of series that are scanned before some are finished.
const scansAtOnce = 256

// newVotingRound orders the series by user.
func newVotingRound(runs []preparedSeries, p Params) *votingRound {
	v := &votingRound{runs: runs, p: p, atOnce: scansAtOnce, scans: make([]seriesScan, len(runs))}
	p.EpisodeRuns = 0
	v.needsOfOneRun = singleRunNeeds(p)
	for _, group := range groupByUser(runs) {
		first := len(v.places)
		for _, i := range group {
			v.places = append(v.places, votingPlace{series: i, first: first, end: first + len(group)})
		}
	}
	return v
}

// groupByUser returns the indexes of the series of each user. Each series without a user or without possible
// changes is a group of its own.
func groupByUser(runs []preparedSeries) [][]int {
	where := make(map[string]int)
	var groups [][]int
	for i := range runs {
		user := runs[i].User
		if user == "" || runs[i].quiet {
			groups = append(groups, []int{i})
			continue
		}
		g, ok := where[user]
		if !ok {
			g = len(groups)
			where[user] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// analyse stores the result of each series in results, by its index in runs. It scans the next atOnce series alone,
// then finishes those whose maxNeighbours following series have been scanned, and so on.
func (v *votingRound) analyse(results []SeriesResult) {
	scanned, finished := 0, 0
	for finished < len(v.places) {
		from := scanned
		scanned = min(from+v.atOnce, len(v.places))
		parallel.Each(scanned-from, func(k int) { v.scanAlone(from + k) })
		from = finished
		finished = scanned
		if scanned < len(v.places) {
			finished = max(from, scanned-maxNeighbours)
		}
		parallel.Each(finished-from, func(k int) {
			results[v.places[from+k].series] = v.finish(from + k)
		})
	}
}

// scanAlone scans the series at a place without votes.
func (v *votingRound) scanAlone(k int) {
	at := &v.places[k]
	r := &v.runs[at.series]
	v.scans[k] = r.scanSeries(nil, v.p)
	if at.end > at.first+1 {
		at.boundaries = r.sharedBoundaries(v.scans[k].out.events)
	}
	v.p.step()
}

// finish returns the result of the series at a place, scanned again if there are votes, and releases its scan.
func (v *votingRound) finish(k int) SeriesResult {
	r := &v.runs[v.places[k].series]
	l := v.scans[k]
	v.scans[k] = seriesScan{}
	if given := v.votesFor(k); len(given) > 0 {
		l = r.scanSeries(given, v.p)
	}
	res := r.buildResult(&l, v.p)
	r.detectable(&res, &l, v.p, v.needsOfOneRun)
	v.p.step()
	return res
}

// votesFor returns the votes for the series at a place by its user's other series, at most maxNeighbours before
// it and after it. Metrics of the same runs share their noise, so that their votes are reduced.
func (v *votingRound) votesFor(k int) (given []vote) {
	at := v.places[k]
	to := &v.runs[at.series]
	for q := max(at.first, k-maxNeighbours); q < min(at.end, k+maxNeighbours+1); q++ {
		if q == k {
			continue
		}
		for _, b := range v.places[q].boundaries {
			given = append(given, to.votesFrom(b, &v.runs[v.places[q].series])...)
		}
	}
	return given
}

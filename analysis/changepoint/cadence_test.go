package changepoint_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/note"
)

var (
	seed       = flag.Uint64("seed", 1, "first seed of the experiments")
	histories  = flag.Int("histories", 1000, "histories with a planted change")
	only       = flag.String("only", "", "kinds with this in their name")
	listEvents = flag.Bool("events", false, "print each event in histories without a change")
	quietRuns  = flag.Int("runs", 24000, "runs of each kind without a change")
)

// experiment skips a test that prints a table of MEASURED.md unless
// JOBGAIT_EXPERIMENT is set.
func experiment(t *testing.T) {
	t.Helper()
	if os.Getenv("JOBGAIT_EXPERIMENT") == "" {
		t.Skip("set JOBGAIT_EXPERIMENT=1 to print the table")
	}
}

// drawn is a history with at most one step.
type drawn struct {
	changepoint.Series
	at int // first run of the new level, 0: no step
}

// paced returns n runs, perDay of them each day at even intervals with a jitter of
// a fifth of the interval.
func paced(r *rand.Rand, n int, perDay float64) drawn {
	h := drawn{Series: changepoint.Series{ID: "drawn", T: make([]float64, n), Y: make([]float64, n),
		Start: make([]float64, n)}}
	start := 20000 + r.Float64()
	for i := range n {
		h.T[i] = start + (float64(i)+.2*r.Float64())/perDay
		h.Start[i] = h.T[i] * 86400
		h.Y[i] = math.Log(100)
	}
	return h
}

// seconds turns the logarithms of Y into seconds.
func (h drawn) seconds() drawn {
	for i, x := range h.Y {
		h.Y[i] = math.Exp(x)
	}
	return h
}

// scattered adds independent normal noise of standard deviation sd to the logarithms.
func (h drawn) scattered(r *rand.Rand, sd float64) drawn {
	for i := range h.Y {
		h.Y[i] += sd * r.NormFloat64()
	}
	return h
}

// stepped adds a step by the factor 1+effect at run at.
func (h drawn) stepped(at int, effect float64) drawn {
	for i := at; i < len(h.Y); i++ {
		h.Y[i] += math.Log1p(effect)
	}
	h.at = at
	return h
}

// committed records a commit that changes at the step only.
func (h drawn) committed() drawn {
	commit := make([]string, len(h.Y))
	for i := range commit {
		commit[i] = "a1"
		if i >= h.at {
			commit[i] = "b2"
		}
	}
	h.Meta = map[string][]string{"commit": commit}
	return h
}

func analysed(s changepoint.Series) changepoint.SeriesResult {
	return changepoint.Analyse([]changepoint.Series{s}, changepoint.Sequential, changepoint.Default()).Series[0]
}

// located counts how steps are found.
type located struct{ steps, found, near, exact, held, other int }

// add judges a history with one step: found is the number of steps reported within
// eight runs, near within one, exact at the run, held those whose interval
// contains the run, other the changes reported elsewhere.
func (l *located) add(h drawn) {
	l.steps++
	for _, c := range analysed(h.Series).Changes {
		off := max(c.Index-h.at, h.at-c.Index)
		if off > 8 {
			l.other++
			continue
		}
		l.found++
		if off <= 1 {
			l.near++
		}
		if off == 0 {
			l.exact++
		}
		if c.FirstIndex <= h.at && h.at <= c.LastIndex {
			l.held++
		}
	}
}

func (l located) String() string {
	return fmt.Sprintf("%4d steps: found %.3f, within a run %.3f, at the run %.3f, interval holds %.3f of found, other "+
		"changes %d",
		l.steps, float64(l.found)/float64(l.steps), float64(l.near)/float64(l.steps), float64(l.exact)/float64(l.steps),
		float64(l.held)/float64(max(l.found, 1)), l.other)
}

func sign(r *rand.Rand, effect float64) float64 {
	if r.IntN(3) == 0 {
		return -effect / (1 + effect)
	}
	return effect
}

// atCadence draws a step of 10 to 50 % in 100 runs of noise 1 to 3 %.
func atCadence(r *rand.Rand, perDay float64) drawn {
	h := paced(r, 100, perDay).scattered(r, .01+.02*r.Float64())
	return h.stepped(25+r.IntN(50), sign(r, .1+.4*r.Float64())).seconds()
}

// weakAtCadence draws a step of 2 to 4 standard deviations of the noise.
func weakAtCadence(r *rand.Rand, perDay float64) drawn {
	sd := .01 + .02*r.Float64()
	h := paced(r, 100, perDay).scattered(r, sd)
	return h.stepped(25+r.IntN(50), sign(r, math.Expm1((2+2*r.Float64())*sd))).seconds()
}

// withinDay draws a step of 10 to 60 % within 60 runs five minutes apart.
func withinDay(r *rand.Rand) drawn {
	h := paced(r, 60, 288)
	for i := range h.T {
		h.T[i] = math.Floor(h.T[0]) + .1 + float64(i)/288
		h.Start[i] = h.T[i] * 86400
	}
	return h.scattered(r, .01+.01*r.Float64()).stepped(15+r.IntN(30), sign(r, .1+.5*r.Float64())).seconds()
}

// short draws a step of 50 to 200 % in before+after runs of noise 2 %.
func short(r *rand.Rand, before, after int, perDay float64) drawn {
	return paced(r, before+after, perDay).scattered(r, .02).stepped(before, []float64{.5, 1, 2}[r.IntN(3)]).seconds()
}

var shortHistories = [][2]int{{5, 8}, {6, 6}, {8, 12}, {10, 8}}

// Steps are located within a run at every cadence, within one day and in short histories.
func TestStepsAtAnyCadence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		draw  func(*rand.Rand, int) drawn
		count int
		least float64 // share located within a run
	}{
		{"3 to 48 runs a day", func(r *rand.Rand, k int) drawn {
			return atCadence(r, []float64{3, 4, 6, 8, 12, 24, 48}[k%7])
		}, 84, .95},
		{"within one day, commit", func(r *rand.Rand, _ int) drawn { return withinDay(r).committed() }, 40, .9},
		{"within one day", func(r *rand.Rand, _ int) drawn { return withinDay(r) }, 40, .9},
		{"short histories, daily", func(r *rand.Rand, k int) drawn {
			return short(r, shortHistories[k%4][0], shortHistories[k%4][1], 1)
		}, 40, .9},
		{"short histories, six a day", func(r *rand.Rand, k int) drawn {
			return short(r, shortHistories[k%4][0], shortHistories[k%4][1], 6)
		}, 40, .9},
		{"short histories, six a day, commit", func(r *rand.Rand, k int) drawn {
			return short(r, shortHistories[k%4][0], shortHistories[k%4][1], 6).committed()
		}, 40, .9},
		{"six runs on each of two to three days", func(r *rand.Rand, _ int) drawn { return short(r, 6, 6, 6) }, 40, .9},
		{"short histories, every five minutes", func(r *rand.Rand, k int) drawn {
			return short(r, shortHistories[k%4][0], shortHistories[k%4][1], 288)
		}, 40, .9},
	} {
		var l located
		r := rand.New(rand.NewPCG(11, 1))
		for k := range c.count {
			l.add(c.draw(r, k))
		}
		if float64(l.near) < c.least*float64(l.steps) || float64(l.held) < .95*float64(l.found) || l.other > 0 {
			t.Errorf("%s: %s; want %.2f within a run", c.name, l, c.least)
		}
	}
}

// A field that identifies what ran places a weak step: it is the only one that changes
// within the interval. A field that changes twice within it does not.
func TestIdentifyingFieldPlacesStep(t *testing.T) {
	t.Parallel()
	exact, named, found := 0, 0, 0
	r := rand.New(rand.NewPCG(12, 1))
	const draws = 40
	for range draws {
		h := weakAtCadence(r, 12).committed()
		for _, c := range analysed(h.Series).Changes {
			found++
			if c.Index == h.at {
				exact++
			}
			if len(c.Causes) > 0 && c.Causes[0].Field == "commit" && c.Causes[0].To == "b2" {
				named++
			}
		}
	}
	if found < draws*9/10 || exact < found*95/100 || named < found*95/100 {
		t.Errorf("%d of %d weak steps found, %d at the run of the commit, %d with it as first cause", found, draws, exact,
			named)
	}
}

// Steps of the size that a history names are reported in nine of ten cases.
func TestDetectableChange(t *testing.T) {
	t.Parallel()
	planted, reported, silent := detectability(5, 200)
	if share := float64(reported) / float64(planted); share < .85 || share > .95 || silent > 60 {
		t.Errorf("%d of %d planted steps reported (%.3f), %d histories named none", reported, planted, share, silent)
	}
}

// Short histories say how many runs they need for 10 %, and long quiet ones what they show.
func TestRunsForTenPercent(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(13, 1))
	few := analysed(paced(r, 4, 1).scattered(r, .01).seconds().Series)
	if few.DetectablePct != nil || few.RunsForTenPct == nil || *few.RunsForTenPct < 6 || *few.RunsForTenPct > 30 {
		t.Errorf("4 runs of noise 1 %%, which five more cannot confirm: detectable %v, %v runs for 10 %%",
			few.DetectablePct, few.RunsForTenPct)
	}
	young := analysed(paced(r, 12, 1).scattered(r, .01).seconds().Series)
	if young.DetectablePct == nil || *young.DetectablePct < 3 || *young.DetectablePct > 15 {
		t.Errorf("12 runs of noise 1 %%: detectable %v", young.DetectablePct)
	}
	many := analysed(paced(r, 60, 1).scattered(r, .01).seconds().Series)
	if many.DetectablePct == nil || *many.DetectablePct < 2 || *many.DetectablePct > 7 || many.RunsForTenPct != nil {
		t.Errorf("60 runs of noise 1 %%: detectable %v, %v runs for 10 %%", many.DetectablePct, many.RunsForTenPct)
	}
	if none := analysed(changepoint.Series{}); none.DetectablePct != nil || none.RunsForTenPct != nil {
		t.Error("a history without runs names what it shows")
	}
}

// The tasks of one job array are one observation: forty slow tasks of one array are no
// change, and runs that are slower than the median of the tasks are.
func TestArrayTasksAreOneObservation(t *testing.T) {
	t.Parallel()
	h := paced(rand.New(rand.NewPCG(14, 1)), 80, 24).scattered(rand.New(rand.NewPCG(14, 2)), .01)
	h.stepped(40, .3).seconds()
	if n := len(analysed(h.Series).Changes); n != 1 {
		t.Fatalf("%d changes without arrays, want 1", n)
	}
	h.Array = make([]string, len(h.Y))
	for i := 40; i < 80; i++ {
		h.Array[i] = "812340"
	}
	res := analysed(h.Series)
	if len(res.Changes) != 0 || !slices.ContainsFunc(res.Notes, func(n note.Note) bool {
		return n.Code == note.ArrayTasks
	}) {
		t.Errorf("one slow array: changes %+v, notes %+v", res.Changes, res.Notes)
	}
	for i := range h.Y {
		h.Array[i] = strconv.Itoa(i / 4) // ten arrays of four tasks at each level
	}
	res = analysed(h.Series)
	if len(res.Changes) != 1 || res.Changes[0].Index != 40 || res.Regimes[0].N != 10 {
		t.Errorf("a change between arrays: changes %+v, regimes %+v", res.Changes, res.Regimes)
	}
}

func TestExperimentCadence(t *testing.T) {
	experiment(t)
	for _, kind := range []struct {
		name string
		draw func(*rand.Rand, float64) drawn
	}{{"sharp", atCadence}, {"2 to 4 sd", weakAtCadence}} {
		var all located
		for k, perDay := range []float64{1, 2, 3, 4, 6, 8, 12, 24, 48} {
			r := rand.New(rand.NewPCG(*seed, uint64(100+k)))
			var l located
			for range 24 {
				h := kind.draw(r, perDay)
				l.add(h)
				if perDay >= 3 {
					all.add(h)
				}
			}
			fmt.Printf("%-10s %3g a day     %s\n", kind.name, perDay, l)
		}
		fmt.Printf("%-10s 3 to 48 a day %s\n", kind.name, all)
	}
	var plain, committed located
	r := rand.New(rand.NewPCG(*seed, 120))
	for range 80 {
		h := withinDay(r)
		plain.add(h)
		committed.add(h.committed())
	}
	fmt.Printf("within one day              %s\nwithin one day, commit      %s\n", plain, committed)
}

// Short histories with a step of 50 % or more, each kind without and with a commit.
func TestExperimentShort(t *testing.T) {
	experiment(t)
	for p, perDay := range []float64{1, 6, 288} {
		var all, allCommitted located
		for k, c := range shortHistories {
			r := rand.New(rand.NewPCG(*seed, uint64(130+10*p+k)))
			var plain, committed located
			for n := range *histories / 10 {
				h := short(r, c[0], c[1], perDay)
				if l := (located{}); *listEvents {
					if l.add(h); l.near != 1 || l.other > 0 {
						fmt.Printf("    history %d: %s\n", n, l)
						printEvents(h, analysed(h.Series).Changes, n, .02)
						fmt.Printf("    %.1f\n", h.Y)
					}
				}
				for _, l := range []*located{&plain, &all} {
					l.add(h)
				}
				h = h.committed()
				for _, l := range []*located{&committed, &allCommitted} {
					l.add(h)
				}
			}
			fmt.Printf("%2d + %2d runs, %3g a day         %s\n%2d + %2d runs, %3g a day, commit %s\n", c[0], c[1], perDay,
				plain, c[0], c[1], perDay, committed)
		}
		fmt.Printf("all, %3g a day         %s\nall, %3g a day, commit %s\n", perDay, all, perDay, allCommitted)
	}
}

// quiet kinds are histories without a step.
var quietKinds = []struct {
	name string
	draw func(r *rand.Rand, n int, sd float64) drawn
}{
	{"independent, 1 a day", func(r *rand.Rand, n int, sd float64) drawn { return paced(r, n, 1).scattered(r, sd) }},
	{"independent, 24 a day", func(r *rand.Rand, n int, sd float64) drawn { return paced(r, n, 24).scattered(r, sd) }},
	{"independent, 288 a day", func(r *rand.Rand, n int, sd float64) drawn { return paced(r, n, 288).scattered(r, sd) }},
	{"correlation .5, 1 a day", func(r *rand.Rand, n int, sd float64) drawn { return correlated(r, n, sd, 1, .5) }},
	{"correlation .5, 24 a day", func(r *rand.Rand, n int, sd float64) drawn { return correlated(r, n, sd, 24, .5) }},
	{"correlation .7, 24 a day", func(r *rand.Rand, n int, sd float64) drawn { return correlated(r, n, sd, 24, .7) }},
	{"hour of day 2 sd, 8 a day", func(r *rand.Rand, n int, sd float64) drawn { return hourly(r, n, sd, 8, 2) }},
	{"hour of day 2 sd, 24 a day", func(r *rand.Rand, n int, sd float64) drawn { return hourly(r, n, sd, 24, 2) }},
	{"hour of day 4 sd, 24 a day", func(r *rand.Rand, n int, sd float64) drawn { return hourly(r, n, sd, 24, 4) }},
	{"busy hours 3 sd, 24 a day", func(r *rand.Rand, n int, sd float64) drawn { return busy(r, n, sd, 24, 3) }},
	{"day level .3, 6 a day", func(r *rand.Rand, n int, sd float64) drawn { return dayLevels(r, n, sd, 6, .3) }},
	{"day level .5, 6 a day", func(r *rand.Rand, n int, sd float64) drawn { return dayLevels(r, n, sd, 6, .5) }},
	{"day level .8, 6 a day", func(r *rand.Rand, n int, sd float64) drawn { return dayLevels(r, n, sd, 6, .8) }},
	{"day level .8, 24 a day", func(r *rand.Rand, n int, sd float64) drawn { return dayLevels(r, n, sd, 24, .8) }},
	{"two levels 8 %, stay .8", func(r *rand.Rand, n int, sd float64) drawn { return sticky(r, n, sd, 1, .08, .8) }},
	{"two levels 20 %, stay .8", func(r *rand.Rand, n int, sd float64) drawn { return sticky(r, n, sd, 1, .2, .8) }},
	{"two levels 50 %, stay .8", func(r *rand.Rand, n int, sd float64) drawn { return sticky(r, n, sd, 1, .5, .8) }},
	{"two levels 20 %, stay .6", func(r *rand.Rand, n int, sd float64) drawn { return sticky(r, n, sd, 1, .2, .6) }},
	{"two levels 20 %, 24 a day", func(r *rand.Rand, n int, sd float64) drawn { return sticky(r, n, sd, 24, .2, .8) }},
}

func correlated(r *rand.Rand, n int, sd, perDay, phi float64) drawn {
	h := paced(r, n, perDay)
	e := r.NormFloat64()
	for i := range h.Y {
		h.Y[i] += sd * e
		e = phi*e + math.Sqrt(1-phi*phi)*r.NormFloat64()
	}
	return h
}

// hourly adds a sine of the hour of the day.
func hourly(r *rand.Rand, n int, sd, perDay, size float64) drawn {
	h := paced(r, n, perDay).scattered(r, sd)
	for i, t := range h.T {
		h.Y[i] += size / 2 * sd * math.Sin(2*math.Pi*t)
	}
	return h
}

// busy makes the runs of eight hours of each day slower.
func busy(r *rand.Rand, n int, sd, perDay, size float64) drawn {
	h := paced(r, n, perDay).scattered(r, sd)
	for i, t := range h.T {
		if t-math.Floor(t) < 1./3 {
			h.Y[i] += size * sd
		}
	}
	return h
}

// dayLevels are runs that share a part of their variance with those of their day.
func dayLevels(r *rand.Rand, n int, sd, perDay, share float64) drawn {
	h := paced(r, n, perDay).scattered(r, sd*math.Sqrt(1-share))
	mood, day := 0.0, -1.0
	for i, t := range h.T {
		if math.Floor(t) != day {
			day, mood = math.Floor(t), sd*math.Sqrt(share)*r.NormFloat64()
		}
		h.Y[i] += mood
	}
	return h
}

// sticky are runs on two kinds of node; a run is on the kind of the one before with
// chance stay, plus half of the rest.
func sticky(r *rand.Rand, n int, sd, perDay, gap, stay float64) drawn {
	h := paced(r, n, perDay).scattered(r, sd)
	slow := r.IntN(2) == 0
	for i := range h.Y {
		if r.Float64() >= 2*stay-1 {
			slow = r.IntN(2) == 0
		}
		if slow {
			h.Y[i] += math.Log1p(gap)
		}
	}
	return h
}

// Runs on two kinds of nodes 50 % apart, each on the kind of the previous run with probability .8, are seldom
// reported as a change: 1.3 events per 1000 runs, and 3.1 without the rule that new levels must last.
func TestTwoLevelsFarApart(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(15, 1))
	const histories, most = 60, 14
	events := 0
	for range histories {
		events += len(analysed(sticky(r, 100, .005*math.Pow(20, r.Float64()), 1, .5, .8).seconds().Series).Changes)
	}
	if events > most {
		t.Errorf("%d events in %d histories of 100 runs, want at most %d", events, histories, most)
	}
}

func TestExperimentQuiet(t *testing.T) {
	experiment(t)
	runs := *quietRuns
	for k, kind := range quietKinds {
		if !strings.Contains(kind.name, *only) {
			continue
		}
		r := rand.New(rand.NewPCG(*seed, uint64(200+k)))
		events, all, series, with := 0, 0, 0, 0
		for all < runs {
			n := 60 + r.IntN(91)
			sd := .005 * math.Pow(20, r.Float64())
			h := kind.draw(r, n, sd).seconds()
			res := analysed(h.Series)
			found := len(res.Changes)
			if *listEvents {
				printEvents(h, res.Changes, series, sd)
			}
			events, all, series = events+found, all+n, series+1
			if found > 0 {
				with++
			}
		}
		lo, hi := poissonInterval(events)
		per := 1000 / float64(all)
		fmt.Printf("%-28s %d runs: %.2f (%.2f .. %.2f) per 1000, in %.3f of %d histories\n", kind.name, all,
			per*float64(events), per*lo, per*hi, float64(with)/float64(series), series)
	}
}

// printEvents prints the events of history number series, whose noise is sd.
func printEvents(h drawn, changes []changepoint.Change, series int, sd float64) {
	for _, c := range changes {
		fmt.Printf("    history %d of %d runs, noise %.3f: run %d (%d .. %d, day %.2f), ", series, len(h.Y), sd,
			c.Index, c.FirstIndex, c.LastIndex, h.T[c.Index]-math.Floor(h.T[0]))
		fmt.Printf("seen at run %d, %+.1f noises (%+.1f %%)\n", c.DetectedIndex, math.Log1p(c.EffectPct/100)/sd, c.EffectPct)
	}
}

// poissonInterval returns the 95 % interval of the expected number of events when n were seen.
func poissonInterval(n int) (lo, hi float64) {
	if n > 0 {
		lo = distuv.ChiSquared{K: 2 * float64(n)}.Quantile(.025) / 2
	}
	return lo, distuv.ChiSquared{K: 2*float64(n) + 2}.Quantile(.975) / 2
}

// continuedBy appends 5 runs that are slower by pct percent than the level of h, whose
// noise has standard deviation sd.
func (h drawn) continuedBy(r *rand.Rand, pct, sd float64) drawn {
	n := len(h.T)
	step := (h.T[n-1] - h.T[0]) / float64(n-1)
	out := drawn{Series: h.Series, at: n}
	out.T, out.Y, out.Start = append([]float64{}, h.T...), append([]float64{}, h.Y...), append([]float64{}, h.Start...)
	for k := range 5 {
		t := h.T[n-1] + step*float64(k+1)
		out.T, out.Start = append(out.T, t), append(out.Start, t*86400)
		out.Y = append(out.Y, 100*(1+pct/100)*math.Exp(sd*r.NormFloat64()))
	}
	return out
}

// detectability prints how often steps of exactly the minimum detectable change of a history are reported.
func detectability(seed uint64, histories int) (planted, reported, silent int) {
	r := rand.New(rand.NewPCG(seed, 300))
	for range histories {
		sd := .005 * math.Pow(20, r.Float64())
		h := paced(r, 12+r.IntN(120), []float64{1, 4, 24}[r.IntN(3)]).scattered(r, sd).seconds()
		before := analysed(h.Series)
		if before.DetectablePct == nil || len(before.Changes) > 0 {
			silent++
			continue
		}
		planted++
		h = h.continuedBy(r, *before.DetectablePct, sd)
		for _, c := range analysed(h.Series).Changes {
			if c.Index >= h.at-2 {
				reported++
				break
			}
		}
	}
	return planted, reported, silent
}

func TestExperimentDetectable(t *testing.T) {
	experiment(t)
	planted, reported, silent := detectability(*seed, *histories)
	fmt.Printf("minimum detectable change: %d of %d reported (%.3f), %d histories without one\n", reported, planted,
		float64(reported)/float64(planted), silent)
}

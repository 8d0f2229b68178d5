// Package tables holds no code but tests: they draw histories with known truth and print
// what package changepoint finds and misses in them. The figures of MEASURED.md are their
// output.
package tables

import (
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/changepoint/draw"
	"jobgait/analysis/changepoint/pair"
	"jobgait/analysis/quantity"
)

// Flags of TestPrintTables, behind -args.
var (
	tableNames = flag.String("tables", "", "tables to print, separated by commas, or all")
	tableSeed  = flag.Uint64("seed", 1, "first seed; settings were chosen on 1 to 9")
	tableDraws = flag.Int("draws", 5, "draws that are pooled in nodes, joint, pairs, machine, fields and code")
	tableRuns  = flag.Int("runs", 20000, "runs of each family in noise, weeks and spread")
	tableOnly  = flag.String("only", "", "families with this in their name in noise, weeks and spread")
	tableLong  = flag.Int("length", 0, "runs of each history in noise and weeks (default 60 to 150)")
	tableSD    = flag.Float64("sd", 0, "noise in log units in noise and weeks (default 0.005 to 0.1)")
)

// TestPrintTables prints the tables of MEASURED.md. The same seed gives the same
// histories.
//
//	go test ./analysis/changepoint/tables -run PrintTables -v -timeout 0 -args -tables nodes,fields -seed 1
//
// nodes are slow nodes, joint a user's other series, pairs the coverage of paired
// intervals, machine shifts of the machine, fields recorded fields, code functions; noise
// are false events in families without a change, weeks patterns of weekdays, spread notes
// of changed noise.
func TestPrintTables(t *testing.T) {
	if *tableNames == "" {
		t.Skip("prints the tables that -args -tables names")
	}
	names := strings.Split(*tableNames, ",")
	for _, table := range allTables() {
		at := slices.Index(names, table.name)
		if at >= 0 {
			names = slices.Delete(names, at, at+1)
		}
		if at >= 0 || *tableNames == "all" {
			table.print(os.Stdout, *tableSeed, max(*tableDraws, 1))
		}
	}
	if len(names) > 0 && *tableNames != "all" {
		t.Errorf("no tables %q", names)
	}
}

// table is one thing to measure.
type table struct {
	name  string
	print func(w io.Writer, seed uint64, draws int)
}

func allTables() []table {
	return []table{
		{"nodes", slowNodes}, {"joint", joint}, {"pairs", pairs}, {"machine", machine}, {"fields", recorded}, {"code", code},
		{"noise", func(w io.Writer, seed uint64, _ int) { measure(w, nulls(), flagged(seed), changepoint.Default()) }},
		{"weeks", func(w io.Writer, seed uint64, _ int) { measure(w, weeks(), flagged(seed), changepoint.Default()) }},
		{"spread", func(w io.Writer, seed uint64, _ int) {
			measureSpread(w, append(nulls(), grown()...), flagged(seed), changepoint.Default())
		}},
	}
}

// flagged are the options of the tables of families that the flags set.
func flagged(seed uint64) options {
	return options{runs: *tableRuns, seed: seed, only: *tableOnly, length: *tableLong, sd: *tableSD}
}

// The same seed prints the same table.
func TestSameSeedSameTable(t *testing.T) {
	var out, again strings.Builder
	machine(&out, 1, 1)
	machine(&again, 1, 1)
	if lines := strings.Count(out.String(), "\n"); lines != 2 || strings.Contains(out.String(), "NaN") {
		t.Errorf("output:\n%s", out.String())
	}
	if again.String() != out.String() {
		t.Errorf("the same seed printed another table:\n%s%s", out.String(), again.String())
	}
}

// source is the random source of draw number i.
func source(seed uint64, i int, stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed+uint64(i), stream))
}

// slowNodes prints how well slow nodes are found, and changes in the same histories, where each run is placed
// independently and where runs stay on their nodes.
func slowNodes(w io.Writer, seed uint64, draws int) {
	for _, stay := range []float64{0, .8} {
		var with, without draw.Score
		called, right, all := 0, 0, 0
		for i := range draws {
			r := source(seed, i, 1)
			for range 20 {
				h := draw.DrawOnNodes(r, stay)
				res := one(h.Series)
				with.Add(h, res.Changes, 1)
				for _, s := range res.SlowNodes {
					called++
					if h.Slow[s.Node] > 0 {
						right++
					}
				}
				all += len(h.Slow)
				h.Nodes = nil
				without.Add(h, one(h.Series).Changes, 1)
			}
		}
		fmt.Fprintf(w, "nodes: stays with %.1f: %d slow nodes: precision %.3f, recall %.3f\n", stay, all,
			ratio(right, called), ratio(right, all))
		fmt.Fprintf(w, "nodes: F1@1 %.3f with node lists (%.2f false per 1000), %.3f without (%.2f)\n",
			with.F1(), with.FalsePer1000(), without.F1(), without.FalsePer1000())
	}
}

func one(s changepoint.Series) changepoint.SeriesResult {
	return changepoint.Analyse([]changepoint.Series{s}, changepoint.Sequential, changepoint.Default()).Series[0]
}

func ratio(a, b int) float64 { return float64(a) / float64(max(b, 1)) }

// joint prints what a user's other series add.
func joint(w io.Writer, seed uint64, draws int) {
	for _, share := range []float64{.7, 0} {
		var alone, together draw.Score
		for i := range draws {
			r := source(seed, i, 2)
			for q := range 30 {
				shapes := draw.DrawUserHistories(r, fmt.Sprintf("u%d", q), share)
				add(&together, shapes)
				for s := range shapes {
					shapes[s].User = ""
				}
				add(&alone, shapes)
			}
		}
		for _, t := range []struct {
			name string
			s    draw.Score
		}{{"alone", alone}, {"together", together}} {
			fmt.Fprintf(w, "joint: share %.1f, %-8s recall %.3f of %d, z 3.5 to 7 %.3f of %d, false per 1000 %.2f of %d runs\n",
				share, t.name,
				t.s.Recall(), t.s.Asked, ratio(t.s.WeakFound, t.s.Weak), t.s.Weak, t.s.FalsePer1000(), t.s.Runs)
		}
	}
}

// add judges histories together and scores them: a change is found within three runs.
func add(s *draw.Score, list []draw.DrawnHistory) changepoint.Analysis {
	series := make([]changepoint.Series, len(list))
	for i, h := range list {
		series[i] = h.Series
	}
	rep := changepoint.Analyse(series, changepoint.Sequential, changepoint.Default())
	for i, h := range list {
		s.Add(h, rep.Series[i].Changes, 3)
	}
	return rep
}

// pairs prints the coverage of paired intervals.
func pairs(w io.Writer, seed uint64, draws int) {
	const apart = .03
	for _, disturbed := range []float64{.06, 0} {
		for _, n := range []int{8, 15, 30} {
			held, sure, width := 0, 0, 0.0
			total := 1000 * draws
			r := source(seed, 0, uint64(3+n))
			for range total {
				a, b := draw.DrawPair(r, n, .04, .015, disturbed, math.Log1p(apart))
				c := pair.Compare(a.Series, b.Series, pair.JoinDay)
				if *c.LoPct <= 100*apart && 100*apart <= *c.HiPct {
					held++
				}
				if c.Significant {
					sure++
				}
				width += (*c.HiPct - *c.LoPct) / float64(total)
			}
			fmt.Fprintf(w, "pairs: %2d pairs, disturbed %.2f: coverage %.4f of .99, width %s, power %.2f, %d draws\n",
				n, disturbed, ratio(held, total), quantity.Percent(width), ratio(sure, total), total)
		}
	}
}

// machine prints what other series of the machine add.
func machine(w io.Writer, seed uint64, draws int) {
	for _, shuffled := range []bool{false, true} {
		var with, without draw.Score
		events, spells := 0, 0
		for i := range draws {
			r := source(seed, i, 4)
			list, slow := draw.DrawCampaign(r, 16, shuffled)
			rep := add(&with, list)
			spells += len(slow)
			events += len(rep.Machine)
			for s := range list {
				list[s].Start = nil
			}
			add(&without, list)
		}
		fmt.Fprintf(w, "machine: shuffled %t: with start recall %.3f of %d, false per 1000 %.2f; without %.3f, %.2f; %d "+
			"machine events for %d spells\n",
			shuffled, with.Recall(), with.Asked, with.FalsePer1000(), without.Recall(), without.FalsePer1000(), events, spells)
	}
}

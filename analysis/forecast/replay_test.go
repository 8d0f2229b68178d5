package forecast

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/changepoint/draw"
)

// past is a history that is replayed: values in time order, and for real jobs the requested limit, NaN if it is
// not known.
type past struct {
	changepoint.Series
	limit []float64
}

// tally counts what forecasts of a set of histories did.
type tally struct {
	asked, predicted, inside, few, inputs int
	low, high                             int
	width                                 float64 // sum of the logarithms of hi/lo
	askedS, suggestedS                    float64
	askedOver, suggestedOver              int
}

// replay predicts each run of a history from those before it.
func (y *tally) replay(h past, p Tuning) {
	found := changepoint.Analyse([]changepoint.Series{h.Series}, changepoint.Sequential, changepoint.Default())
	for k, v := range h.Y {
		if !(v > 0) {
			continue
		}
		y.asked++
		f, err := Next(h.Y[:k], Starts(found.Series[0].Changes, k), p)
		switch {
		case errors.Is(err, ErrFewRuns):
			y.few++
			continue
		case err != nil:
			y.inputs++
			continue
		}
		y.predicted++
		lo, hi := f.Interval(p.Level)
		y.width += math.Log(hi / lo)
		switch {
		case v < lo:
			y.low++
		case v > hi:
			y.high++
		default:
			y.inside++
		}
		if k < len(h.limit) && h.limit[k] > 0 {
			s := min(Limit(f), h.limit[k])
			y.askedS, y.suggestedS = y.askedS+h.limit[k], y.suggestedS+s
			if v >= h.limit[k] {
				y.askedOver++
			}
			if v >= s {
				y.suggestedOver++
			}
		}
	}
}

func (y tally) row(name string) string {
	n := float64(max(y.predicted, 1))
	row := fmt.Sprintf("| %s | %d | %d | %.3f | %.3f / %.3f | %.2f | %d / %d |", name, y.asked, y.predicted,
		float64(y.inside)/n, float64(y.low)/n, float64(y.high)/n, math.Exp(y.width/n), y.few, y.inputs)
	if y.askedS == 0 {
		return row + " - | - |"
	}
	return row + fmt.Sprintf(" %.0f -> %.0f h | %d -> %d |", y.askedS/3600, y.suggestedS/3600, y.askedOver,
		y.suggestedOver)
}

// TestReplay is run by hand; MEASURED.md says how. JOBGAIT_REPLAY names a directory with histories: *.jsonl of
// series lines ({"id","t","y"}) and *.csv of jobs (user, name, nodes_req, wallclock_req, start_time, run_time, state).
func TestReplay(t *testing.T) {
	dir := os.Getenv("JOBGAIT_REPLAY")
	if dir == "" {
		t.Skip("run by hand: JOBGAIT_REPLAY names a directory of histories")
	}
	seed := uint64(1)
	if s, err := strconv.ParseUint(os.Getenv("JOBGAIT_SEED"), 10, 64); err == nil {
		seed = s
	}
	fmt.Println("| histories | runs | predicted | inside 95 % | below / above | hi/lo | too few / inputs | limits | " +
		"over |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	sets := map[string][]past{}
	r := rand.New(rand.NewPCG(seed, 44))
	for _, kind := range draw.Kinds() {
		n := 12
		if kind == "short" { // of 18 runs, the others of 100
			n = 72
		}
		for range n {
			sets["drawn, "+kind] = append(sets["drawn, "+kind], past{Series: draw.DrawRecorded(r, kind).Series})
		}
	}
	for range 40 {
		sets["drawn, placed"] = append(sets["drawn, placed"], past{Series: draw.DrawOnRandomNodes(r).Series})
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		list, err := readPast(path)
		if err != nil {
			t.Fatal(err)
		}
		sets[filepath.Base(path)] = list
	}
	var names []string
	for name := range sets {
		names = append(names, name)
	}
	slices.Sort(names)
	var all tally
	shares := map[string]float64{}
	for _, name := range names {
		var y tally
		for _, h := range sets[name] {
			y.replay(h, Default())
			all.replay(h, Default())
		}
		shares[name] = float64(y.inside) / float64(max(y.predicted, 1))
		fmt.Println(y.row(name))
	}
	fmt.Println(all.row("all"))
	for _, name := range names {
		if share := shares[name]; share < 0.92 || share > 0.98 {
			t.Errorf("%s: %.3f of the runs are inside the 95 %% interval, want .92 to .98", name, share)
		}
	}
}

func readPast(path string) ([]past, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	switch filepath.Ext(path) {
	case ".jsonl":
		return readLines(bufio.NewReaderSize(f, 1<<20))
	case ".csv":
		return readJobs(csv.NewReader(f))
	}
	return nil, nil
}

func readLines(in *bufio.Reader) ([]past, error) {
	var list []past
	d := json.NewDecoder(in)
	for d.More() {
		var l struct {
			ID string
			T  []float64
			Y  []float64
		}
		if err := d.Decode(&l); err != nil {
			return nil, err
		}
		list = append(list, past{Series: changepoint.Series{ID: l.ID, T: l.T, Y: l.Y}})
	}
	return list, nil
}

// readJobs groups completed jobs by user, name and nodes, as the history does.
func readJobs(r *csv.Reader) ([]past, error) {
	rows, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	type one struct{ start, run, limit float64 }
	groups := map[string][]one{}
	for _, row := range rows[1:] {
		start, err := time.Parse("2006-01-02 15:04:05", row[at["start_time"]])
		run, failed := strconv.ParseFloat(row[at["run_time"]], 64)
		limit, wrong := strconv.ParseFloat(row[at["wallclock_req"]], 64)
		if err := errors.Join(err, failed, wrong); err != nil {
			continue
		}
		if row[at["state"]] != "COMPLETED" || run < 60 { // shorter runs get no report
			continue
		}
		key := strings.Join([]string{row[at["user"]], row[at["name"]], row[at["nodes_req"]]}, " ")
		groups[key] = append(groups[key], one{float64(start.Unix()), run, limit})
	}
	var list []past
	for key, jobs := range groups {
		slices.SortFunc(jobs, func(a, b one) int { return int(a.start - b.start) })
		h := past{Series: changepoint.Series{ID: key}}
		for _, j := range jobs {
			h.T, h.Y, h.limit = append(h.T, j.start/86400), append(h.Y, j.run), append(h.limit, j.limit)
		}
		list = append(list, h)
	}
	slices.SortFunc(list, func(a, b past) int { return strings.Compare(a.ID, b.ID) })
	return list, nil
}

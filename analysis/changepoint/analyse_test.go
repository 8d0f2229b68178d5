package changepoint_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/note"
)

// noisy is n runs, one a day, around 100 s.
func noisy(n int) changepoint.Series {
	r := rand.New(rand.NewPCG(61, uint64(n)))
	s := changepoint.Series{ID: "noisy"}
	for i := range n {
		s.T, s.Y = append(s.T, float64(i)), append(s.Y, 100*math.Exp(.02*r.NormFloat64()))
	}
	return s
}

func TestBadInput(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name string
		edit func(*changepoint.Series)
		want note.Code
	}{
		{"no runs", func(s *changepoint.Series) { s.T, s.Y = nil, nil }, note.FewRuns},
		{"four runs", func(s *changepoint.Series) { s.T, s.Y = s.T[:4], s.Y[:4] }, note.FewRuns},
		{"all equal", func(s *changepoint.Series) {
			for i := range s.Y {
				s.Y[i] = 7
			}
		}, note.AllEqual},
		{"zeros", func(s *changepoint.Series) { s.Y[3], s.Y[30] = 0, 0 }, note.UnusableValue},
		{"negative", func(s *changepoint.Series) { s.Y[3] = -5 }, note.UnusableValue},
		{"infinite", func(s *changepoint.Series) { s.Y[3] = math.Inf(1) }, note.UnusableValue},
		{"absurd", func(s *changepoint.Series) { s.Y[3] = 1e300 }, note.UnusableValue},
		{"missing", func(s *changepoint.Series) { s.Y[3] = nan }, note.MissingRuns},
		{"no time", func(s *changepoint.Series) { s.T[3] = nan }, note.UnusableValue},
		{"too few times", func(s *changepoint.Series) { s.T = s.T[:40] }, note.UnusableValue},
		{"backwards", func(s *changepoint.Series) {
			for i := range s.T {
				s.T[i] = -s.T[i]
			}
		}, note.Unsorted},
		{"one time", func(s *changepoint.Series) { clear(s.T) }, note.RepeatedTimes},
		{"years apart", func(s *changepoint.Series) {
			for i := range s.T[30:] {
				s.T[30+i] += 3000
			}
		}, note.LongGap},
		{"lists of other lengths", func(s *changepoint.Series) {
			s.Y[2] = nan
			s.Start, s.Nodes = []float64{1}, [][]string{{"a"}}
			s.Meta, s.Also = map[string][]string{"f": {"a"}}, map[string][]float64{"cpu_s": {1}}
		}, note.MissingRuns},
	} {
		for _, m := range []changepoint.Method{changepoint.Sequential, changepoint.Paper} {
			s := noisy(60)
			c.edit(&s)
			rep := changepoint.Analyse([]changepoint.Series{s}, m, changepoint.Default())
			r := rep.Series[0]
			if !has(r.Notes, c.want) {
				t.Errorf("%s, %s: notes %v", c.name, m, r.Notes)
			}
			if m == changepoint.Sequential && len(r.Changes) > 0 {
				t.Errorf("%s: changes %+v", c.name, r.Changes)
			}
			if r.N != len(s.Y) || r.Changes == nil || r.Regimes == nil || r.Outliers == nil || r.SlowNodes == nil ||
				r.Notes == nil || rep.Machine == nil {
				t.Errorf("%s, %s: a list is null: %+v", c.name, m, r)
			}
			if _, err := json.Marshal(rep); err != nil {
				t.Errorf("%s, %s: %v", c.name, m, err)
			}
		}
	}
}

// Indexes are those of the input even if runs were left out or out of order.
func TestIndexes(t *testing.T) {
	s := noisy(80)
	for i := range s.Y {
		if i >= 40 {
			s.Y[i] *= 1.3
		}
	}
	want := judge(s).Changes
	if len(want) != 1 || want[0].Index != 40 {
		t.Fatalf("%+v", want)
	}
	holes := noisy(0)
	for i := range s.Y {
		holes.T, holes.Y = append(holes.T, s.T[i], s.T[i]), append(holes.Y, math.NaN(), s.Y[i])
	}
	if got := judge(holes).Changes; len(got) != 1 || got[0].Index != 81 ||
		got[0].DetectedIndex != 2*want[0].DetectedIndex+1 {
		t.Errorf("with every second run missing: %+v", got)
	}
	back := changepoint.Series{}
	for i := range s.Y {
		back.T, back.Y = append(back.T, s.T[79-i]), append(back.Y, s.Y[79-i])
	}
	if got := judge(back).Changes; len(got) != 1 || got[0].Index != 39 || got[0].T != 40 {
		t.Errorf("from the newest to the oldest: %+v", got)
	}
}

// Extremes must not become infinite numbers, which have no JSON.
func TestExtremes(t *testing.T) {
	s := noisy(60)
	for i := range s.Y {
		if i >= 30 {
			s.Y[i] *= 1e90
		}
	}
	for _, m := range []changepoint.Method{changepoint.Sequential, changepoint.Paper} {
		if _, err := json.Marshal(changepoint.Analyse([]changepoint.Series{s}, m, changepoint.Default())); err != nil {
			t.Errorf("%s: %v", m, err)
		}
	}
}

func TestExpected(t *testing.T) {
	s := noisy(60)
	for i := range s.Y {
		if i >= 30 {
			s.Y[i] *= 1.06
		}
	}
	rep := changepoint.Analyse([]changepoint.Series{s, noisy(50)}, changepoint.Sequential, changepoint.Default())
	want := changepoint.ExpectedByChance(rep.Series)
	if rep.Expected != want || want < 0 || want > 1 {
		t.Errorf("expected by chance %v, want %v", rep.Expected, want)
	}
}

// Many short series with starts, nodes, owners and metrics, from any bytes.
func FuzzTogether(f *testing.F) {
	f.Add([]byte("one two three four five six seven eight nine ten eleven twelve thirteen fourteen"), true)
	f.Add(make([]byte, 200), false)
	f.Fuzz(func(t *testing.T, data []byte, owned bool) {
		if len(data) > 160 {
			return
		}
		list := make([]changepoint.Series, 8)
		for i, b := range data {
			s := &list[i%8]
			s.T = append(s.T, float64(i/8)+float64(b%16)/8)
			s.Y = append(s.Y, math.Exp(float64(b)/32))
			s.Start = append(s.Start, float64(i)*100+float64(b%3)*500)
			s.Nodes = append(s.Nodes, []string{fmt.Sprint(b % 3), fmt.Sprint(b % 7)})
			if s.Also == nil {
				s.Also = map[string][]float64{}
			}
			s.Also["cpu_s"] = append(s.Also["cpu_s"], float64(b)-9)
			s.Also["step_s"] = append(s.Also["step_s"], float64(b%9))
		}
		for i := range list {
			list[i].ID = fmt.Sprint(i)
			if owned {
				list[i].User = fmt.Sprint(i % 2)
			}
		}
		if _, err := json.Marshal(changepoint.Analyse(list, changepoint.Sequential, changepoint.Default())); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzAnalyse(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8}, true)
	f.Add([]byte{200, 200, 200, 200, 200, 200, 100, 100, 100, 100, 100, 100, 100}, false)
	f.Fuzz(func(t *testing.T, data []byte, days bool) {
		if len(data) > 300 {
			return
		}
		s := changepoint.Series{ID: "f", Meta: map[string][]string{}}
		for i, b := range data {
			y := math.Exp(float64(b)/8 - 16)
			if b == 255 {
				y = math.NaN()
			}
			s.Y = append(s.Y, y)
			s.T = append(s.T, float64(int(b)%9*i)/3)
			s.Meta["f"] = append(s.Meta["f"], fmt.Sprint(b%4))
			s.Nodes = append(s.Nodes, []string{fmt.Sprint(b % 5)})
		}
		if !days {
			s.T = nil
		}
		for _, m := range []changepoint.Method{changepoint.Sequential, changepoint.Paper} {
			rep := changepoint.Analyse([]changepoint.Series{s}, m, changepoint.Default())
			if _, err := json.Marshal(rep); err != nil {
				t.Fatal(err)
			}
			for _, c := range rep.Series[0].Changes {
				if c.Index < 0 || c.Index >= len(data) || c.FirstIndex < 0 || c.LastIndex >= len(data) {
					t.Fatalf("%+v of %d runs", c, len(data))
				}
			}
		}
	})
}

// The cost of a run must not grow with the history: figures per 100 runs.
func BenchmarkAnalyse(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		s := noisy(n)
		for i := range s.Y {
			s.Y[i] *= 1 + .1*float64(i/150%2)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				judge(s)
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e5/float64(n)/float64(b.N), "ms/100runs")
		})
	}
}

func BenchmarkPaper(b *testing.B) {
	s := noisy(100)
	for b.Loop() {
		changepoint.Analyse([]changepoint.Series{s}, changepoint.Paper, changepoint.Default())
	}
}

func has(notes []note.Note, code note.Code) bool {
	for _, n := range notes {
		if n.Code == code {
			return true
		}
	}
	return false
}

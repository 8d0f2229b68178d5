package profiletest_test

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"jobgait/agent/profile"
	"jobgait/agent/profile/profiletest"
	"jobgait/analysis/series"
)

// load writes a profile and reads it back as series.
func load(t *testing.T, o profiletest.SyntheticRun) series.Set {
	t.Helper()
	path := filepath.Join(t.TempDir(), "profile.jgp")
	if err := profiletest.Write(path, o); err != nil {
		t.Fatal(err)
	}
	l, err := profile.Load(path)
	if err != nil || l.Damage != (profile.Damage{}) || (l.Footer != nil) != o.Seal {
		t.Fatal(l.Damage, l.Footer, err)
	}
	q := l.Quality
	if l.Header.Node != "n1" || q.Samples != int64(math.Round(200*o.Seconds)) || q.Missing != 0 || len(l.Totals) == 0 {
		t.Fatalf("%+v %+v %+v", l.Header, q, l.Totals)
	}
	return l.Set
}

// likeness is the autocorrelation of a column at a lag, behind the start-up.
func likeness(t *testing.T, set series.Set, name string, lagS float64) float64 {
	t.Helper()
	c, ok := set.Column(name)
	if !ok {
		t.Fatalf("no column %s", name)
	}
	v := c.Values[int(1.2/set.StepS):]
	lag := int(math.Round(lagS / set.StepS))
	var mean, top, bottom float64
	for _, x := range v {
		mean += float64(x) / float64(len(v))
	}
	for i, x := range v {
		bottom += (float64(x) - mean) * (float64(x) - mean)
		if i+lag < len(v) {
			top += (float64(x) - mean) * (float64(v[i+lag]) - mean)
		}
	}
	return top / bottom
}

func TestPeriod(t *testing.T) {
	set := load(t, profiletest.SyntheticRun{Seconds: 20.5, PeriodS: 0.5, Seal: true})
	for _, name := range []string{"busy_cpus", "code:kernel", "llc_misses", "ipc"} {
		at, between := likeness(t, set, name, 0.5), likeness(t, set, name, 0.25)
		if at < 0.4 || between > at/2 {
			t.Errorf("%s: likeness %.2f at the period, %.2f at half of it", name, at, between)
		}
	}
}

func TestNoPeriod(t *testing.T) {
	set := load(t, profiletest.SyntheticRun{Seconds: 20})
	for _, lag := range []float64{0.25, 0.5, 1} {
		if r := likeness(t, set, "busy_cpus", lag); math.Abs(r) > 0.1 {
			t.Errorf("likeness %.2f at %g s", r, lag)
		}
	}
}

func TestNoAddresses(t *testing.T) {
	set := load(t, profiletest.SyntheticRun{Seconds: 3, PeriodS: 0.5, AddressHz: -1})
	if _, ok := set.Column("busy_cpus"); ok {
		t.Error("busy CPUs without code addresses")
	}
}

// The same seed gives the same file, another seed another.
func TestSeed(t *testing.T) {
	dir := t.TempDir()
	files := make([][]byte, 3)
	for i, seed := range []uint64{1, 1, 2} {
		path := filepath.Join(dir, string(rune('a'+i)))
		if err := profiletest.Write(path, profiletest.SyntheticRun{Seconds: 2, PeriodS: 0.3, Seed: seed}); err != nil {
			t.Fatal(err)
		}
		files[i], _ = os.ReadFile(path)
	}
	if !reflect.DeepEqual(files[0], files[1]) || reflect.DeepEqual(files[0], files[2]) {
		t.Error("seeds")
	}
	if err := profiletest.Write(filepath.Join(dir, "a"), profiletest.SyntheticRun{Seconds: 1}); err == nil {
		t.Error("wrote over a profile")
	}
}

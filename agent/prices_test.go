package main

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/kernel"
	"jobgait/agent/counter/perf"
	"jobgait/agent/selfcheck"
)

func TestStoredMeasurementIsUsed(t *testing.T) {
	h := host{proc: "/proc", sys: "/sys", open: perf.Open}
	spool := filepath.Join(t.TempDir(), "spool")
	assumed := nodePrices(spool, h)
	want := float64(assumedMetalNS)
	if kernel.Virtual(h.proc, h.sys) {
		want = assumedVirtualNS
	}
	if assumed.from != "assumed" || assumed.interruptNS != want {
		t.Errorf("without a measurement: %+v", assumed)
	}
	r := selfcheck.Result{CostNS: selfcheck.Interval{Value: 5000, Lo: 4000, Hi: 6500}, Pairs: 30, Level: 0.95}
	if err := keepMeasured(r, spool); err != nil {
		t.Fatal(err)
	}
	if p := nodePrices(spool, h); p.from != "measured" || p.interruptNS != 5000 {
		t.Errorf("with a measurement: %+v", p)
	}
	st, err := os.Stat(measuredFile(spool))
	if err != nil || st.Mode().Perm() != 0o644 {
		t.Errorf("file %v, %v", st, err)
	}
	entries, err := os.ReadDir(spool)
	if err != nil || len(entries) != 1 {
		t.Errorf("spool has %v, %v", entries, err)
	}
	// Noise is not stored, and leaves what there is.
	for _, noisy := range []selfcheck.Interval{{Value: 5000, Lo: -100, Hi: 9000}, {Value: 5000, Lo: 4000, Hi: 20_000}, {Value: 10, Lo: 9, Hi: 11}, {}} {
		if err := keepMeasured(selfcheck.Result{CostNS: noisy}, spool); !errors.Is(err, errNoisy) {
			t.Errorf("%+v: %v", noisy, err)
		}
	}
	if p := nodePrices(spool, h); p.from != "measured" {
		t.Errorf("after noise: %+v", p)
	}
}

// A measurement of another machine or kernel, one that anybody may have written,
// and one that makes no sense are not believed.
func TestForeignMeasurements(t *testing.T) {
	h := host{proc: "/proc", sys: "/sys", open: perf.Open}
	good := measured{InterruptNS: 5000, CILoNS: 4000, CIHiNS: 6000, CPUModel: kernel.CPUModel(h.proc), Kernel: release()}
	for name, spoil := range map[string]func(path string, m *measured){
		"":                nil,
		"another kernel":  func(_ string, m *measured) { m.Kernel = "2.6.32" },
		"another machine": func(_ string, m *measured) { m.CPUModel = "abacus" },
		"too good":        func(_ string, m *measured) { m.InterruptNS, m.CILoNS, m.CIHiNS = 1, 1, 1 },
		"no interval":     func(_ string, m *measured) { m.CIHiNS = 60_000 },
		"not a number":    func(_ string, m *measured) { m.InterruptNS = math.MaxFloat64 },
	} {
		path := measuredFile(t.TempDir())
		m := good
		if spoil != nil {
			spoil(path, &m)
		}
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		if p := nodePrices(filepath.Dir(path), h); (p.from == "measured") != (spoil == nil) {
			t.Errorf("%q: %+v", name, p)
		}
	}
	for name, spoil := range map[string]func(path string) error{
		"everybody's": func(path string) error { return os.Chmod(path, 0o666) },
		"a link": func(path string) error {
			return errors.Join(os.Rename(path, path+".real"), os.Symlink(path+".real", path))
		},
		"a pipe":    func(path string) error { return errors.Join(os.Remove(path), unix.Mkfifo(path, 0o644)) },
		"not JSON":  func(path string) error { return os.WriteFile(path, []byte("{"), 0o644) },
		"too large": func(path string) error { return os.Truncate(path, 1<<20) },
		"another's": func(path string) error {
			if os.Getuid() != 0 {
				return os.Remove(path)
			}
			return os.Chown(path, 65534, 65534)
		},
	} {
		path := measuredFile(t.TempDir())
		text, _ := json.Marshal(good)
		if err := errors.Join(os.WriteFile(path, text, 0o644), spoil(path)); err != nil {
			t.Fatal(err)
		}
		if name == "another's" && os.Getuid() == 0 {
			// Root believes root's and its own only.
			if _, err := readMeasured(path); !errors.Is(err, errForeign) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if p := nodePrices(filepath.Dir(path), h); p.from != "assumed" {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func FuzzParseMeasured(f *testing.F) {
	f.Add([]byte(`{"interrupt_ns":5000,"ci_lo_ns":4000,"ci_hi_ns":6000}`))
	f.Add([]byte(`{"interrupt_ns":1e400}`))
	f.Add([]byte("{"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := parseMeasured(text)
		if err == nil && m.usable() && !(m.InterruptNS >= 100 && m.InterruptNS <= 1e6) {
			t.Fatalf("%+v", m)
		}
	})
}

func TestShowsAMeasurement(t *testing.T) {
	r := selfcheck.Result{Schema: selfcheck.Schema, CostNS: selfcheck.Interval{Value: 5000, Lo: 4000, Hi: 6500}, Slowdown: []selfcheck.Slowdown{}}
	var text, asJSON strings.Builder
	if err := errors.Join(show(r, false, &text), show(r, true, &asJSON)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "5.00 us") || strings.Count(text.String(), "\n") != 1 {
		t.Errorf("says %q", text.String())
	}
	var again selfcheck.Result
	if err := json.Unmarshal([]byte(asJSON.String()), &again); err != nil || again.CostNS != r.CostNS {
		t.Errorf("%v: %s", err, asJSON.String())
	}
}

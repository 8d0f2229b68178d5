package profile

import (
	"path/filepath"
	"slices"
	"testing"

	"jobgait/analysis/anatomy"
)

// Windows come out with their GPU, in the order of time and in seconds since the run began;
// those that are not later than the one before are left out.
func TestWindows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.jgp")
	w, err := Create(path, Header{StepNS: 5e6, BaseNS: 50e9, RunNS: 48e9})
	if err != nil {
		t.Fatal(err)
	}
	many := GPUWindows{GPU: 1}
	for i := range int64(maxFrameWindows + 3) {
		many.EndNS, many.Percent = append(many.EndNS, 51e9+i*2e8), append(many.Percent, uint8(i%101))
	}
	for _, list := range [][]GPUWindows{
		{{GPU: 0, EndNS: []int64{49e9, 49_200_000_000}, Percent: []uint8{0, 100}}, many},
		{{GPU: 0, EndNS: []int64{49_200_000_000, 49_400_000_000}, Percent: []uint8{1, 25}}},
	} {
		if err := w.WriteWindows(list); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Seal(Footer{}); err != nil {
		t.Fatal(err)
	}
	l, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Windows) != 2 || !slices.Equal(l.Windows[0],
		[]anatomy.Window{{EndS: 1}, {EndS: 1.2, Mean: 1}, {EndS: 1.4, Mean: .25}}) {
		t.Fatalf("windows %v", l.Windows)
	}
	if got := l.Windows[1]; len(got) != maxFrameWindows+3 || got[1] != (anatomy.Window{EndS: 3.2, Mean: .01}) {
		t.Errorf("%d windows, %v", len(got), got[1])
	}
}

func FuzzWindows(f *testing.F) {
	f.Add(GPUWindows{GPU: 3, EndNS: []int64{1e9, 12e8}, Percent: []uint8{0, 100}}.appendPayload(nil, 5e8))
	f.Fuzz(func(t *testing.T, payload []byte) {
		gpu, ends, percent, ok := decodeWindows(payload)
		if !ok {
			return
		}
		if len(ends) != len(percent) || len(ends) == 0 || !slices.IsSorted(ends) || gpu < 0 || gpu > maxGPU ||
			slices.Max(percent) > 100 {
			t.Errorf("GPU %d, %d ends, %d means", gpu, len(ends), len(percent))
		}
	})
}

package profile

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/series"
)

// binned writes blocks of 200 slots that have these bins only, and returns the file.
func binned(t testing.TB, rates []Epoch, blocks ...Block) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.jgp")
	w, err := Create(path, Header{StepNS: 5e6, BaseNS: 2e9, RunNS: 1e9, AddressHz: 1000, Scope: "job"})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, e := range rates {
		if err := w.WriteEpoch(e); err != nil {
			t.Fatal(err)
		}
	}
	for _, b := range blocks {
		b.N, b.Samples = 200, make([]uint32, 200)
		for i := range b.Samples {
			b.Samples[i] = 5
		}
		if err := w.Append(b); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// order are bins of one sample each, of which places gives the place; five ended in
// each slot.
func order(first int64, n int, at func(i int) (key uint64, part anatomy.PagePart)) Block {
	b := Block{First: first, Bins: Bins{SamplesPerBin: 1, EndsPerSlot: make([]uint16, 200)}}
	index := map[place]int{}
	for i := range n {
		key, part := at(i)
		k, ok := index[place{key, part}]
		if !ok {
			k = len(b.Bins.Columns)
			index[place{key, part}] = k
			b.Bins.Columns = append(b.Bins.Columns, PlaceCount{PageCount{key, make([]uint16, n)}, part})
		}
		b.Bins.Columns[k].Counts[i] = 1
		b.Bins.EndsPerSlot[i/5]++
	}
	return b
}

func values(t *testing.T, c CPUTimeCode, name string) []float32 {
	t.Helper()
	column, ok := c.Set.Column(name)
	if !ok {
		t.Fatalf("no column %s", name)
	}
	return column.Values
}

func loadCPU(t *testing.T, path string) CPUTimeCode {
	t.Helper()
	l, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if l.Damage.Text != "" {
		t.Fatalf("damage: %+v", l.Damage)
	}
	return l.CPU
}

func TestBinsComeBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var drawn []place
	draw := func(int) (uint64, anatomy.PagePart) {
		p := place{uint64(100 + r.IntN(3)), 0}
		if p.key == 101 {
			p.part = anatomy.PagePart(r.IntN(2) * 4) // a block, or the rest of the page
		}
		drawn = append(drawn, p)
		return p.key, p.part
	}
	c := loadCPU(t, binned(t, nil, order(0, 1000, draw), order(200, 1000, draw)))
	if c.Set.StepS != 0.001 || c.Set.Len() != 2000 || len(c.WallS) != 2001 {
		t.Fatalf("%d samples of %g s, %d times", c.Set.Len(), c.Set.StepS, len(c.WallS))
	}
	page, block, other := values(t, c, "code:0000000000000065"), values(t, c, "code:0000000000000065+300"),
		values(t, c, "code:other")
	for i, p := range drawn {
		if (page[i] == 1) != (p.key == 101) || (block[i] == 1) != (p.part == 4) || other[i] != 0 {
			t.Fatalf("sample %d: page %g, block %g, other %g, drawn %v", i, page[i], block[i], other[i], p)
		}
		if want := 1 + float64(i)/1000; math.Abs(c.WallS[i]-want) > 1e-9 {
			t.Fatalf("sample %d began at %g s, not %g", i, c.WallS[i], want)
		}
	}
}

// The set in which periods are searched has the bins in addition, with each sample in one column.
func TestASetHasItsBins(t *testing.T) {
	path := binned(t, nil, order(0, 1000, func(i int) (uint64, anatomy.PagePart) {
		return 100, anatomy.PagePart(i % 2 * 4)
	}))
	l, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	sets := l.Set.On(series.CPU)
	if len(sets) != 1 || sets[0].SlotS != 0.001 || len(sets[0].WallS) != sets[0].Len()+1 {
		t.Fatalf("%+v", sets)
	}
	page, block := values(t, CPUTimeCode{Set: sets[0]}, "code:0000000000000064"),
		values(t, CPUTimeCode{Set: sets[0]}, "code:0000000000000064+300")
	for i := range page {
		if page[i]+block[i] != 1 || values(t, l.CPU, "code:0000000000000064")[i] != 1 {
			t.Fatalf("sample %d is %v times in the page, %v times in its block", i, page[i], block[i])
		}
	}
}

// At half the rate a sample represents twice the CPU time.
func TestBinsAtTwoRates(t *testing.T) {
	half := 500.0
	one := func(int) (uint64, anatomy.PagePart) { return 100, 0 }
	path := binned(t, []Epoch{{Slot: 200, Kind: "rate", AddressHz: &half}}, order(0, 1000, one), order(200, 1000, one))
	c := loadCPU(t, path)
	if c.Set.StepS != 0.002 || c.Set.Len() != 1500 {
		t.Fatalf("%d samples of %g s", c.Set.Len(), c.Set.StepS)
	}
	for i, v := range values(t, c, "code:0000000000000064") {
		if v != 2 {
			t.Fatalf("sample %d: %g", i, v)
		}
	}
}

// A gap breaks one sample, and wall time jumps over it there.
func TestAGapInBins(t *testing.T) {
	one := func(int) (uint64, anatomy.PagePart) { return 100, 0 }
	c := loadCPU(t, binned(t, nil, order(0, 1000, one), order(600, 1000, one)))
	v := values(t, c, "code:0000000000000064")
	if len(v) != 2001 || v[999] != 1 || v[1000] == v[1000] || v[1001] != 1 {
		t.Fatalf("%d samples, around the gap %g", len(v), v[999:1002])
	}
	if c.WallS[1000] > 2.0001 || math.Abs(c.WallS[1001]-4) > 1e-9 {
		t.Errorf("the gap is from %g to %g s", c.WallS[1000], c.WallS[1001])
	}
}

// The bins of a long run are merged, and their samples stay what they were.
func TestManyBinsAreMerged(t *testing.T) {
	s := binSurvey{bytes: 1 << 40}
	for i := range int64(3600) {
		s.runs = append(s.runs, binRun{i * 200, 1, 1000})
	}
	if step := s.stepNS(rates{{0, 1000}}, 19); step != 4e6 {
		t.Errorf("an hour has steps of %d ns", step)
	}
}

// A frame of bins whose checksum is right and whose last column is cut adds nothing: the counts of its first columns
// are those of a profile in which the whole frame is unreadable.
func TestMalformedBinsAddNothing(t *testing.T) {
	frame := func(i int) (uint64, anatomy.PagePart) { return uint64(100 + i%2), 0 }
	file, err := os.ReadFile(binned(t, nil, order(0, 999, frame), order(200, 999, frame), order(400, 999, frame)))
	if err != nil {
		t.Fatal(err)
	}
	second := bytes.Index(file, []byte(magic+"C")) + 1
	second += bytes.Index(file[second:], []byte(magic+"C"))
	length, _ := frameLength(file[second:])
	reader, err := newBlockDecoder()
	if err != nil {
		t.Fatal(err)
	}
	load := func(keep func(body []byte) int) CPUTimeCode {
		payload := bytes.Clone(file[second+frameSize : second+length])
		var h binsHead
		if err := h.readHead(payload); err != nil {
			t.Fatal(err)
		}
		body, err := reader.inflate(h.body, h.flags)
		if err != nil {
			t.Fatal(err)
		}
		payload[0] &^= flagZstd
		payload = append(payload[:len(payload)-len(h.body)], body[:keep(body)]...)
		damaged := append(openFrame(nil), payload...)
		sealFrame(damaged, binsFrame)
		l, err := LoadStream(bytes.NewReader(slices.Concat(file[:second], damaged, file[second+length:])))
		if err != nil {
			t.Fatal(err)
		}
		return l.CPU
	}
	cut, unreadable := load(func(body []byte) int { return len(body) - 1 }), load(func([]byte) int { return 0 })
	for _, name := range []string{"code:0000000000000064", "code:0000000000000065"} {
		got, want := values(t, cut, name), values(t, unreadable, name)
		if len(got) != len(want) || len(got) < 1998 {
			t.Fatalf("%s: %d samples, want %d", name, len(got), len(want))
		}
		for i := range got {
			if got[i] != want[i] && !(math.IsNaN(float64(got[i])) && math.IsNaN(float64(want[i]))) {
				t.Fatalf("%s: sample %d is %g, want %g", name, i, got[i], want[i])
			}
		}
	}
}

func FuzzBins(f *testing.F) {
	path := binned(f, nil, order(0, 1000, func(i int) (uint64, anatomy.PagePart) {
		return uint64(3 + i%7), anatomy.PagePart(i % 2)
	}))
	file, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	at := bytes.Index(file, []byte(magic+"C"))
	n, _ := frameLength(file[at:])
	f.Add(file[at+frameSize : at+n])
	header := file[:bytes.Index(file, []byte(magic+"B"))]
	f.Fuzz(func(t *testing.T, payload []byte) {
		frame := append(openFrame(nil), payload...)
		sealFrame(frame, binsFrame)
		l, err := LoadStream(bytes.NewReader(append(bytes.Clone(header), frame...)))
		if err != nil {
			t.Fatal(err)
		}
		n := l.CPU.Set.Len()
		if n > 0 && len(l.CPU.WallS) != n+1 {
			t.Fatalf("%d samples, %d times", n, len(l.CPU.WallS))
		}
		for i := 1; i < len(l.CPU.WallS); i++ {
			if !(l.CPU.WallS[i] >= l.CPU.WallS[i-1]) {
				t.Fatalf("time goes back: %g", l.CPU.WallS[i-1:i+1])
			}
		}
		for _, c := range l.CPU.Set.Columns {
			if len(c.Values) != n || !strings.HasPrefix(c.Name, "code:") {
				t.Fatalf("column %s has %d of %d", c.Name, len(c.Values), n)
			}
		}
	})
}

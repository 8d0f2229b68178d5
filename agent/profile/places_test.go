package profile

import (
	"path/filepath"
	"reflect"
	"testing"

	"jobgait/analysis/series"
)

func somePlaces() Places {
	return Places{Kernel: 7, Anonymous: 300, Lost: 1, Files: []PlaceFile{
		{Key: 1 << 63, Build: "0aff", Name: "liblammps.so.0", Places: []Place{{0, 1}, {1, 1 << 40}, {1 << 47, 2}}},
		{Key: 5, Name: "a b", Places: []Place{{9, 3}}},
	}}
}

func TestPlacesComeBack(t *testing.T) {
	want := somePlaces()
	if got, ok := decodePlaces(want.appendPayload(nil)); !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, ok)
	}
	path := filepath.Join(t.TempDir(), "p.jgp")
	w, err := Create(path, Header{StepNS: 5e6})
	if err != nil {
		t.Fatal(err)
	}
	w.WritePlaces(Places{Kernel: 1})
	w.WritePlaces(want)
	if err := w.Seal(Footer{}); err != nil {
		t.Fatal(err)
	}
	w.WritePlaces(Places{}) // after the seal nothing is written
	w.Close()
	l, err := Load(path)
	if err != nil || l.Damage.BlocksBad > 0 || !reflect.DeepEqual(l.Places, want) {
		t.Errorf("%+v, %+v, %v", l.Places, l.Damage, err)
	}
}

// Names in a profile are clean text, whichever program wrote them.
func TestNamesOfPlacesAreClean(t *testing.T) {
	p := Places{Files: []PlaceFile{{Name: "x\x1b[31m\n", Places: []Place{{1, 1}}}}}
	got, ok := decodePlaces(p.appendPayload(nil))
	if !ok || got.Files[0].Name == p.Files[0].Name {
		t.Errorf("%+v, %v", got, ok)
	}
}

func FuzzPlaces(f *testing.F) {
	f.Add(somePlaces().appendPayload(nil))
	f.Add(Places{}.appendPayload(nil))
	f.Add([]byte{0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, b []byte) {
		p, ok := decodePlaces(b)
		if !ok {
			return
		}
		n := 0
		for _, f := range p.Files {
			n += len(f.Places)
			for i, x := range f.Places {
				if i > 0 && x.Index <= f.Places[i-1].Index || x.Index > maxPlace || x.Hits > maxHits {
					t.Fatalf("%+v", f)
				}
			}
		}
		if n > MaxStoredPlaces {
			t.Fatalf("%d places", n)
		}
		// What was read is written and read as the same, but for names that had to be cleaned.
		if again, ok := decodePlaces(p.appendPayload(nil)); !ok || !reflect.DeepEqual(again, p) {
			t.Fatalf("%+v, %+v", p, again)
		}
	})
}

// Pages of waiting libraries are identified by the names of their files, and with them the blocks into which
// they were split.
func TestPagesOfWaiting(t *testing.T) {
	p := Places{Files: []PlaceFile{
		{Key: 1, Name: "libmpi.so.40", Places: []Place{{Index: 0x123}, {Index: 0x456}}},
		{Key: 2, Name: "lmp", Places: []Place{{Index: 0x123}}},
	}}
	column := func(file, at uint64, block string) series.Column {
		return series.Column{Name: PageName(PageKey(file, at*PlaceBytes)) + block}
	}
	columns := []series.Column{column(1, 0x123, ""), column(1, 0x100, ""), column(1, 0x456, "+300"), column(2, 0x123, ""),
		{Name: series.OtherCode}, {Name: "busy_cpus"}}
	p.markWaiting(columns)
	for i, want := range []bool{true, true, true, false, false, false} {
		if columns[i].Waits != want {
			t.Errorf("%s: %v", columns[i].Name, columns[i].Waits)
		}
	}
}

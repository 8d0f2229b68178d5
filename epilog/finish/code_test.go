package finish

import (
	"path/filepath"
	"slices"
	"testing"

	"jobgait/agent/names"
	"jobgait/agent/profile"
	"jobgait/analysis/anatomy"
	"jobgait/analysis/note"
)

// Places become functions according to the answers for their files. Code of which only the bounds are known is
// one function, and code without an answer is one function of its library.
func TestFunctionsOfPlaces(t *testing.T) {
	l := profile.LoadedProfile{Places: profile.Places{Kernel: 5, Anonymous: 3, Files: []profile.PlaceFile{
		{Key: 7, Build: "aa", Name: "app",
			Places: []profile.Place{{Index: 16, Hits: 10}, {Index: 17, Hits: 1}, {Index: 20, Hits: 4}, {Index: 21, Hits: 5}}},
		{Key: 8, Build: "bb", Name: "libm.so.6", Places: []profile.Place{{Index: 1, Hits: 2}, {Index: 900, Hits: 2}}},
		{Key: 9, Build: "cc", Name: "app", Places: []profile.Place{{Index: 1, Hits: 1}}}, // another build of it, for a moment
	}}}
	var known names.KnownFunctions
	known.Add(7, names.Answer{Functions: []names.Function{{Start: 0x100, End: 0x120, Name: "a", Source: names.Symtab},
		{Start: 0x140, End: 0x160, Source: names.Frames}}})
	absent := filepath.Join(t.TempDir(), "absent")
	c := codeSamples(absent, l, known)
	if c == nil || c.Builds["app"] != "aa" || c.Builds["libm.so.6"] != "bb" {
		t.Fatalf("%+v", c)
	}
	hits := map[anatomy.Function]int64{}
	for _, p := range c.HotAddresses {
		hits[c.Functions[p.Function]] += p.Count
	}
	for f, want := range map[anatomy.Function]int64{
		{Library: anatomy.KernelCode}: 5, {Library: anatomy.NoFile}: 3, {Library: "app", Name: "a"}: 11,
		{Library: "app", Start: 0x140}: 9,
		{Library: "app"}:               1, {Library: "libm.so.6"}: 4,
	} {
		if hits[f] != want {
			t.Errorf("%+v: %d hits, want %d", f, hits[f], want)
		}
		delete(hits, f)
	}
	if len(hits) > 0 {
		t.Errorf("%v", hits)
	}
	if c.HotAddresses[2].Page != profile.PageKey(7, 0x100) {
		t.Errorf("a place in page %x", c.HotAddresses[2].Page)
	}
	if codeSamples(absent, profile.LoadedProfile{}, known) != nil {
		t.Error("a profile without places has code")
	}
}

// The reason why code has no names is reported if it concerns enough code.
func TestNotesOfNames(t *testing.T) {
	p := profile.Places{Lost: 2, Anonymous: 20, Files: []profile.PlaceFile{
		{Key: 1, Name: "replaced", Places: []profile.Place{{Hits: 30}}},
		{Key: 2, Name: "secret", Places: []profile.Place{{Hits: 30}}},
		{Key: 3, Name: "fine", Places: []profile.Place{{Hits: 40}}},
	}}
	var known names.KnownFunctions
	for key, why := range map[uint64]names.Reason{1: names.OtherBuild, 2: names.NoFile, 3: ""} {
		known.Add(key, names.Answer{Functions: []names.Function{}, Why: why})
	}
	known.Lost = true
	var codes []note.Code
	for _, n := range codeNotes(p, known) {
		codes = append(codes, n.Code)
		t.Log(n.Text)
	}
	if !slices.Equal(codes, []note.Code{note.FileReplaced, note.NamesPartial, note.CodeMade, note.PlacesLost,
		note.NamesLost}) {
		t.Errorf("%v", codes)
	}
	if got := codeNotes(profile.Places{Files: p.Files[2:]}, names.KnownFunctions{}); got != nil {
		t.Errorf("%v", got)
	}
}

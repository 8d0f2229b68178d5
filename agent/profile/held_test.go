package profile

import (
	"bytes"
	"testing"
)

// held is what is loaded of a profile that is made in memory.
func held(t testing.TB, p *Profile, params columnLimits) LoadedProfile {
	t.Helper()
	l, err := loadStream(bytes.NewReader(imageOf(t, p)), params)
	if err != nil || l.Damage != (Damage{}) {
		t.Fatal(l.Damage, err)
	}
	return l
}

// imageOf is the file of a profile, with nothing rounded.
func imageOf(t testing.TB, p *Profile) []byte {
	t.Helper()
	d := &disk{room: 1 << 30}
	w, err := newWriter(d, "p", p.Header, exact)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range p.Epochs {
		if err := w.WriteEpoch(e); err != nil {
			t.Fatal(err)
		}
	}
	for _, b := range p.Blocks {
		if err := w.Append(b); err != nil {
			t.Fatal(err)
		}
	}
	return d.data
}

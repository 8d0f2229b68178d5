package kernel

import (
	"strings"
	"testing"
)

func TestCPUModel(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"x86":      {"processor\t: 0\nmodel name\t: AMD EPYC 9354\nflags\t: a b\n\nprocessor\t: 1\n", "AMD EPYC 9354"},
		"arm64":    {"processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n\n", "implementer 0x41 part 0xd40"},
		"POWER":    {"processor\t: 0\ncpu\t\t: POWER9\n", "POWER9"},
		"no model": {"processor\t: 0\n\nmodel name\t: of another\n", ""},
		"empty":    {"", ""},
	} {
		if got := parseCPUModel(strings.NewReader(c.text)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

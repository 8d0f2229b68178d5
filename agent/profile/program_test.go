package profile

import "testing"

// The program is the footer's, and of a profile without one that of the last word.
func TestProgram(t *testing.T) {
	told := []Epoch{{Kind: ProgramKind, Text: "bash"}, {Kind: SuspendedKind, Text: "stopped"}, {Kind: ProgramKind, Text: "lmp"}}
	for want, l := range map[string]Loaded{
		"":    {Epochs: told[1:2]},
		"lmp": {Epochs: told},
		"cp2": {Epochs: told, Footer: &Footer{Executable: "cp2"}},
	} {
		if got := l.Program(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

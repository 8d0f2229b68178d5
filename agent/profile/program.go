package profile

// ProgramKind is the kind of an epoch from which on the text names the program that
// used most CPU time: the footer says it in the end, and may never come. A reader that
// does not know it has an epoch without a meaning.
const ProgramKind = "program"

// Program is the base name of the program that used most CPU time, as far as the
// profile reaches; "" is not known.
func (l Loaded) Program() string {
	if l.Footer != nil {
		return l.Footer.Executable
	}
	name := ""
	for _, e := range l.Epochs {
		if e.Kind == ProgramKind {
			name = e.Text
		}
	}
	return name
}

package profile

// ProgramKind is the kind of an epoch from which on the text names the program that
// used most CPU time: the footer says it in the end, and may never come. A reader that
// does not know it has an epoch without a meaning.
const ProgramKind = "program"

// ScriptKind is that of one whose text is what the program interprets.
const ScriptKind = "script"

// Program is the base name of the program that used most CPU time, as far as the
// profile reaches; "" is not known.
func (l Loaded) Program() string {
	if l.Footer != nil {
		return l.Footer.Executable
	}
	return l.told(ProgramKind)
}

// Script is what that program interprets, "" if it is none that does or is not known.
func (l Loaded) Script() string {
	if l.Footer != nil {
		return l.Footer.Script
	}
	return l.told(ScriptKind)
}

// told is the text of the last epoch of a kind.
func (l Loaded) told(kind string) (text string) {
	for _, e := range l.Epochs {
		if e.Kind == kind {
			text = e.Text
		}
	}
	return text
}

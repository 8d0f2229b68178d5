package note

// Why code has no name.
const (
	NamesPartial Code = "names_partial"     // of some files the functions could not be read
	FileReplaced Code = "program_replaced"  // a file is not the one any more that ran
	NamesLost    Code = "names_lost"        // the child that read functions did not come back
	CodeMade     Code = "code_generated"    // much code is in no file: it was made at run time
	PlacesLost   Code = "code_places_limit" // there was more code than is counted by function
)

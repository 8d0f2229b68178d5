package note

// Why code has no name.
const (
	NamesPartial Code = "names_partial"     // the functions of some files could not be read
	FileReplaced Code = "program_replaced"  // a file was replaced after it ran
	NamesLost    Code = "names_lost"        // the child process that reads functions did not answer
	CodeMade     Code = "code_generated"    // much code is in no file: it was generated at run time
	PlacesLost   Code = "code_places_limit" // there was more code than can be counted by function
)

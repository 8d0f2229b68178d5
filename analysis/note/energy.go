package note

// What slow sources could not read.
const (
	ReadFailed Code = "read_failed" // some readings of a slow counter failed
	NeverRead  Code = "never_read"  // a slow counter was announced and never came
)

package note

// What became of a profile while it was written.
const (
	SizeLowered Code = "size_lowered" // the profile had grown too large: samples were merged from then on
)

package note

// What the spread of a history says of it.
const (
	SpreadChanged Code = "spread_changed" // runs scatter more or less than before, whatever their level does
)

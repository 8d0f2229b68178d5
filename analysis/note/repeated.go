package note

// What is said of series of one input.
const (
	RepeatedID Code = "repeated_id" // an earlier series of the input has the same id
)

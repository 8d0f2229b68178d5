package note

// Notes on a file of values that is read as a history. For their order and for unusable values, the codes of
// scaling series are used.
const (
	BadSeries  Code = "bad_series"  // a series could not be read as a history: it is listed without results
	TimeUnit   Code = "time_unit"   // times look like seconds and were read as days
	RepeatedID Code = "repeated_id" // an earlier series of the input has the same id

	// values that are rates, such as MB/s, were converted to times per item
	InvertedRate Code = "inverted_rate"
)

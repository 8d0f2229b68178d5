package note

// What readers of histories found in a file of somebody's numbers. Order and
// unusable values have the codes that they have in a scaling series.
const (
	BadSeries  Code = "bad_series"  // a series could not be read as a history: it is listed without results
	TimeUnit   Code = "time_unit"   // times look like seconds and were read as days
	RepeatedID Code = "repeated_id" // an earlier series of the input has the same id

	// values that are rates, such as MB/s, were turned into times per item
	InvertedRate Code = "inverted_rate"
)

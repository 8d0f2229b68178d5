package reports

// What the texts and pages of the analyses of many runs share with the report
// of one: their look must not drift apart.

// Style is the style sheet of the report's page. Other pages begin with it and
// add what they draw besides.
func Style() string { return pageCSS }

// Hash is how a content security policy names a style sheet or a script.
func Hash(s string) string { return hash(s) }

// Nice replaces what text writes in ASCII by the signs that a browser has.
func Nice(s string) string { return nice(s) }

// Wrap breaks text into lines of at most w columns; a number keeps its unit.
func Wrap(s string, w int) []string { return wrap(s, w) }

// Resample returns the means of n equal parts of values, or values themselves if
// there are no more than n.
func Resample(values []float64, n int) []float64 { return resample(values, n) }

// Spark draws values as one line of characters from lo to hi; NaN is a space.
func Spark(values []float64, lo, hi float64, ascii bool) string { return spark(values, lo, hi, ascii) }

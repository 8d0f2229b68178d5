package changepoint

// Detection is a change in log units, as the bare scan sees it.
type Detection struct {
	Index, Detected int
	First, Last     int // place
	Effect, Lo, Hi  float64
	// Margin is by how many nats the weakest test was passed.
	Margin float64
	// Rate is false alarms per 1000 runs, nil where it is not known.
	Rate *float64
	Kind Kind
}

// Detect scans the logarithms of one history alone, on nothing but its values and days
// (nil: a day for each run): what simulations and calibration need. Programs
// call Analyse, which knows of fields, nodes and other series.
func Detect(x []float64, day []int, p Params) []Detection {
	r := ready{Series: &Series{}, x: x, day: day}
	ev := scan(newKnowledge(&r, nil).history(&r, &fields{}), p).events
	out := make([]Detection, 0, len(ev))
	for _, e := range ev {
		out = append(out, Detection{Index: e.index, Detected: e.detected, First: e.first, Last: e.last,
			Effect: e.effect, Lo: e.lo, Hi: e.hi, Margin: e.strength, Rate: e.rate, Kind: e.kind})
	}
	return out
}

// DetectSpread looks for a change of spread in the logarithms of one history
// alone, as Detect does for changes.
func DetectSpread(x []float64, day []int, p Params) (Spread, bool) {
	sc := scanner{history: history{x: x}, p: p}
	return sc.spreadOf(scan(history{x: x, day: day}, p).events)
}

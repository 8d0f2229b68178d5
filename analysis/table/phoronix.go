package table

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
)

// phoronixFile is the JSON of one result file of the Phoronix Test Suite (result-file-to-json): systems, which are
// runs, by their name, and the results of all systems by test.
type phoronixFile struct {
	Systems map[string]struct {
		Timestamp          string
		User               string
		Hardware, Software map[string]string
	}
	Results map[string]phoronixTest
}

// mostPhoronixFields is the largest number of fields of a system; the suite writes about 30.
const mostPhoronixFields = 200

// phoronixTest is the results of one test with one choice of arguments, by system.
type phoronixTest struct {
	Identifier  string // with the version of the test: results of two versions are not comparable
	AppVersion  string `json:"app_version"`
	Description string
	Scale       string
	Proportion  string // HIB: higher is better, or LIB
	Results     map[string]struct{ Value json.RawMessage }
}

// parsePhoronix returns a series for each test, with a run of each system at the time at which it was tested. ok is
// false if the document has another form, or if a system has more than mostPhoronixFields fields. The fields of a
// system are repeated in each of its runs, so that without this limit a small file would fill the memory.
func parsePhoronix(text []byte) (all []Runs, ok bool) {
	var doc phoronixFile
	if json.Unmarshal(text, &doc) != nil || len(doc.Systems) == 0 {
		return nil, false
	}
	for _, system := range doc.Systems {
		if len(system.Hardware)+len(system.Software) > mostPhoronixFields {
			return nil, false
		}
	}
	for _, key := range slices.Sorted(maps.Keys(doc.Results)) {
		test := doc.Results[key]
		if test.Identifier == "" {
			return nil, false
		}
		all = append(all, doc.runs(test)...)
	}
	return JoinSessions(all), true
}

// runs returns a series of one run for each system that has a number as the result of a test. The series of a system
// without a timestamp is a bad one.
func (doc *phoronixFile) runs(test phoronixTest) []Runs {
	id := test.Identifier
	if test.Description != "" {
		id += " - " + test.Description
	}
	var all []Runs
	for _, name := range slices.Sorted(maps.Keys(test.Results)) {
		var y looseNumber
		if y.UnmarshalJSON(test.Results[name].Value) != nil {
			continue // a graph, or an image
		}
		system := doc.Systems[name]
		if system.Timestamp == "" {
			all = append(all, badRuns(id, "the system "+short(name)+" has no timestamp"))
			continue
		}
		fields := map[string]string{"system": name, "version": test.AppVersion}
		for _, parts := range []map[string]string{system.Hardware, system.Software} {
			for part, text := range parts {
				fields[strings.ToLower(part)] = text
			}
		}
		one := sessionRun(id, test.Scale, float64(y), Moment{Text: system.Timestamp}, fields)
		one.largerIsBetter = test.Proportion == "HIB"
		all = append(all, one)
	}
	return all
}

// errPhoronixSizes is the error for a result file where sizes are wanted.
var errPhoronixSizes = errors.New(
	"the file compares systems and not sizes: write a CSV file with a column for the size " +
		"and one for the value")

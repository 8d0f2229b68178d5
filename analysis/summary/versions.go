package summary

import "encoding/json"

// The names of what is stored, and the versions that are written. Version 0 has the
// same keys; 1 is the first whose readers ask.
const (
	recordName    = "jobgait.node"
	recordVersion = 1
	schemaName    = "jobgait.summary"
	schemaVersion = 1
)

// RecordSchema is the schema of node records, Schema that of a stored summary (the
// job record).
const (
	RecordSchema = recordName + "/1"
	Schema       = schemaName + "/1"
)

// DecodeNode reads the JSON of a node record of this version or the one before, and
// cleans its text. What comes from a place that another account can write is to be
// asked Valid, too.
func DecodeNode(text []byte) (NodeRecord, error) {
	return decode(text, recordName, []reader[NodeRecord]{{recordVersion, readNode}, {recordVersion - 1, readNode}})
}

// DecodeSummary does the same for a summary.
func DecodeSummary(text []byte) (Summary, error) {
	return decode(text, schemaName, []reader[Summary]{{schemaVersion, readSummary}, {schemaVersion - 1, readSummary}})
}

func readNode(text []byte) (NodeRecord, error) {
	var r NodeRecord
	err := json.Unmarshal(text, &r)
	r.Schema = RecordSchema
	return r.Normal(), err
}

func readSummary(text []byte) (Summary, error) {
	var s Summary
	err := json.Unmarshal(text, &s)
	s.Schema = Schema
	clean(&s)
	return s, err
}

package summary

import "encoding/json"

// Names of the stored formats, and the versions that are written. Version 0 has the same keys; from version 1
// on, readers check the version.
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

// DecodeNode reads the JSON of a node record of this version or the one before, and cleans its text. Callers
// check records from places that another account can write with Valid, too.
func DecodeNode(text []byte) (NodeRecord, error) {
	return decode(text, recordName, []reader[NodeRecord]{{recordVersion, readNode}, {recordVersion - 1, readNode}})
}

// DecodeSummary reads the JSON of a summary of this version or the one before, and cleans its text.
func DecodeSummary(text []byte) (Summary, error) {
	return decode(text, schemaName, []reader[Summary]{{schemaVersion, readSummary}, {schemaVersion - 1, readSummary}})
}

// readNode decodes a node record. It sets the newest schema and normalises the record (see NodeRecord.Normal).
func readNode(text []byte) (NodeRecord, error) {
	var r NodeRecord
	err := json.Unmarshal(text, &r)
	r.Schema = RecordSchema
	return r.Normal(), err
}

// readSummary decodes a summary. It sets the newest schema and cleans the texts.
func readSummary(text []byte) (Summary, error) {
	var s Summary
	err := json.Unmarshal(text, &s)
	s.Schema = Schema
	clean(&s)
	return s, err
}

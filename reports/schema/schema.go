// Package schema holds the JSON Schema of the files that jobgait writes for
// other programs. Nothing comes in; the schema goes out as JSON text. Objects
// may hold keys that it does not name: keys are added within a version.
package schema

import _ "embed"

// Report is the schema of a report's JSON form, jobgait.report/1.
//
//go:embed report.schema.json
var Report []byte

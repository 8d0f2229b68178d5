// Package schema holds the JSON Schemas of the files that jobgait writes for other programs, as JSON text.
// Objects may contain keys that the schemas do not list, because keys are added within a version. Notes and
// changes have the same form in all files, that of jobgait.changes/1.
package schema

import _ "embed"

// Report is the schema of a report's JSON form, jobgait.report/1.
//
//go:embed report.schema.json
var Report []byte

// Changes is the schema of jobgait.changes/1.
//
//go:embed changes.schema.json
var Changes []byte

// Compare is the schema of jobgait.compare/1. It refers to Changes.
//
//go:embed compare.schema.json
var Compare []byte

// Periods is the schema of jobgait.periods/1. It refers to Changes.
//
//go:embed periods.schema.json
var Periods []byte

// Scaling is the schema of jobgait.scaling/1. It refers to Changes.
//
//go:embed scaling.schema.json
var Scaling []byte

// Ask is the schema of jobgait.ask/1.
//
//go:embed ask.schema.json
var Ask []byte

// Doctor is the schema of jobgait.doctor/1.
//
//go:embed doctor.schema.json
var Doctor []byte

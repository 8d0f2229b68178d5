package job

import (
	"encoding/json"
	"io"

	"jobgait/reports/text"
)

// JSON writes the report as one object of the schema in schema/, on one line: most of it is lists of samples.
func JSON(w io.Writer, r Report) error {
	return text.JSONError("the report of job "+r.Job.ID, json.NewEncoder(w).Encode(r))
}

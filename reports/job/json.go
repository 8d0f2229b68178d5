package job

import (
	"encoding/json"
	"fmt"
	"io"
)

// JSON writes the report as one object of the schema in schema/, on one line: most of it is lists of samples.
func JSON(w io.Writer, r Report) error {
	if err := json.NewEncoder(w).Encode(r); err != nil {
		return fmt.Errorf("write the JSON report of job %s: %w", r.Job.ID, err)
	}
	return nil
}

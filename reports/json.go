package reports

import (
	"encoding/json"
	"fmt"
	"io"
)

// JSON writes the report as one object of the schema in schema/.
func JSON(w io.Writer, r Report) error {
	b, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return fmt.Errorf("encode report of job %s: %w", r.Job.ID, err)
	}
	// Lists of samples are one line each: indented they would be most of the file.
	if _, err := w.Write(append(packNumbers(b), '\n')); err != nil {
		return fmt.Errorf("write report of job %s: %w", r.Job.ID, err)
	}
	return nil
}

// packNumbers takes the white space out of lists that hold numbers and nulls
// only. Strings are passed over as they are.
func packNumbers(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			end := stringEnd(b, i)
			out = append(out, b[i:end]...)
			i = end - 1
		case '[':
			end := numbersEnd(b, i+1)
			if end < 0 {
				out = append(out, b[i])
				continue
			}
			for _, c := range b[i:end] {
				if c != ' ' && c != '\n' {
					out = append(out, c)
				}
			}
			i = end - 1
		default:
			out = append(out, b[i])
		}
	}
	return out
}

// stringEnd returns the index after the string that begins at i.
func stringEnd(b []byte, i int) int {
	for i++; i < len(b) && b[i] != '"'; i++ {
		if b[i] == '\\' {
			i++
		}
	}
	return min(i+1, len(b))
}

// numbersEnd returns the index after the ']' of a list of numbers whose first
// element is at i, -1 if the list holds anything else.
func numbersEnd(b []byte, i int) int {
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case c == ']':
			return i + 1
		case c == '"' || c == '{' || c == '[':
			return -1
		}
	}
	return -1
}

package text

import (
	"encoding/json"
	"errors"
	"fmt"
)

// JSONError wraps an error of encoding what as JSON and writing that; nil stays nil. A value that JSON does not have,
// such as NaN, is an internal error; any other error is one of the writer.
func JSONError(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(*json.UnsupportedValueError)), errors.As(err, new(*json.UnsupportedTypeError)),
		errors.As(err, new(*json.MarshalerError)):
		return fmt.Errorf("internal error, please report it: encode %s as JSON: %w", what, err)
	}
	return fmt.Errorf("write %s as JSON: %w", what, err)
}

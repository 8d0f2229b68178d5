package text

import (
	"encoding/json"
	"io/fs"
	"math"
	"testing"
)

// A value that JSON lacks is a fault of jobgait, a failed write one of the output.
func TestJSONError(t *testing.T) {
	_, unsupported := json.Marshal(math.NaN())
	for _, c := range []struct {
		err  error
		want string
	}{
		{unsupported, "internal error, please report it: encode the report as JSON: json: unsupported value: NaN"},
		{&fs.PathError{Op: "write", Path: "/dev/full", Err: fs.ErrPermission},
			"write the report as JSON: write /dev/full: permission denied"},
	} {
		if got := JSONError("the report", c.err); got == nil || got.Error() != c.want {
			t.Errorf("got %v, want %s", got, c.want)
		}
	}
	if err := JSONError("the report", nil); err != nil {
		t.Errorf("no error became %v", err)
	}
}

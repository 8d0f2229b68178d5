package summary

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// ErrDamaged is returned for data that is no record, is incomplete or has impossible values. Retrying does not
// help, unlike after a file system error.
var ErrDamaged = errors.New("the record is damaged")

// ErrNewer is returned for a record that only a later version can read. It is not
// damaged: nodes of two versions share a cluster while it is upgraded.
var ErrNewer = errors.New("the record was written by a newer jobgait")

// errOlder is returned for a record of a version that is no longer read. It is an ErrDamaged, because retrying does
// not help either.
var errOlder error = olderError{}

type olderError struct{}

func (olderError) Error() string { return "the record was written by an older jobgait" }

func (olderError) Is(target error) bool { return target == ErrDamaged }

// maxRecord bounds the JSON of one record: a run on 100,000 nodes has 30 MB.
const maxRecord = 64 << 20

// Encode returns a record as it is stored: JSON without a space, by gzip. With every
// number on a line of its own and not packed a node's record took 12 times the room
// (259 KB against 22 KB, 15 minutes with one pattern).
func Encode(record any) ([]byte, error) {
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	if err := errors.Join(json.NewEncoder(zip).Encode(record), zip.Close()); err != nil {
		return nil, fmt.Errorf("internal error, please report it: encode the record of a run: %w", err)
	}
	return b.Bytes(), nil
}

// Unpack returns the JSON that Encode packed. JSON that is not packed is returned unchanged: version 0 stored
// it so in the spool.
func Unpack(b []byte) ([]byte, error) {
	if !bytes.HasPrefix(b, []byte{0x1f, 0x8b}) {
		return b, nil
	}
	zip, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	text, err := io.ReadAll(io.LimitReader(zip, maxRecord+1))
	if err == nil && len(text) > maxRecord {
		err = fmt.Errorf("the unpacked record exceeds the limit of %d bytes", maxRecord)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return text, nil
}

// reader reads records of one version. A table of readers has this version and the
// one before it.
type reader[T any] struct {
	version int
	read    func(text []byte) (T, error)
}

// decode reads a record with the reader of its version. A record must begin with its schema, "NAME/VERSION", which is
// checked first. The error is ErrNewer for a version above those of all readers, errOlder for another version without a
// reader, else ErrDamaged.
func decode[T any](text []byte, name string, readers []reader[T]) (T, error) {
	var none T
	schema := schemaOf(bytes.NewReader(text))
	version, ok := versionOf(schema, name)
	if !ok {
		return none, fmt.Errorf("%w: its schema is %.60q, want %s", ErrDamaged, schema, name)
	}
	newest := 0
	for _, r := range readers {
		newest = max(newest, r.version)
		if r.version != version {
			continue
		}
		v, err := r.read(text)
		if err != nil {
			return none, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		return v, nil
	}
	if version > newest {
		return none, fmt.Errorf("%w: its schema is %s, this one reads up to version %d: install the same version of "+
			"jobgait on all nodes", ErrNewer, schema, newest)
	}
	return none, fmt.Errorf("%w: its schema is %s, this one reads %s/%d: install the same version of jobgait on all nodes",
		errOlder, schema, name, newest)
}

// schemaOf returns the schema that a record in JSON begins with, "" if it does not.
func schemaOf(in io.Reader) string {
	d := json.NewDecoder(in)
	for _, want := range []json.Token{json.Delim('{'), "schema"} {
		if got, err := d.Token(); err != nil || got != want {
			return ""
		}
	}
	value, _ := d.Token()
	schema, _ := value.(string)
	return schema
}

// versionOf returns the version of a schema "NAME/VERSION"; false if the schema has another name or form.
func versionOf(schema, name string) (int, bool) {
	digits, ok := strings.CutPrefix(schema, name+"/")
	n, err := strconv.ParseUint(digits, 10, 31)
	return int(n), ok && err == nil
}

// IsNewer reports whether only a later version can read a packed node record. It reads the record's first bytes, and
// returns false if they are not the beginning of one.
func IsNewer(packed io.Reader) bool {
	zip, err := gzip.NewReader(packed)
	if err != nil {
		return false
	}
	version, ok := versionOf(schemaOf(zip), recordName)
	return ok && version > recordVersion
}

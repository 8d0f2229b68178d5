package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// plainNumber reads a number as it stands in text. Words for a missing value are NaN; a number with a unit is an error.
func plainNumber(s string) (float64, error) {
	v, unit, ok := cells{}.number([]byte(s))
	if !ok || unit != noUnit {
		return 0, fmt.Errorf("invalid value %q in the file: want a number", short(s))
	}
	return v, nil
}

// value is a JSON number, or null for a missing one.
type value float64

// UnmarshalJSON reads a JSON number, or null as NaN. Text is an error even if it holds a number.
func (v *value) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*v = value(math.NaN())
		return nil
	}
	var n json.Number
	if err := json.Unmarshal(b, &n); err != nil || b[0] == '"' {
		return json.Unmarshal(b, (*float64)(v)) // an error that names the type
	}
	f, _ := parseFloat(n.String())
	*v = value(f)
	return nil
}

// mostValues bounds the repetitions of one point.
const mostValues = 1_000_000

// values is a JSON number, null, or a list of these: the repetitions of a point.
// An empty list is a missing value.
type values []float64

// UnmarshalJSON reads a JSON number, null, or a list of these of at most mostValues values.
func (v *values) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '[' {
		if n := bytes.Count(b, []byte{','}); n > mostValues {
			return fmt.Errorf("a JSON list has more than %d values: %w", mostValues, errTooLarge)
		}
		var list []value
		if err := json.Unmarshal(b, &list); err != nil {
			return err
		}
		*v = make(values, 0, max(1, len(list)))
		for _, x := range list {
			*v = append(*v, float64(x))
		}
		if len(list) == 0 {
			*v = append(*v, math.NaN())
		}
		return nil
	}
	var x value
	if err := json.Unmarshal(b, &x); err != nil {
		return err
	}
	*v = values{float64(x)}
	return nil
}

// word is text, or a number that stands for text (a day, an id); null is absent.
type word struct {
	text   string
	number bool
}

// UnmarshalJSON reads a JSON text or number; null is the empty word, and other values are an error.
func (w *word) UnmarshalJSON(b []byte) error {
	switch {
	case string(b) == "null":
		*w = word{}
		return nil
	case len(b) > 0 && b[0] == '"':
		*w = word{}
		return json.Unmarshal(b, &w.text)
	case len(b) > 0 && (b[0] == '-' || b[0] >= '0' && b[0] <= '9'):
		*w = word{string(b), true}
		return nil
	}
	return fmt.Errorf("invalid JSON value %s in the file: want a text or a number", short(string(b)))
}

// words is one word, or a list of them.
type words []word

// UnmarshalJSON reads one word, or a list of words.
func (w *words) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '[' {
		return json.Unmarshal(b, (*[]word)(w))
	}
	*w = make(words, 1)
	return json.Unmarshal(b, &(*w)[0])
}

// jsonFault returns an error that says briefly why JSON could not be read, instead of an error of package json. It
// returns other errors unchanged.
func jsonFault(err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		where := ""
		if kind.Field != "" {
			where = " for " + strconv.Quote(kind.Field)
		}
		return fmt.Errorf("the file has a JSON %s%s, want a %s", kind.Value, where, plainKind(kind.Type.String()))
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the JSON is malformed: %w: correct it", err)
	}
	return err
}

// plainKind returns the word for a Go type in error messages: list, object, text or number.
func plainKind(t string) string {
	switch {
	case strings.HasPrefix(t, "[]"):
		return "list"
	case strings.HasPrefix(t, "map"), strings.HasPrefix(t, "struct"):
		return "object"
	case t == "string":
		return "text"
	}
	return "number"
}

// plainJSON returns b with null for NaN and 1e999, which is infinite, for Infinity, because Python writes them. Quoted
// texts stay as they are. It copies b only if it contains one of the words.
func plainJSON(b []byte) []byte {
	if !bytes.Contains(b, []byte("NaN")) && !bytes.Contains(b, []byte("Infinity")) {
		return b
	}
	out := make([]byte, 0, len(b)+len(b)/8)
	for i := 0; i < len(b); {
		switch {
		case b[i] == '"':
			n := valueLength(b[i:])
			out = append(out, b[i:i+n]...)
			i += n
		case bytes.HasPrefix(b[i:], []byte("NaN")):
			out = append(out, "null"...)
			i += len("NaN")
		case bytes.HasPrefix(b[i:], []byte("Infinity")):
			out = append(out, "1e999"...)
			i += len("Infinity")
		default:
			out = append(out, b[i])
			i++
		}
	}
	return out
}

// fromTalpas converts a line of Talpas, which has semicolons between its keys, to JSON. yes reports whether the line
// has a semicolon outside quotes.
func fromTalpas(line []byte) (_ []byte, yes bool) {
	if bytes.IndexByte(line, ';') < 0 {
		return line, false
	}
	out := bytes.Clone(line)
	for i := 0; i < len(out); i++ {
		if out[i] == '"' {
			i += valueLength(out[i:]) - 1
		} else if out[i] == ';' {
			out[i], yes = ',', true
		}
	}
	return out, yes
}

// valueLength returns the length of the JSON value with which b begins, that of b if the value does not end
// there. It does not validate the value.
func valueLength(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return i
			}
		case ',', ':', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
		if depth == 0 && i < len(b) && (b[i] == '"' || b[i] == '}' || b[i] == ']') {
			return i + 1
		}
	}
	return len(b)
}

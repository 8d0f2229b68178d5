package experimentfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// number reads a number as it stands in text. Words for a missing value are NaN.
func number(s string) (float64, error) {
	s = strings.TrimSpace(s)
	switch strings.ToLower(s) {
	case "", "na", "nan", "null", "none", "-":
		return math.NaN(), nil
	}
	v, err := strconv.ParseFloat(s, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%q is beyond what a number can hold", short(s))
	case err != nil:
		return 0, fmt.Errorf("%q is not a number", short(s))
	}
	return v, nil
}

// isNumber is whether s reads as a number that is there.
func isNumber(s string) bool {
	_, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

// value is a JSON number, or null for a missing one.
type value float64

func (v *value) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*v = value(math.NaN())
		return nil
	}
	return json.Unmarshal(b, (*float64)(v))
}

// values is a JSON number, null, or a list of these: the repetitions of a point.
// An empty list is a missing value.
type values []float64

func (v *values) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '[' {
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

// word is text, or a number that stands for text (a day, an id); null is none.
type word struct {
	text   string
	number bool
}

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
	return fmt.Errorf("%s is neither text nor a number", short(string(b)))
}

// words is one word, or a list of them.
type words []word

func (w *words) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '[' {
		return json.Unmarshal(b, (*[]word)(w))
	}
	*w = make(words, 1)
	return json.Unmarshal(b, &(*w)[0])
}

// fault says in a few words why JSON could not be read.
func fault(err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		where := ""
		if kind.Field != "" {
			where = " for " + strconv.Quote(kind.Field)
		}
		return fmt.Errorf("a JSON %s%s where a %s is wanted", kind.Value, where, plainKind(kind.Type.String()))
	}
	return err
}

// plainKind names a Go type for people.
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

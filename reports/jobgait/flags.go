package main

import (
	"regexp"
	"strings"
)

// plainFlag removes the names of Go functions from an error about a flag: users cannot understand
// `strconv.ParseFloat: parsing "x": invalid syntax`.
func plainFlag(err error) error {
	text := goNames.ReplaceAllString(err.Error(), "")
	wanted := "it must be a number"
	if strings.Contains(err.Error(), "strconv.ParseBool") {
		wanted = "it is true or false"
	}
	text = strings.Replace(text, "invalid syntax", wanted, 1)
	return plainError(strings.Replace(text, "value out of range", "too large", 1))
}

// plainError is an error that consists of its text.
type plainError string

func (e plainError) Error() string { return string(e) }

// goNames matches the names of Go functions in errors about numbers.
var goNames = regexp.MustCompile(`strconv\.\w+: parsing "[^"]*": ?`)

package main

import (
	"regexp"
	"strings"
)

// plainFlag takes the names of Go's functions out of what is said of a flag:
// `strconv.ParseFloat: parsing "x": invalid syntax` says nothing to a user.
func plainFlag(err error) error {
	text := goNames.ReplaceAllString(err.Error(), "")
	wanted := "it must be a number"
	if strings.Contains(err.Error(), "strconv.ParseBool") {
		wanted = "it is true or false"
	}
	text = strings.Replace(text, "invalid syntax", wanted, 1)
	return plainError(strings.Replace(text, "value out of range", "too large", 1))
}

type plainError string

func (e plainError) Error() string { return string(e) }

var goNames = regexp.MustCompile(`strconv\.\w+: parsing "[^"]*": ?`)

package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// clock gives a second more each time that it is asked.
func clock() func() time.Duration {
	n := 0
	return func() time.Duration { n++; return time.Duration(n) * time.Second }
}

func TestStamp(t *testing.T) {
	levels := []level{
		{"step", regexp.MustCompile(`^Time = `), 1},
		{"inner", regexp.MustCompile(`^solved`), 1},
	}
	log := "Time = 1\nsolved\nsolved\nTime = 2\nno Time = 3\n" +
		strings.Repeat("x", 9000) + "\nTime = 3 without an end"
	got := stamp(strings.NewReader(log), levels, clock())
	want := marks{"step": {1, 4, 9}, "inner": {2, 3}}
	for name, at := range want {
		if !slices.Equal(got[name], at) {
			t.Errorf("%s at %v, want %v", name, got[name], at)
		}
	}
}

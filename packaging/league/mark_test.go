package main

import (
	"bytes"
	"math"
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
		{"frame", regexp.MustCompile(`^frame=(\d+)`), 1},
	}
	log := "Time = 1\nsolved\nsolved\nframe=9\nTime = 2\nno Time = 3\nframe=9\nframe=13\n" +
		strings.Repeat("x", 9000) + "\nTime = 3 without an end"
	got := stamp(strings.NewReader(log), levels, clock())
	want := marks{"step": {1, 5, 12}, "inner": {2, 3}, "frame": {4, 5, 6, 7, 8}}
	for name, at := range want {
		if !slices.Equal(got[name], at) {
			t.Errorf("%s at %v, want %v", name, got[name], at)
		}
	}
}

// Whatever a program prints, marks do not go back in time.
func FuzzStamp(f *testing.F) {
	f.Add([]byte("frame=3\nframe=1\nframe=99\n"))
	f.Add([]byte("frame=3\nframe=99999999999999999999\nframe=40"))
	levels := []level{{"frame", regexp.MustCompile(`frame=(\d+)`), 1}}
	f.Fuzz(func(t *testing.T, text []byte) {
		m := stamp(bytes.NewReader(text), levels, clock())["frame"]
		if !slices.IsSorted(m) || slices.ContainsFunc(m, math.IsNaN) {
			t.Errorf("marks %v", m)
		}
	})
}

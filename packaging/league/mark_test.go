package league

import (
	"bufio"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// marks are the times, in seconds since the start, at which each level said that
// it was done.
type marks map[string][]float64

// stamp reads an application's output to its end and notes when lines of its
// levels come.
func stamp(output io.Reader, levels []level, since func() time.Duration) marks {
	m := marks{}
	lines := bufio.NewReader(output)
	for {
		line, err := lines.ReadSlice('\n') // a line too long comes in parts
		now := since().Seconds()
		for _, l := range levels {
			if l.line.Match(line) {
				m[l.name] = append(m[l.name], now)
			}
		}
		if err != nil && err != bufio.ErrBufferFull {
			return m
		}
	}
}

// clock returns a second more at each call.
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

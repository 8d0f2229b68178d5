package main

import (
	"bufio"
	"io"
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

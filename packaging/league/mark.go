package main

import (
	"bufio"
	"io"
	"strconv"
	"time"
)

// marks are the times, in seconds since the start, at which each level said that
// it was done.
type marks map[string][]float64

// stamp reads an application's output to its end and notes when lines of its
// levels come.
func stamp(output io.Reader, levels []level, since func() time.Duration) marks {
	m := marks{}
	counts := map[string]int{}
	lines := bufio.NewReader(output)
	for {
		line, err := lines.ReadSlice('\n') // a line too long comes in parts
		now := since().Seconds()
		for _, l := range levels {
			if found := l.line.FindSubmatch(line); found != nil {
				m.add(l.name, now, passed(found, counts, l.name))
			}
		}
		if err != nil && err != bufio.ErrBufferFull {
			return m
		}
	}
}

// passed is how many times of a level a line stands for: one, unless it tells
// the number so far.
func passed(found [][]byte, counts map[string]int, name string) int {
	if len(found) < 2 {
		return 1
	}
	so, err := strconv.Atoi(string(found[1]))
	if err != nil {
		return 0
	}
	n := so - counts[name]
	counts[name] = so
	if n > 10_000 { // no program tells so late, and the number is not worth the memory
		return 1
	}
	return n
}

// add adds a mark at now, and before it those that came unseen since the last
// one, evenly spread. Before the first line nothing is known.
func (m marks) add(name string, now float64, n int) {
	earlier := m[name]
	if len(earlier) == 0 {
		n = min(n, 1)
	}
	for i := 1; i <= n; i++ {
		at := now
		if i < n {
			last := earlier[len(earlier)-1]
			at = last + (now-last)*float64(i)/float64(n)
		}
		m[name] = append(m[name], at)
	}
}

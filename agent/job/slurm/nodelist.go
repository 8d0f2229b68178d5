package slurm

import (
	"errors"
	"fmt"
	"strings"

	"jobgait/agent/job"
)

// Nodes expands a list of node names in Slurm's notation.
func (Scheduler) Nodes(list string) ([]string, error) { return expandNodeList(list) }

// expandNodeList returns the names of a list in Slurm's notation,
// "n[1-3,07-09],x" = n1 n2 n3 n07 n08 n09 x. Several brackets in one name
// multiply, the last one running fastest.
func expandNodeList(s string) ([]string, error) {
	var nodes []string
	for _, item := range splitNodeList(s) {
		if item == "" {
			return nil, fmt.Errorf("node list %.60q: a name is empty: remove the extra comma", s)
		}
		names, err := expandName(item, job.MaxNodes-len(nodes))
		if err != nil {
			return nil, fmt.Errorf("expand the node list %.60q: %w", s, err)
		}
		nodes = append(nodes, names...)
	}
	return nodes, nil
}

// splitNodeList splits a node list at commas outside of brackets; nil for "".
func splitNodeList(s string) []string {
	if s == "" {
		return nil
	}
	var items []string
	depth, start := 0, 0
	for i, c := range []byte(s) {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == ',' && depth <= 0:
			items = append(items, s[start:i])
			start = i + 1
		}
	}
	return append(items, s[start:])
}

// expandName expands one name, which may have several brackets, into at most room names.
func expandName(s string, room int) ([]string, error) {
	names := []string{""}
	for s != "" {
		head, rest, found := strings.Cut(s, "[")
		if strings.ContainsAny(head, "] \t\n\x00") {
			return nil, errors.New("a node name holds ']' without '[', or a space: want names such as n[1-3]")
		}
		endings := []string{""}
		s = ""
		if found {
			inside, tail, ok := strings.Cut(rest, "]")
			if !ok {
				return nil, errors.New("a node range lacks its closing ']': want a name such as n[1-3]")
			}
			var err error
			if endings, err = job.ExpandRanges(inside, room); err != nil {
				return nil, err
			}
			s = tail
		}
		if len(names)*len(endings) > room {
			return nil, job.ErrTooMany
		}
		next := make([]string, 0, len(names)*len(endings))
		for _, n := range names {
			for _, e := range endings {
				next = append(next, n+head+e)
			}
		}
		names = next
	}
	return names, nil
}

// expandCPUs returns the CPUs of each node from SLURM_JOB_CPUS_PER_NODE,
// "2(x3),4" = 2 2 2 4.
func expandCPUs(s string) ([]int, error) {
	var cpus []int
	if s == "" {
		return nil, nil
	}
	for _, item := range strings.Split(s, ",") {
		count, rest, repeated := strings.Cut(item, "(x")
		n, err := job.ParseDigits(count)
		if err != nil {
			return nil, fmt.Errorf("expand the CPUs per node %.60q: %w", s, err)
		}
		times := 1
		if repeated {
			digits, ok := strings.CutSuffix(rest, ")")
			if times, err = job.ParseDigits(digits); err != nil || !ok {
				return nil, fmt.Errorf("CPUs per node %.60q: want a repetition such as 4(x2)", s)
			}
		}
		if times > job.MaxNodes-len(cpus) {
			return nil, fmt.Errorf("expand the CPUs per node %.60q: %w", s, job.ErrTooMany)
		}
		for range times {
			cpus = append(cpus, n)
		}
	}
	return cpus, nil
}

package main

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"jobgait/agent/stack"
)

// stacksOfNode returns an answer of many lines, whose compressed text differs from node to node.
func stacksOfNode(node string) nodeStacks {
	n := nodeStacks{Node: node}
	for rank := range 64 {
		frame := stack.Frame{Function: fmt.Sprintf("f%x", uint64(rank+len(node))*0x9e3779b97f4a7c15), Library: "app"}
		n.Tasks = append(n.Tasks, stack.Task{Node: node, Rank: rank,
			Stacks: stack.ProcessStacks{PID: 100 + rank, Listed: []stack.Thread{{Frames: []stack.Frame{frame}}}}})
	}
	return n
}

// srun mixes the lines of the nodes: each node's stacks are read as they were written. An incomplete answer is left
// out.
func TestNodeAnswersInMixedLines(t *testing.T) {
	var lists [][]string
	for _, node := range []string{"n1", "node-2", "n3"} {
		var b bytes.Buffer
		if err := writeNodeAnswer(&b, stacksOfNode(node)); err != nil {
			t.Fatal(err)
		}
		lists = append(lists, strings.SplitAfter(b.String(), "\n"))
	}
	last := len(lists[2]) - 2
	lists[2] = lists[2][:last] // without the line that ends it
	mixed := ""
	for i := range 1000 {
		for _, list := range lists {
			if i < len(list) {
				if len(list[i]) > 1024 {
					t.Fatalf("a line of %d bytes", len(list[i]))
				}
				mixed += list[i]
			}
		}
	}
	if last < 2 {
		t.Fatalf("an answer of %d lines", last)
	}
	got := map[string]nodeStacks{}
	err := readNodeAnswers(strings.NewReader(mixed), []string{"n1", "node-2", "n3"}, func(n nodeStacks) {
		got[n.Node] = n
	})
	want := map[string]nodeStacks{"n1": stacksOfNode("n1"), "node-2": stacksOfNode("node-2")}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %d answers: %+v", err, len(got), got)
	}
}

// A malformed answer is an error and costs no other node. Other lines are skipped.
func TestInvalidNodeAnswers(t *testing.T) {
	var b bytes.Buffer
	if err := writeNodeAnswer(&b, stacksOfNode("n1")); err != nil {
		t.Fatal(err)
	}
	for before, malformed := range map[string]bool{"n3 .\n": false, "\n": false, "loading modules\n": false,
		"n2 x\nn2 .\n": true, "n2 AAAA\nn2 .\n": true, b.String() + "n2 .\n": true} {
		answers := 0
		err := readNodeAnswers(strings.NewReader(before+b.String()), []string{"n1", "n2"}, func(nodeStacks) { answers++ })
		if (err != nil) != malformed || answers != 1 {
			t.Errorf("%.40q: error %v, %d answers", before, err, answers)
		}
	}
}

func FuzzNodeAnswers(f *testing.F) {
	var b bytes.Buffer
	if err := writeNodeAnswer(&b, nodeStacks{Node: "n1"}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.String())
	f.Add("n1 .\nn2 x\n")
	f.Fuzz(func(t *testing.T, text string) {
		answers := 0
		_ = readNodeAnswers(strings.NewReader(text), []string{"n1", "n2"}, func(n nodeStacks) {
			if answers++; answers > 2 || n.Node != "n1" && n.Node != "n2" {
				t.Errorf("answer %d is of node %q", answers, n.Node)
			}
		})
	})
}

package modern

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// section is the part of the README that makes a cluster.
const section = "## A cluster, in five minutes"

// step is a block of sh in that section: commands for some hosts.
type step struct {
	line   int    // of the README
	where  string // its first line, which says on which hosts
	script string
}

// The hosts that a block's first line may name.
const (
	everyNode  = "# on every node"
	history    = "# on the history's host"
	controller = "# on the controller"
)

// builds is whether the step makes programs: it is done in the nodes' image, at the
// speed of this machine. The nodes have that image's root file system.
func (s step) builds() bool { return strings.Contains(s.script, "make build\n") }

// readSteps returns the section's blocks of sh, in order.
func readSteps(readme string) (steps []step) {
	inside, indent := false, -1
	for i, line := range strings.Split(readme, "\n") {
		text := strings.TrimLeft(line, " ")
		switch {
		case indent < 0 && strings.HasPrefix(line, "## "):
			inside = line == section
		case !inside:
		case indent < 0 && text == "```sh":
			indent = len(line) - len(text)
			steps = append(steps, step{line: i + 1})
		case indent >= 0 && text == "```":
			indent = -1
		case indent >= 0:
			s := &steps[len(steps)-1]
			line = line[min(indent, len(line)-len(text)):]
			if s.where == "" {
				s.where = line
			}
			s.script += line + "\n"
		}
	}
	return steps
}

func TestReadSteps(t *testing.T) {
	const readme = "# a\n```sh\nnot this\n```\n## A cluster, in five minutes\n```sh\n# on every node\nmake build\n```\n" +
		"1. x\n\n   ```sh\n   # on the controller\n   a <<END\n     x\n   END\n   ```\n   `not this`\n\n   ```text\n   " +
		"nor this\n   ```\n" +
		"## B\n```sh\nnor this\n```\n"
	want := []step{
		{6, everyNode, "# on every node\nmake build\n"},
		{12, controller, "# on the controller\na <<END\n  x\nEND\n"},
	}
	got := readSteps(readme)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	if !got[0].builds() || got[1].builds() {
		t.Error("the first step builds, the second does not")
	}
}

// Each step of the README says where it is done, and programs are built by one.
func TestReadmeSaysWhere(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	built := 0
	for _, s := range readSteps(string(text)) {
		if !slices.Contains([]string{everyNode, history, controller}, s.where) {
			t.Errorf("README line %d: the block does not say where, but %q", s.line, s.where)
		}
		if s.builds() {
			built++
		}
	}
	if built != 1 {
		t.Errorf("%d steps build the programs, want 1", built)
	}
}

// Reading ends for any README, and each step has a line.
func FuzzReadSteps(f *testing.F) {
	f.Add("## A cluster, in five minutes\n   ```sh\n x\n```\n")
	f.Fuzz(func(t *testing.T, readme string) {
		for _, s := range readSteps(readme) {
			if s.line < 1 || s.line > strings.Count(readme, "\n")+1 || !strings.HasPrefix(s.script, s.where) {
				t.Errorf("%+v", s)
			}
		}
	})
}

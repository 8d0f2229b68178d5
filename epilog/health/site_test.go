package health

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"jobgait/analysis/history"
)

// sample is a line of the exposition format.
var sample = regexp.MustCompile(`^[a-z_]+\{[a-z]+="(?:[^"\\]|\\["\\n])*"\} [0-9.e+-]+$`)

func TestWriteSite(t *testing.T) {
	dir := t.TempDir()
	hours := history.NodeHours{All: 10, Idle: 2.5, Lost: 0.5}
	a := history.Aggregates{ByState: map[string]float64{"COMPLETED": 10},
		ByPartition:   map[string]history.NodeHours{"main": hours},
		ByApplication: map[string]history.NodeHours{`a "b\c`: hours}}
	must(t, WriteSite(dir, a, 24))
	b, err := os.ReadFile(filepath.Join(dir, "jobgait-site.prom"))
	must(t, err)
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSuffix(line, "\n"); line[0] != '#' && !sample.MatchString(line) {
			t.Errorf("%q is no line of the format", line)
		}
	}
	for _, want := range []string{`jobgait_site_node_hours{state="COMPLETED"} 10`,
		`jobgait_partition_idle_node_hours{partition="main"} 2.5`,
		`jobgait_application_lost_node_hours{application="a \"b\\c"} 0.5`} {
		if !strings.Contains(string(b), "\n"+want+"\n") {
			t.Errorf("no %s in\n%s", want, b)
		}
	}
	if err := WriteSite(filepath.Join(dir, "missing"), a, 24); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}

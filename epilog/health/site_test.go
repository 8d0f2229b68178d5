package health

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"jobgait/agent/job/jobtest"
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
	for _, want := range []string{`jobgait_site_node_seconds{state="COMPLETED"} 36000`,
		`jobgait_partition_idle_node_seconds{partition="main"} 9000`,
		`jobgait_application_lost_node_seconds{application="a \"b\\c"} 1800`} {
		if !strings.Contains(string(b), "\n"+want+"\n") {
			t.Errorf("no %s in\n%s", want, b)
		}
	}
	must(t, os.Chmod(dir, 0o777))
	if err := WriteSite(dir, a, 24); err == nil || !strings.Contains(err.Error(), "has mode 0777") {
		t.Errorf("a directory that every account can write to: %v", err)
	}
	if err := WriteSite(filepath.Join(dir, "missing"), a, 24); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}

// textfiles writes both files of a node into a directory, with names that need escaping.
func textfiles(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	hours := history.NodeHours{All: 1e6, Idle: 2.5, Lost: 0.5}
	a := history.Aggregates{ByState: map[string]float64{"COMPLETED": 10, "UNKNOWN": 1e-4},
		ByPartition:   map[string]history.NodeHours{"main": hours, "": {}},
		ByApplication: map[string]history.NodeHours{`a "b\c`: hours, "größe 数": hours, "other": {}}}
	must(t, WriteSite(dir, a, 24))
	must(t, Write(dir, "n1", Counts{Runs: 3, LostS: 1.5, SampledS: 1e7, Failures: map[string]int64{"no_agent": 1}}))
	return dir
}

// promtool, of the distribution's package prometheus, accepts both files without a complaint.
func TestPromtool(t *testing.T) {
	program, err := exec.LookPath("promtool")
	if err != nil {
		t.Skipf("%v: install the package prometheus to check the files with it", err)
	}
	dir := textfiles(t)
	for _, name := range []string{"jobgait-site.prom", "jobgait-n1.prom"} {
		f, err := os.Open(filepath.Join(dir, name))
		must(t, err)
		cmd := exec.Command(program, "check", "metrics")
		cmd.Stdin = f
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		must(t, f.Close())
	}
}

// listeningAddress returns the address that node_exporter logs once it listens there, and reads the rest of the log in
// the background. The kernel selects the port, so that no other program can take it before. It kills the program, which
// ends the log, after a minute without such a line.
func listeningAddress(t *testing.T, exporter *exec.Cmd, log io.Reader) string {
	t.Helper()
	timer := time.AfterFunc(time.Minute, func() { _ = exporter.Process.Kill() })
	defer timer.Stop()
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "Listening on") {
			_, rest, _ := strings.Cut(lines.Text(), "address=")
			address, _, _ := strings.Cut(rest, " ")
			go func() { _, _ = io.Copy(io.Discard, log) }()
			return address
		}
	}
	t.Fatal("node_exporter did not log its address within a minute, or ended before")
	return ""
}

// The real node_exporter, of the distribution's package prometheus-node-exporter, serves each line of the site's file.
func TestNodeExporter(t *testing.T) {
	program, err := exec.LookPath("prometheus-node-exporter")
	if err != nil {
		t.Skipf("%v: install the package prometheus-node-exporter to read the files with it", err)
	}
	dir := textfiles(t)
	exporter := exec.Command(program, "--collector.disable-defaults", "--collector.textfile",
		"--collector.textfile.directory="+dir, "--web.listen-address=127.0.0.1:0")
	log, err := exporter.StderrPipe()
	must(t, err)
	must(t, exporter.Start())
	t.Cleanup(func() {
		_ = exporter.Process.Kill()
		_ = exporter.Wait()
	})
	address := listeningAddress(t, exporter, log)
	served := ""
	jobtest.Poll(time.Minute, func() bool {
		r, err := http.Get("http://" + address + "/metrics")
		if err != nil {
			served = err.Error()
			return false
		}
		defer func() { _ = r.Body.Close() }()
		b, err := io.ReadAll(r.Body)
		served = string(b)
		return err == nil && r.StatusCode == http.StatusOK
	})
	text, err := os.ReadFile(filepath.Join(dir, "jobgait-site.prom"))
	must(t, err)
	for line := range strings.Lines(string(text)) {
		if !strings.Contains(served, line) {
			t.Errorf("not served: %s", line)
		}
	}
	for _, want := range []string{"node_textfile_scrape_error 0", fmt.Sprintf("jobgait_runs_total{node=%q} 3", "n1")} {
		if !strings.Contains(served, want+"\n") {
			t.Errorf("no %s in\n%.3000s", want, served)
		}
	}
}

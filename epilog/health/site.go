package health

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"jobgait/agent/job"
	"jobgait/analysis/history"
)

const secondsPerHour = 3600 // of node hours

// WriteSite writes the aggregates of a history, over the last hours, as <dir>/jobgait-site.prom, by rename. It refuses
// a directory that an account other than root and that of this process can change.
func WriteSite(dir string, a history.Aggregates, hours float64) error {
	err := job.RequireOwned(dir)
	if err == nil {
		err = job.Replace(filepath.Join(dir, "jobgait-site.prom"), []byte(siteText(a, hours)), 0o644, false)
	}
	if err != nil {
		return fmt.Errorf("update the figures of health.site_textfile: %w: they stay as they were", err)
	}
	return nil
}

// siteText returns the aggregates in Prometheus's exposition format, in node seconds: promtool rejects other units of
// time.
func siteText(a history.Aggregates, hours float64) string {
	var b strings.Builder
	gauge := func(name, help string) {
		fmt.Fprintf(&b, "# HELP %s %s of the jobs that ended in the last %g hours.\n# TYPE %s gauge\n", name, help, hours,
			name)
	}
	const states = "jobgait_site_node_seconds"
	gauge(states, "Node seconds by state")
	for _, state := range slices.Sorted(maps.Keys(a.ByState)) {
		fmt.Fprintf(&b, "%s{state=%q} %g\n", states, state, secondsPerHour*a.ByState[state])
	}
	for _, label := range []struct {
		name string
		rows map[string]history.NodeHours
	}{{"partition", a.ByPartition}, {"application", a.ByApplication}} {
		for _, what := range []struct {
			name, help string
			of         func(history.NodeHours) float64
		}{
			{"", "Node seconds", func(h history.NodeHours) float64 { return h.All }},
			{"idle_", "Node seconds with less than half of the CPUs busy", func(h history.NodeHours) float64 { return h.Idle }},
			{"lost_", "Node seconds lost since runs became slower", func(h history.NodeHours) float64 { return h.Lost }},
		} {
			name := "jobgait_" + label.name + "_" + what.name + "node_seconds"
			gauge(name, what.help)
			for _, key := range slices.Sorted(maps.Keys(label.rows)) {
				fmt.Fprintf(&b, "%s{%s=\"%s\"} %g\n", name, label.name, labelValue(key),
					secondsPerHour*what.of(label.rows[key]))
			}
		}
	}
	return b.String()
}

// labelValue escapes a label's value for the exposition format. Names in the history have no control
// characters.
func labelValue(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s)
}

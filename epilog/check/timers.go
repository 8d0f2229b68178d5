package check

import (
	"os"
	"path/filepath"
)

// timers judges who calls the sweep and, where this host has the history, the
// ingest. That a unit is enabled is a link in a directory of systemd's.
func (n Node) timers() []Finding {
	const subject = "timers"
	if !exists(n.path("run/systemd/system")) {
		return []Finding{warn(subject, "*/10 * * * * root "+filepath.Join(n.dir(), "jobgait-epilog")+
			" --sweep   # a line for /etc/cron.d/jobgait",
			"no systemd here: what a crash leaves over waits for the next job on this node")}
	}
	if !n.enabled("jobgait-sweep.timer") {
		return []Finding{warn(subject, "systemctl enable --now jobgait-sweep.timer",
			"jobgait-sweep.timer is not enabled: what a crash leaves over waits for the next job on this node")}
	}
	if n.Config.History.Ingest == "spool" && exists(n.Config.History.Path) && !n.enabled("jobgait-ingest.timer") {
		return []Finding{warn(subject, "systemctl enable --now jobgait-ingest.timer",
			"this host has the history, and jobgait-ingest.timer is not enabled")}
	}
	return []Finding{ok(subject, "jobgait-sweep.timer is enabled")}
}

// enabled is whether systemd starts a timer.
func (n Node) enabled(timer string) bool {
	for _, dir := range []string{"etc/systemd/system", "run/systemd/system", "usr/lib/systemd/system",
		"lib/systemd/system"} {
		if _, err := os.Lstat(n.path(filepath.Join(dir, "timers.target.wants", timer))); err == nil {
			return true
		}
	}
	return false
}

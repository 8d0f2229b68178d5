package check

import (
	"os"
	"path/filepath"
)

// checkTimers checks that systemd's timer of the sweep is enabled and, on the host of the history, that of the
// ingest.
func (n Node) checkTimers() []Finding {
	const subject = "timers"
	if !exists(n.path("run/systemd/system")) {
		return []Finding{warning(subject, "*/10 * * * * root "+filepath.Join(n.dir(), "jobgait-epilog")+
			" --sweep   # a line for /etc/cron.d/jobgait",
			"no systemd here: runs that a crash interrupted are finished only with the next job on this node")}
	}
	if !n.timerEnabled("jobgait-sweep.timer") {
		return []Finding{warning(subject, "systemctl enable --now jobgait-sweep.timer",
			"jobgait-sweep.timer is not enabled: runs that a crash interrupted are finished with the next job on this node")}
	}
	if n.Config.History.Ingest == "spool" && exists(n.Config.History.Path) && !n.timerEnabled("jobgait-ingest.timer") {
		return []Finding{warning(subject, "systemctl enable --now jobgait-ingest.timer",
			"this host has the history, but jobgait-ingest.timer is not enabled: new jobs do not get into the history")}
	}
	return []Finding{passed(subject, "jobgait-sweep.timer is enabled")}
}

// timerEnabled reports whether a systemd timer is enabled, by its link in timers.target.wants.
func (n Node) timerEnabled(timer string) bool {
	for _, dir := range []string{"etc/systemd/system", "run/systemd/system", "usr/lib/systemd/system",
		"lib/systemd/system"} {
		if _, err := os.Lstat(n.path(filepath.Join(dir, "timers.target.wants", timer))); err == nil {
			return true
		}
	}
	return false
}

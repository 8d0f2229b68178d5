package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jobgait/agent/job"
)

const (
	// A systemd-run that starts what it is told to, detached.
	workingSystemd = `#!/bin/sh
echo "$@" >"${0%/*}/asked"
while [ "$1" != -- ]; do shift; done
shift
/usr/bin/setsid "$@" </dev/null >/dev/null 2>&1 &
`
	brokenSystemd = "#!/bin/sh\necho 'Failed to connect to bus' >&2\nexit 1\n"
	silentSystemd = "#!/bin/sh\nexec /bin/sleep 600\n"
	// An agent that is a unit takes the lock and says who it is.
	unitAgent = `#!/bin/sh
for dir; do :; done
exec 9>>"$dir/lock"
/usr/bin/flock -n 9 || exit 1
read -r stat </proc/$$/stat
set -- ${stat##*) }
shift 19
printf '{"pid":%d,"start_ticks":%s}' $$ "$1" >"$dir/new.pid"
/bin/mv "$dir/new.pid" "$dir/agent.pid"
exec /bin/sleep 600
`
)

func TestSystemd(t *testing.T) {
	for _, tool := range []string{"/usr/bin/setsid", "/usr/bin/flock"} {
		if _, err := os.Stat(tool); err != nil {
			t.Skipf("needs %s", tool)
		}
	}
	for _, c := range []struct{ name, systemd, agent, log string }{
		{"works", workingSystemd, unitAgent, ""},
		{"refuses", brokenSystemd, fakeAgent, "Failed to connect to bus; starting it without"},
		{"hangs", silentSystemd, fakeAgent, "took more than 500ms"},
		{"is missing", "", fakeAgent, "no such file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, "", c.agent)
			run := filepath.Join(s.dir, "bin", "systemd-run")
			s.write("etc/jobgait.toml", "[spool]\ndir = '"+s.spool+"'\n[agent]\nlaunch = 'systemd'\nsystemd_run = '"+run+"'\n", 0o644)
			if c.systemd != "" {
				s.write("bin/systemd-run", c.systemd, 0o755)
			}
			if out := s.prolog(); out != "" {
				t.Errorf("the Prolog says %q", out)
			}
			if !strings.Contains(s.log(), c.log) {
				t.Errorf("log:\n%s", s.log())
			}
			d := s.dirs()[0]
			if p, err := job.ReadProcess(d.PID()); err != nil || !p.Alive() {
				t.Errorf("agent %+v, %v", p, err)
			}
			if _, err := d.TryLock(); err == nil {
				t.Error("the agent does not hold the lock")
			}
			asked, _ := os.ReadFile(filepath.Join(s.dir, "bin", "asked"))
			if c.log == "" && !strings.Contains(string(asked), "--no-block --quiet --collect --unit=jobgait-c-17.r0 ") {
				t.Errorf("systemd-run was asked %q; log:\n%s", asked, s.log())
			}
		})
	}
}

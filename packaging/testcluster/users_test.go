package testcluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// serviceAccount is the account that cluster.sh creates for services.
const serviceAccount = "jobgait-test"

// published is a site of its own beside the cluster's: a copy of its history that the
// service account has and of which it publishes users' parts. It returns the settings.
func (c *cluster) published(t *testing.T) (config, users string) {
	t.Helper()
	service, err := c.account(serviceAccount)
	if err != nil {
		t.Fatal(err)
	}
	own := c.path("own")
	t.Cleanup(func() { _ = os.RemoveAll(own) })
	config, users = filepath.Join(own, "jobgait.toml"), filepath.Join(own, "users")
	path := filepath.Join(own, "history.db")
	settings := fmt.Sprintf("[collect]\ndir = %q\naccount = %q\n[history]\npath = %q\ningest = \"spool\"\nsnapshots = "+
		"%q\n[slurm]\nscontrol = \"\"\nsacct = \"\"\n",
		filepath.Join(own, "collect"), serviceAccount, path, users)
	err = errors.Join(os.Mkdir(own, 0o711), os.Mkdir(users, 0o711), os.Mkdir(filepath.Join(own, "collect"), 0o700),
		os.WriteFile(config, []byte(settings), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("sqlite3", c.path("history.db"),
		fmt.Sprintf("VACUUM INTO '%s'", path)).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	err = errors.Join(os.Chmod(path, 0o600), os.Chmod(own, 0o711), os.Chmod(users, 0o711))
	for _, p := range []string{own, users, filepath.Join(own, "collect"), path} {
		err = errors.Join(err, os.Chown(p, int(service.uid), int(service.gid)))
	}
	if err != nil {
		t.Fatal(err)
	}
	ingest := c.as(service, "/", c.path("libexec", "jobgait", "jobgait-epilog"), "--ingest")
	ingest.Env = append(ingest.Env, "JOBGAIT_CONFIG="+config)
	out, err := ingest.CombinedOutput()
	if strings.Contains(string(out), "no POSIX ACL") {
		t.Skip(string(out))
	}
	if err != nil || !strings.Contains(string(out), "snapshots published") {
		t.Fatalf("%v: %s", err, out)
	}
	return config, users
}

// TestUsersAgainstEachOther has two users run jobs and try each other's by every
// command and every file: each reads his own, and nothing of the other's.
func TestUsersAgainstEachOther(t *testing.T) {
	c := use(t)
	jobs := map[string]job{}
	for _, u := range []account{c.alice, c.bob} {
		j := c.sbatch(t, u, c.dir(t, u), "gait 0.2 25", "--job-name", "canary"+u.name)
		j.mustEnd(t, "COMPLETED")
		c.waitRows(t, 1, fmt.Sprintf("JobID = '%d' and Report is not null", j.id))
		jobs[u.name] = j
	}
	config, users := c.published(t)
	for _, pair := range [][2]account{{c.alice, c.bob}, {c.bob, c.alice}} {
		me, other := pair[0], pair[1]
		mine, his := fmt.Sprint(jobs[me.name].id), fmt.Sprint(jobs[other.name].id)
		page := filepath.Join(jobs[me.name].dir, "page.html")
		ask := func(args ...string) (string, error) {
			cmd := c.as(me, jobs[me.name].dir, c.path("bin", "jobgait"), args...)
			cmd.Env = append(cmd.Env, "JOBGAIT_CONFIG="+config)
			out, err := cmd.CombinedOutput()
			return string(out), err
		}
		for _, args := range [][]string{{"list"}, {"show", mine}, {"show", "--last"}} {
			if out, err := ask(args...); err != nil || !strings.Contains(out, mine) ||
				strings.Contains(out, "canary"+other.name) {
				t.Errorf("%s: jobgait %v: %v\n%s", me.name, args, err, out)
			}
		}
		file := filepath.Join(users, fmt.Sprint(other.uid), "history.db")
		for _, args := range [][]string{{"show", his}, {"show", "--json", his}, {"list", "-n", "-u", other.name},
			{"list", "--history", file}, {"show", his, "--history", file},
			{"show", his, "--history", filepath.Join(filepath.Dir(config), "history.db")},
			{"show", his, "--history", c.path("history.db")},
			{"compare", mine, his}, {"changes", "-u", other.name}, {"scaling", "-u", other.name},
			{"dashboard", "-u", other.name, "-o", page}, {"export", his}} {
			if out, _ := ask(args...); strings.Contains(out, "canary"+other.name) || strings.Contains(out, "gait canary") {
				t.Errorf("%s reads of %s: jobgait %v\n%s", me.name, other.name, args, out)
			}
		}
		if b, err := os.ReadFile(page); err == nil && strings.Contains(string(b), "canary"+other.name) {
			t.Errorf("%s has a page of %s's runs", me.name, other.name)
		}
		// grep ends with 2 for what it may not read; what it may is named.
		grep := c.as(me, "/", "grep", "-rlas", "canary"+other.name, filepath.Dir(config), c.path("spool"), c.path("collect"),
			c.path("history.db"), jobs[other.name].dir)
		found, _ := grep.Output()
		for line := range strings.Lines(string(found)) {
			path := strings.TrimSpace(line)
			output := filepath.Join(jobs[other.name].dir, "slurm-"+his+".out") // the job's own, by the user's umask
			if path != output && !(filepath.Dir(path) == filepath.Dir(output) && modeOf(t, path) == modeOf(t, output)) {
				t.Errorf("%s reads %s", me.name, line)
			}
		}
	}
}

// modeOf returns the permissions of a file.
func modeOf(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

package configs

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

func getenv(pairs ...string) func(string) string {
	env := map[string]string{}
	for _, p := range pairs {
		name, value, _ := strings.Cut(p, "=")
		env[name] = value
	}
	return func(name string) string { return env[name] }
}

// The shipped file contains all defaults: it has every key of Config, Config has every key of it, and it passes
// the range checks.
func TestDefaultFileIsComplete(t *testing.T) {
	var c Config
	meta, err := toml.Decode(defaults, &c)
	if err != nil {
		t.Fatal(err)
	}
	if u := meta.Undecoded(); len(u) > 0 {
		t.Errorf("keys that Config lacks: %v", u)
	}
	for _, key := range keys() {
		if !meta.IsDefined(strings.Split(key, ".")...) {
			t.Errorf("jobgait.toml lacks %s", key)
		}
	}
	if err := checkRanges(Default()); err != nil {
		t.Errorf("defaults: %v", err)
	}
	// Every key is explained by a comment above it or above its section.
	lines := strings.Split(defaults, "\n")
	for i, line := range lines {
		if strings.Contains(line, "=") && !strings.HasPrefix(line, "#") && i > 0 && lines[i-1] == "" {
			t.Errorf("%s has no comment", line)
		}
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"[watch]\nshare = 0.5\nexclusive = {gpu = true}", ""},
		{"[agent]\nrate_hz = 0", "agent.rate_hz = 0 is out of range: want 1 to 2000"},
		{"[agent]\nrate_hz = 'fast'", "rate_hz"},
		{"[agent]\nbudget_pct = 0.0", "agent.budget_pct = 0 is out of range: want 0.01 to 100"},
		{"[agent]\nbudget_pct = 101.0", "agent.budget_pct"},
		{"[agent]\nbudget_pct = nan", "agent.budget_pct"},
		{"[agent]\nrun_budget_pct = -1.0", "agent.run_budget_pct = -1 is out of range: want 0.01 to 100"},
		{"[agent]\nprofile_mb = 0.5", "agent.profile_mb = 0.5 is out of range: want 1 to 1e+06"},
		{"[agent]\nprofile_mb = inf", "agent.profile_mb"},
		{"[agent]\nmax_hours = 0", "agent.max_hours"},
		{"[agent]\naddress_hz = 20001", "agent.address_hz"},
		{"[agent]\nlossless = 1", "lossless"},
		{"[agent]\nlossless = true\nbudget_pct = 2.0\nrun_budget_pct = 0.01", ""},
		{"[agent]\nlaunch = 'nohup'", `agent.launch = "nohup" is unknown: want one of auto, setsid`},
		{"[spool]\ndir = 'spool'", "spool.dir"},
		{"[spool]\ndir = '/a/../b'", "spool.dir"},
		{"[spool]\nmax_gb = nan", "spool.max_gb"},
		{"[watch]\nshare = 1.5", "watch.share"},
		{"[report]\nformats = ['pdf']", "report.formats"},
		{"[collect]\naccount = 'a b'", "collect.account"},
		{"[collect]\nwait_s = 120", ""},
		{"[collect]\nwait_s = 200", "collect.wait_s = 200 is more than epilog.worker_s = 120"},
		{"[mail]\nwait_s = 110.0", ""},
		{"[mail]\nwait_s = 120.0", "mail.wait_s = 120 is out of range: want 0 to 110, because Slurm kills the program"},
		{"[mail]\nwait_s = nan", "mail.wait_s"},
		{"[slurm]\nscontrol = 'scontrol'", "slurm.scontrol"},
		{"[slurm]\nscontrol = ''", ""},
		{"[history]\ningest = 'there'", "history.ingest"},
		{"[history]\nnames = 'some'", "history.names"},
		{"[watch]\nnot_users = ['']", "watch.not_users"},
		{"[agent]\nrate_hz = \n", "line 2"},
	} {
		_, err := parseSettings(c.text)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%q: %v", c.text, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n")):
			t.Errorf("%q: %v; want one line with %q", c.text, err, c.want)
		}
	}
}

// Unknown keys are reported, and the other keys apply: the unknown ones may belong to a newer version.
func TestUnknownKeys(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "",
		"[watch]\npartitons = ['x']": `unknown key "watch.partitons"`,
		"[collect]\nworker_s = 3":    `unknown key "collect.worker_s"`,
		"[agnt]\nrate_hz = 3":        `unknown keys "agnt"`,
		"unknown = 'x\\ny'":          `unknown key "unknown"`,
		"[agent]\na=1\nb=1\nc=1\nd=1\ne=1\nf=1\ng=1": `unknown keys "agent.a"`,
	} {
		c, err := parseSettings("spool.max_gb = 7.0\n" + text)
		if err != nil || c.Spool.MaxGB != 7 {
			t.Errorf("%q: %v, spool.max_gb %g", text, err, c.Spool.MaxGB)
		}
		if !strings.HasPrefix(c.Unknown, want) || (want == "") != (c.Unknown == "") || strings.Contains(c.Unknown, "\n") {
			t.Errorf("%q: %q, want one line that begins %q", text, c.Unknown, want)
		}
		if strings.Contains(want, "agent.a") && !strings.HasSuffix(c.Unknown, ", 2 more") {
			t.Errorf("%q is not bounded", c.Unknown)
		}
	}
	if c, err := parseSettings("[agent]\nrate = 3\nrate_hz = 0"); err == nil || c.Unknown == "" {
		t.Errorf("an unknown key beside a bad value: %q, %v", c.Unknown, err)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write := func(path, text string) string {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("etc/jobgait.toml", "[agent]\nrate_hz = 111\n")
	named := write("named.toml", "[agent]\nrate_hz = 222\n")
	newer := write("newer.toml", "[agent]\nrate_hz = 222\nrate = 222\n")
	broken := write("broken.toml", "[agent]\nrate_hz = 0\n")
	for _, c := range []struct {
		executable, config string
		want               int
	}{
		{"bin/jobgait", "", 111},
		{"libexec/jobgait/jobgait-prolog", "", 111},
		{"bin/jobgait", named, 222},
	} {
		got, err := Load(getenv("JOBGAIT_CONFIG="+c.config), filepath.Join(dir, c.executable))
		if err != nil || got.Agent.RateHz != c.want {
			t.Errorf("%s with %q: %d Hz, %v; want %d", c.executable, c.config, got.Agent.RateHz, err, c.want)
		}
		if want := Default().Watch.MinNodes; got.Watch.MinNodes != want {
			t.Errorf("default lost: min_nodes %d, want %d", got.Watch.MinNodes, want)
		}
	}
	if c, err := Load(getenv("JOBGAIT_CONFIG="+newer), ""); err != nil || c.Agent.RateHz != 222 ||
		!strings.HasPrefix(c.Unknown, newer+": unknown key") || !strings.Contains(c.Unknown, `"agent.rate"`) {
		t.Errorf("an unknown key: %d Hz, %q, %v; want file and key", c.Agent.RateHz, c.Unknown, err)
	}
	if _, err := Load(getenv("JOBGAIT_CONFIG="+broken), ""); err == nil || !strings.Contains(err.Error(), broken) ||
		!strings.Contains(err.Error(), "agent.rate") {
		t.Errorf("broken file: %v; want file and key", err)
	}
	if _, err := Load(getenv("JOBGAIT_CONFIG="+dir+"/none"), ""); err == nil {
		t.Error("a named file that does not exist is no error")
	}
	large := write("large.toml", "[agent]\nrate_hz = 222\n#"+strings.Repeat("x", maxFile)+"\n")
	if _, err := Load(getenv("JOBGAIT_CONFIG="+large), ""); err == nil ||
		!strings.Contains(err.Error(), large+" is larger than") {
		t.Errorf("a file of a megabyte: %v", err)
	}
	if _, err := Load(getenv("JOBGAIT_CONFIG=/dev/zero"), ""); err == nil {
		t.Error("a file without end is no error")
	}
	if err := os.MkdirAll(filepath.Join(dir, "linked/etc"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir+"/none", filepath.Join(dir, "linked/etc/jobgait.toml")); err != nil {
		t.Fatal(err)
	}
	if c, err := Load(getenv(""), filepath.Join(dir, "linked/bin/jobgait")); err == nil || c.Spool.Dir != "" {
		t.Errorf("a link that leads nowhere: spool %q, %v; want no settings", c.Spool.Dir, err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "other/etc/jobgait.toml"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(getenv(), filepath.Join(dir, "other/bin/jobgait")); err == nil {
		t.Error("settings that are there and cannot be read are no error")
	}
	// A program that was started by a relative path reads no settings from the current directory.
	t.Chdir(dir)
	if path, _ := Find(getenv(), "bin/jobgait"); path != "/etc/jobgait/jobgait.toml" {
		t.Errorf("by a relative path: %s", path)
	}
}

// The hooks' children get these variables where they are set, and no others.
func TestEnvironment(t *testing.T) {
	got := Environment(getenv("HOME=/root", "TZ=UTC", "LD_PRELOAD=x.so", "SLURM_JOB_ID=1", "SLURM_CONF=/etc/slurm.conf"))
	if want := []string{"HOME=/root", "SLURM_CONF=/etc/slurm.conf", "TZ=UTC"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestOneMachine(t *testing.T) {
	site := write(t, "[watch]\nshare = 0.0\n[spool]\ndir = '/site'\n[agent]\nrate_hz = 50\n[live]\non_stall = "+
		"'/site/told'\naccount = 'told'\n")
	c, err := Load(getenv("JOBGAIT_CONFIG="+site, "JOBGAIT_ONE_MACHINE=1", "HOME=/home/a", "XDG_DATA_HOME=/data",
		"XDG_STATE_HOME=relative"), "")
	if err != nil {
		t.Fatal(err)
	}
	if c.Spool.Dir != "/home/a/.local/state/jobgait" || c.Collect.Dir != c.Spool.Dir+"/collect" ||
		c.History.Path != "/data/jobgait/history.db" {
		t.Errorf("paths %+v %+v %+v", c.Spool, c.Collect, c.History)
	}
	if c.Collect.Account != "" || c.Report.MinElapsedS != 0 || c.History.Ingest != "here" || c.Slurm.Scontrol != "" ||
		c.Spool.Keep != "all" {
		t.Errorf("cluster settings are left: %+v", c)
	}
	if c.Live != (Live{}) {
		t.Errorf("the site's program is left: %+v", c.Live)
	}
	if c.Agent.BudgetPct != Default().Agent.RunBudgetPct {
		t.Errorf("budget %g %%, want that of jobgait run", c.Agent.BudgetPct)
	}
	if !reflect.DeepEqual(c.Watch, Default().Watch) || c.Agent.RateHz != 50 {
		t.Errorf("watch %+v, rate %d", c.Watch, c.Agent.RateHz)
	}
	if err := checkRanges(c); err != nil {
		t.Error(err)
	}
	if _, err := Load(getenv("JOBGAIT_CONFIG="+site, "JOBGAIT_ONE_MACHINE=1"), ""); err == nil {
		t.Error("no HOME is no error")
	}
	for given, lacks := range map[string]string{"XDG_DATA_HOME": "XDG_STATE_HOME", "XDG_STATE_HOME": "XDG_DATA_HOME"} {
		if _, err := oneMachine(Default(), getenv(given+"=/mine")); err == nil || !strings.Contains(err.Error(), lacks) {
			t.Errorf("%s alone: %v", given, err)
		}
	}
}

func write(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "jobgait.toml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// keys returns every key as section.key, in the order of Config.
func keys() []string {
	var keys []string
	sections := reflect.TypeFor[Config]()
	for i := range sections.NumField() {
		section := sections.Field(i)
		if section.Type.Kind() != reflect.Struct {
			continue
		}
		for j := range section.Type.NumField() {
			keys = append(keys, section.Tag.Get("toml")+"."+section.Type.Field(j).Tag.Get("toml"))
		}
	}
	return keys
}

func TestKeysAreUnique(t *testing.T) {
	all := keys()
	slices.Sort(all)
	if n := len(slices.Compact(slices.Clone(all))); n != len(all) {
		t.Errorf("%d keys, %d different", len(all), n)
	}
}

func FuzzParse(f *testing.F) {
	// One key each, not the shipped file in one piece: what the fuzzer finds is
	// minimised byte by byte, which took 10 s and more of 4 kB.
	section := ""
	for line := range strings.Lines(defaults) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "["):
			section = line
		case line != "" && line[0] != '#':
			f.Add(section + "\n" + strings.TrimSpace(strings.SplitN(line, " #", 2)[0]))
		}
	}
	f.Add("[watch]\nshare = nan\nexclusive = {a = true}")
	f.Add("spool = 3")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseSettings(text)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("error of several lines: %q", err)
			}
			return
		}
		if err := checkRanges(c); err != nil {
			t.Fatalf("accepted, but: %v", err)
		}
	})
}

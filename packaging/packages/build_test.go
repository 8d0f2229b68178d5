package packages

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"jobgait/agent/job/jobtest"
	"jobgait/configs"
)

// dummy is a program that sleeps if requested, otherwise prints its name and 1.
const dummy = `package main
import ("fmt"; "os"; "path/filepath"; "time")
func main() {
	if len(os.Args) > 1 && os.Args[1] == "sleep" { time.Sleep(time.Hour) }
	fmt.Println(filepath.Base(os.Args[0]), 1)
}`

// stubs makes the files that packages.sh packs, in a separate directory.
func stubs(t *testing.T) string {
	t.Helper()
	build := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(build, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), jobtest.WriteProgram(path, []byte(text))); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, name := range strings.Fields(`man/man1/jobgait.1 man/man5/jobgait.toml.5 man/man5/jobgait-history.5
		man/man7/jobgait-report.7 man/man8/jobgait-agent.8 man/man8/jobgait-prolog.8 man/man8/jobgait-epilog.8
		bash-completion/completions/jobgait zsh/site-functions/_jobgait fish/vendor_completions.d/jobgait.fish`) {
		put("share/"+name, "text of "+name+"\n")
	}
	source := put("dummy.go", dummy)
	program := filepath.Join(build, "bin/jobgait")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s", "-o", program, source)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"agent", "prolog", "epilog"} {
		put("bin/jobgait-"+name, string(text))
	}
	return build
}

// made are packages of stubs, and where they lie.
func made(t *testing.T, build string) string {
	t.Helper()
	for _, tool := range []string{"dpkg-deb", "rpmbuild", "readelf", "gcc"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%v: no packages were made", err)
		}
	}
	if _, err := os.Stat("/usr/include/slurm/spank.h"); err != nil {
		t.Skipf("%v: no packages were made", err)
	}
	out := filepath.Join(t.TempDir(), "out")
	cmd := exec.Command("packaging/packages.sh", out, build)
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=1700000000")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("packages.sh: %v\n%s", err, said)
	}
	return out
}

// names are the files of a directory.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// Packages built elsewhere and later are equal byte for byte; their contents are as listed.
func TestPackages(t *testing.T) {
	build := stubs(t)
	first := made(t, build)
	t.Run("contents", func(t *testing.T) { testContents(t, first) })
	t.Run("life", func(t *testing.T) { testLife(t, one(t, first, "jobgait_*.deb")) })
	again := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.CopyFS(again, os.DirFS(build)); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(again, func(path string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(path, time.Time{}, time.Unix(1600000000, 0)))
	})
	if err != nil {
		t.Fatal(err)
	}
	second := made(t, again)
	list := names(t, first)
	if len(list) != 4 || !slices.Equal(list, names(t, second)) {
		t.Fatalf("%v and %v", list, names(t, second))
	}
	for _, name := range list {
		a, errA := os.ReadFile(filepath.Join(first, name))
		b, errB := os.ReadFile(filepath.Join(second, name))
		if err := errors.Join(errA, errB); err != nil {
			t.Fatal(err)
		}
		if string(a) != string(b) {
			t.Errorf("%s differs", name)
		}
		if !strings.Contains(name, configs.Version) {
			t.Errorf("%s is not of version %s", name, configs.Version)
		}
	}
}

// tool runs a program and returns what it prints.
func tool(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// one is the file of a directory that a pattern names.
func one(t *testing.T, dir, pattern string) string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(list) != 1 {
		t.Fatalf("%s: %v, %v", pattern, list, err)
	}
	return list[0]
}

// wanted is what is in the package jobgait.
const wanted = `-rw-r--r-- /etc/jobgait/jobgait.toml
lrwxrwxrwx /usr/bin/jobgait
-rw-r--r-- /usr/lib/systemd/system/jobgait-ingest.service
-rw-r--r-- /usr/lib/systemd/system/jobgait-ingest.timer
-rw-r--r-- /usr/lib/systemd/system/jobgait-prune.service
-rw-r--r-- /usr/lib/systemd/system/jobgait-prune.timer
-rw-r--r-- /usr/lib/systemd/system/jobgait-sweep.service
-rw-r--r-- /usr/lib/systemd/system/jobgait-sweep.timer
-rw-r--r-- /usr/lib/sysusers.d/jobgait.conf
-rw-r--r-- /usr/lib/tmpfiles.d/jobgait.conf
-rwxr-xr-x /usr/libexec/jobgait/epilog
-rwxr-xr-x /usr/libexec/jobgait/jobgait
-rwxr-xr-x /usr/libexec/jobgait/jobgait-agent
-rwxr-xr-x /usr/libexec/jobgait/jobgait-epilog
-rwxr-xr-x /usr/libexec/jobgait/jobgait-prolog
-rwxr-xr-x /usr/libexec/jobgait/mail
-rwxr-xr-x /usr/libexec/jobgait/prolog
-rw-r--r-- /usr/share/bash-completion/completions/jobgait
-rw-r--r-- /usr/share/doc/jobgait/README.md
-rw-r--r-- /usr/share/doc/jobgait/copyright
-rw-r--r-- /usr/share/doc/jobgait/jobgait.toml
-rw-r--r-- /usr/share/doc/jobgait/plugstack.conf.example
-rw-r--r-- /usr/share/doc/jobgait/slurm.conf.example
-rw-r--r-- /usr/share/fish/vendor_completions.d/jobgait.fish
-rw-r--r-- /usr/share/man/man1/jobgait.1.gz
-rw-r--r-- /usr/share/man/man5/jobgait-history.5.gz
-rw-r--r-- /usr/share/man/man5/jobgait.toml.5.gz
-rw-r--r-- /usr/share/man/man7/jobgait-report.7.gz
-rw-r--r-- /usr/share/man/man8/jobgait-agent.8.gz
-rw-r--r-- /usr/share/man/man8/jobgait-epilog.8.gz
-rw-r--r-- /usr/share/man/man8/jobgait-prolog.8.gz
-rw-r--r-- /usr/share/zsh/site-functions/_jobgait`

// fields are the mode and the path of what is no directory in a listing; all must be
// root's.
func fields(t *testing.T, listing, owner string, path int) []string {
	t.Helper()
	var list []string
	for _, l := range strings.Split(strings.TrimSpace(listing), "\n") {
		f := strings.Fields(l)
		if !strings.Contains(l, owner) {
			t.Errorf("not root's: %s", l)
		}
		if f[0][0] == 'd' && f[0] != "drwxr-xr-x" {
			t.Errorf("a directory with other rights: %s", l)
		}
		if f[0][0] != 'd' {
			list = append(list, f[0]+" "+strings.TrimPrefix(f[path], "."))
		}
	}
	slices.SortFunc(list, func(a, b string) int { return strings.Compare(a[11:], b[11:]) })
	return list
}

func testContents(t *testing.T, out string) {
	deb, rpm := one(t, out, "jobgait_*.deb"), one(t, out, "jobgait-[0-9]*.rpm")
	want := strings.Split(wanted, "\n")
	if got := fields(t, tool(t, "rpm", "-qplv", rpm), " root     root ", 8); !slices.Equal(got, want) {
		t.Errorf("the rpm has\n%s", strings.Join(got, "\n"))
	}
	want[len(want)-1] = "-rw-r--r-- /usr/share/zsh/vendor-completions/_jobgait"
	if got := fields(t, tool(t, "dpkg-deb", "-c", deb), " root/root ", 5); !slices.Equal(got, want) {
		t.Errorf("the deb has\n%s", strings.Join(got, "\n"))
	}
	for what, got := range map[string]string{
		"deb": tool(t, "dpkg-deb", "-I", deb, "conffiles"), "rpm": tool(t, "rpm", "-qpc", rpm)} {
		if got != "/etc/jobgait/jobgait.toml\n" {
			t.Errorf("settings of the %s: %q", what, got)
		}
	}
	if got := tool(t, "rpm", "-qp", "--qf", "[%{FILENAMES} %{FILEFLAGS:fflags}\n]",
		rpm); !regexp.MustCompile(`(?m)^/etc/jobgait/jobgait.toml cn$`).MatchString(got) {
		t.Errorf("the settings are not config(noreplace):\n%s", got)
	}
	if got := tool(t, "rpm", "-qp", "--qf", "%{BUILDHOST} %{BUILDTIME}", rpm); got != "localhost 1700000000" {
		t.Errorf("the rpm was built at %s", got)
	}
	for pattern, wants := range map[string]string{
		"jobgait-spank_*.deb": `slurm-client \(>= (\d+\.\d+)\).*slurm-client \(<< \d+\.\d+~\)`,
		"jobgait-spank-*.rpm": `slurm < \d+\.\d+\s+slurm >= (\d+\.\d+)`} {
		path, said := one(t, out, pattern), ""
		if strings.HasSuffix(path, ".deb") {
			said = tool(t, "dpkg-deb", "-f", path, "Depends")
		} else {
			lines := strings.Fields(strings.ReplaceAll(tool(t, "rpm", "-qpR", path), " ", "_"))
			slices.Sort(lines)
			said = strings.ReplaceAll(strings.Join(lines, "\n"), "_", " ")
		}
		m := regexp.MustCompile(wants).FindStringSubmatch(said)
		if m == nil || !strings.Contains(path, "slurm"+m[1]) {
			t.Errorf("%s wants %q", filepath.Base(path), said)
		}
	}
}

// The settings that a package brings say nothing.
func TestSettingsAreTheDefaults(t *testing.T) {
	named := func(path string) func(string) string {
		return func(name string) string { return map[string]string{"JOBGAIT_CONFIG": path}[name] }
	}
	empty := filepath.Join(t.TempDir(), "empty.toml")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	want, err := configs.Load(named(empty), "")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("jobgait.toml")
	if err != nil {
		t.Fatal(err)
	}
	got, err := configs.Load(named("jobgait.toml"), "")
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	// What it proposes is such as is read, too.
	proposed := regexp.MustCompile(`(?m)^# (\[\w+\]|\w+ = .*)$`).ReplaceAllString(string(text), "$1")
	if err := os.WriteFile(empty, []byte(proposed), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err = configs.Load(named(empty), ""); err != nil || got.Collect.Dir != "/shared/jobgait" {
		t.Errorf("%q, %v", got.Collect.Dir, err)
	}
}

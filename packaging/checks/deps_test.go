package checks

import (
	"archive/zip"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"jobgait/agent/job/jobtest"
)

// fakeGo is a go command of version %s. FAKE_PROXY selects what its `mod download` does: "" makes a module as
// the real command leaves it, without execute bits; "none" fails like a missing network; otherwise the go
// command at REAL_GO downloads from that address.
const fakeGo = `#!/bin/sh
version=%s
case "$1 $2 $FAKE_PROXY" in
  "env GOVERSION "*) case ${GOTOOLCHAIN:-local} in go*) echo "$GOTOOLCHAIN" ;; *) echo "$version" ;; esac ;;
  "env "*) eval "echo \${$2:-default}" ;;
  "mod download ") echo download >>"$FAKE_LOG"
    to=$GOMODCACHE/$3
    mkdir -p "$to/bin" "$to/pkg/tool/linux" "$to/src"
    sed "s/^version=.*/version=$(expr "$3" : '.*-\(go[0-9.]*\)\.')/" "$0" >"$to/bin/go"
    echo compiler >"$to/pkg/tool/linux/compile"
    echo module >"$to/src/_go.mod" ;;
  "mod download none") echo "go: downloading $3" >&2
    echo "go: $3: dial tcp: no such host" >&2; exit 1 ;;
  "mod download "*) GOPROXY=$FAKE_PROXY exec "$REAL_GO" "$@" ;;
  *) echo "what is go $*?" >&2; exit 2 ;;
esac
`

// fresh is a machine with a clone of the tree. Its PATH contains only bin.
type fresh struct {
	tree, bin, cache, log string
}

func newFresh(t *testing.T, goVersion string) fresh {
	t.Helper()
	dir := t.TempDir()
	f := fresh{dir + "/tree", dir + "/bin", dir + "/cache/jobgait", dir + "/log"}
	for _, d := range []string{f.tree + "/packaging", f.bin} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "Makefile", "packaging/deps.sh", "packaging/cache.sh",
		"packaging/distribution.sh"} {
		text, err := os.ReadFile(filepath.Join(root(t), name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(f.tree, name), string(text))
	}
	for _, tool := range strings.Fields(
		"sh cat chmod cp dirname expr find grep head ln mkdir mktemp mv realpath rm sed sort tail uname") {
		path, err := exec.LookPath(tool)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(f.bin, tool)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, f.bin+"/cc", "#!/bin/sh\n")
	write(t, f.bin+"/id", "#!/bin/sh\necho 1000\n")
	write(t, f.log, "")
	if goVersion != "" {
		write(t, f.bin+"/go", fmt.Sprintf(fakeGo, "'"+goVersion+"'"))
	}
	return f
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := jobtest.WriteProgram(path, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

// deps runs deps.sh as make does, and returns what it said.
func (f fresh) deps(environ ...string) (string, error) {
	cmd := exec.Command(f.tree + "/packaging/deps.sh")
	cmd.Env = append([]string{"PATH=" + f.tree + "/build/go/bin:" + f.bin, "HOME=" + f.tree + "/home",
		"XDG_CACHE_HOME=" + filepath.Dir(f.cache), "FAKE_LOG=" + f.log}, environ...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// downloads counts them.
func (f fresh) downloads(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile(f.log)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(text), "download")
}

// fetched is the version of Go that deps.sh names, and its directory.
func (f fresh) fetched(t *testing.T) (version, dir string) {
	t.Helper()
	text, err := os.ReadFile(f.tree + "/packaging/deps.sh")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^fetched=(go1\.\d+\.\d+)$`).FindSubmatch(text)
	if m == nil {
		t.Fatal("deps.sh names no version")
	}
	return string(m[1]), filepath.Join(f.cache, string(m[1])+"-"+runtime.GOARCH)
}

// The outcome of deps.sh for the installed Go: whether it succeeds, its output line by line, and how often it
// downloads. After a success the next run prints nothing.
func TestGoOfAnyAge(t *testing.T) {
	const fetching = `^jobgait: Go %s here is older than 1\.\d+\.\d+: fetching go\S+ \(\d+ MB\) into /\S+$`
	const byHand = `unpack Go 1\.\d+\.\d+ or later from go\.dev/dl as /usr/local/go$`
	root := func(t *testing.T, f fresh) { write(t, f.bin+"/id", "#!/bin/sh\necho 0\n") }
	debian := func(t *testing.T, f fresh) {
		root(t, f)
		write(t, f.bin+"/golang-go", fmt.Sprintf(fakeGo, "go1.19.8"))
		write(t, f.bin+"/apt-get", `#!/bin/sh
case "$1 $*" in "install "*golang-go) cp "${0%/*}/golang-go" "${0%/*}/go" ;; esac
`)
	}
	noCC := func(t *testing.T, f fresh) { os.Remove(f.bin + "/cc") }
	for _, c := range []struct {
		name, goVersion string
		machine         func(*testing.T, fresh)
		environ         []string
		ok              bool
		says            []string
		downloads       int
	}{
		{"newer", "go1.31.2", nil, nil, true, nil, 0},
		{"as go.mod says", "go1.26.0", nil, nil, true, nil, 0},
		{"with experiments", "go1.26.0 X:nogreenteagc", nil, nil, true, nil, 0},
		{"of the future", "devel go1.31-3ee4ce7 Mon Jan 5", nil, nil, true, nil, 0},
		{"candidate", "go1.26rc1", nil, nil, true, []string{fmt.Sprintf(fetching, `1\.26rc1`)}, 1},
		{"Debian 13's", "go1.24.4", nil, nil, true, []string{fmt.Sprintf(fetching, `1\.24\.4`)}, 1},
		{"Debian 12's", "go1.19.8", nil, nil, true, []string{fmt.Sprintf(fetching, `1\.19\.8`)}, 1},
		{"that may not switch", "go1.24.4", nil, []string{"GOTOOLCHAIN=local"}, true,
			[]string{fmt.Sprintf(fetching, `1\.24\.4`)}, 1},
		{"that must switch", "go1.24.4", nil, []string{"GOTOOLCHAIN=go1.23.1"}, false,
			[]string{fmt.Sprintf(fetching, `1\.23\.1`), `says it is Go 1\.23\.1: GOTOOLCHAIN is go1\.23\.1$`}, 1},
		{"none, root", "", debian, nil, true,
			[]string{`^jobgait: installing golang-go from the distribution's packages$`, fmt.Sprintf(fetching, `1\.19\.8`)}, 1},
		{"none, root, no packages", "", root, nil, false,
			[]string{"^jobgait: installing golang-go ",
				"^jobgait: apt-get could not install golang-go: .*apt-get.*not found$"}, 0},
		{"none", "", nil, nil, false, []string{`^jobgait: no Go here; as root: apt-get install golang-go .*` + byHand}, 0},
		{"no network", "go1.19.8", nil, []string{"FAKE_PROXY=none", "GOPROXY=https://proxy.test"}, false,
			[]string{fmt.Sprintf(fetching, `1\.19\.8`),
				`^jobgait: go1\S+ was not fetched: go: .*no such host; .*GOPROXY than https://proxy\.test, or ` + byHand}, 0},
		{"of one's own, too old", "go1.31.2", noCC, []string{"GO=/bin/false"}, false,
			[]string{`^jobgait: GO=/bin/false is no Go, and 1\.\d+\.\d+ or later is needed$`}, 0},
		{"of one's own, old on the PATH", "go1.19.8", func(t *testing.T, f fresh) {
			write(t, f.tree+"/own", fmt.Sprintf(fakeGo, "go1.31.2"))
		}, []string{"GO=./own"}, true, nil, 0},
		{"no compiler", "go1.31.2", noCC, nil, false,
			[]string{`^jobgait: missing: gcc libc6-dev; as root: apt-get install --no-install-recommends gcc libc6-dev$`}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFresh(t, c.goVersion)
			if c.machine != nil {
				c.machine(t, f)
			}
			out, err := f.deps(c.environ...)
			if (err == nil) != c.ok {
				t.Fatalf("%v\n%s", err, out)
			}
			lines := strings.FieldsFunc(out, func(r rune) bool { return r == '\n' })
			if len(lines) != len(c.says) {
				t.Fatalf("it says %q, want %q", lines, c.says)
			}
			for i, want := range c.says {
				if !regexp.MustCompile(want).MatchString(lines[i]) {
					t.Errorf("it says %q, want %q", lines[i], want)
				}
			}
			if n := f.downloads(t); n != c.downloads {
				t.Errorf("%d downloads, want %d", n, c.downloads)
			}
			if c.ok {
				f.settled(t, c.downloads > 0, c.environ...)
			}
			f.clean(t)
		})
	}
}

// settled: what was fetched is as Go itself would have unpacked it, build/go
// leads there, and another run, of a second clone too, says and fetches nothing.
func (f fresh) settled(t *testing.T, fetched bool, environ ...string) {
	t.Helper()
	for _, build := range []string{"there", "gone"} {
		before := f.downloads(t)
		if out, err := f.deps(environ...); out != "" || err != nil || f.downloads(t) != before {
			t.Errorf("again, build %s: %q, %v", build, out, err)
		}
		link, err := os.Readlink(f.tree + "/build/go")
		version, dir := f.fetched(t)
		if !fetched {
			if !errors.Is(err, os.ErrNotExist) {
				t.Errorf("build/go leads to %q, %v", link, err)
			}
			return
		}
		if link != dir {
			t.Fatalf("build/go leads to %q, want %q", link, dir)
		}
		if out, err := exec.Command(f.tree+"/build/go/bin/go", "env", "GOVERSION").CombinedOutput(); string(out) != version+
			"\n" {
			t.Errorf("the fetched Go says %q, %v", out, err)
		}
		if info, err := os.Stat(dir + "/pkg/tool/linux/compile"); err != nil || info.Mode()&0o111 != 0o111 {
			t.Errorf("the fetched compiler: %v, %v", info.Mode(), err)
		}
		if b, err := os.ReadFile(dir + "/src/go.mod"); string(b) != "module\n" {
			t.Errorf("src/go.mod: %q, %v", b, err)
		}
		if err := os.RemoveAll(f.tree + "/build"); err != nil {
			t.Fatal(err)
		}
	}
}

// clean: nothing is left in the cache but what was fetched.
func (f fresh) clean(t *testing.T) {
	t.Helper()
	_, dir := f.fetched(t)
	left, err := filepath.Glob(f.cache + "/*")
	if err != nil || len(left) > 1 || len(left) == 1 && left[0] != dir {
		t.Errorf("the cache holds %v, %v", left, err)
	}
}

// Recipes of the Makefile, and scripts that they run, use the Go toolchain that was fetched; GO is not queried
// for a newer one.
func TestRecipesHaveTheGo(t *testing.T) {
	makeTool, err := exec.LookPath("make")
	if err != nil {
		t.Skip(err)
	}
	f := newFresh(t, "go1.19.8")
	version, _ := f.fetched(t)
	write(t, f.bin+"/own", fmt.Sprintf(fakeGo, "go1.31.2"))
	for _, c := range [][2]string{{"GO=own", "go1.31.2\ngo1.19.8\n"}, {"SEED=1", version + "\n" + version + "\n"}} {
		cmd := exec.Command(makeTool, "-s", "--eval", "which: deps; @$(GO) env GOVERSION; sh -c 'go env GOVERSION'", c[0],
			"which")
		cmd.Dir = f.tree
		cmd.Env = []string{"PATH=" + f.bin, "XDG_CACHE_HOME=" + filepath.Dir(f.cache), "FAKE_LOG=" + f.log}
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil || !strings.HasSuffix(string(out), c[1]) {
			t.Errorf("%s: %q, want %q, %v\n%s", c[0], out, c[1], err, stderr.String())
		}
	}
}

// Many who fetch at once all get it, whole.
func TestGoFetchedAtOnce(t *testing.T) {
	f := newFresh(t, "go1.19.8")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if out, err := f.deps(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	all.Wait()
	f.settled(t, true)
	f.clean(t)
}

// The download of a proxy that serves something else is rejected, whatever the environment sets for checksums.
// The go command is the real one.
func TestGoOfAWrongChecksum(t *testing.T) {
	real, err := exec.LookPath("go")
	if err != nil {
		t.Skip(err)
	}
	f := newFresh(t, "go1.19.8")
	version, _ := f.fetched(t)
	version = "v0.0.1-" + version + ".linux-" + runtime.GOARCH
	proxy := t.TempDir() + "/golang.org/toolchain/@v"
	if err := os.MkdirAll(proxy, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, proxy+"/"+version+".info", `{"Version":"`+version+`"}`)
	write(t, proxy+"/"+version+".mod", "module golang.org/toolchain\n")
	module, err := os.Create(proxy + "/" + version + ".zip")
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(module)
	w, err := z.Create("golang.org/toolchain@" + version + "/bin/go")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("#!/bin/sh\necho go1.31.2\n")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(z.Close(), module.Close()); err != nil {
		t.Fatal(err)
	}
	out, err := f.deps("REAL_GO="+real, "FAKE_PROXY=file://"+strings.TrimSuffix(proxy, "/golang.org/toolchain/@v"),
		"GOSUMDB=off", "GONOSUMDB=*", "GOINSECURE=*", "GOFLAGS=-insecure -mod=mod")
	if err == nil || !strings.Contains(out, "checksum mismatch") || strings.Count(out, "\n") != 2 {
		t.Errorf("%v\n%s", err, out)
	}
	f.clean(t)
}

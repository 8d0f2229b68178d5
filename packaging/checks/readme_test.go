package checks

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"jobgait/agent/job/jobtest"
	"jobgait/configs"
)

// readmeBlocks are the README's sh blocks, without the indentation of their list.
func readmeBlocks(t *testing.T) (blocks []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	in, indent := false, 0
	for line := range strings.Lines(string(text)) {
		mark := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(mark, "```"):
			if in = mark == "```sh"; in {
				indent = strings.Index(line, "`")
				blocks = append(blocks, "")
			}
		case in:
			blocks[len(blocks)-1] += line[min(indent, len(line)-1):]
		}
	}
	return blocks
}

// onCluster is where a block of the cluster's steps is to be run, "" for those of
// one machine.
func onCluster(block string) string {
	first, _, _ := strings.Cut(block, "\n")
	for _, host := range []string{"# on every node", "# on the controller", "# on the history's host",
		"# once, on any node"} {
		if first == host {
			return host
		}
	}
	return ""
}

// readmeCommands are the commands for one machine, without comments.
func readmeCommands(t *testing.T) []string {
	t.Helper()
	var commands []string
	for _, block := range readmeBlocks(t) {
		if onCluster(block) != "" {
			continue
		}
		for line := range strings.Lines(block) {
			command, _, _ := strings.Cut(strings.TrimSpace(line), " #")
			if command != "" {
				commands = append(commands, strings.TrimSpace(command))
			}
		}
	}
	return commands
}

// The steps for a cluster are valid shell for a reader who runs them block by block: the settings that they
// write are known, and the files of the tree that they name exist. Whether a cluster then works is tested
// elsewhere.
func TestReadmeCluster(t *testing.T) {
	steps, settings := 0, ""
	named := regexp.MustCompile(`configs/[a-z.]+/[a-z.]+`)
	for _, block := range readmeBlocks(t) {
		where := onCluster(block)
		if where == "" {
			if strings.HasPrefix(block, "#") {
				t.Errorf("a block for a host that is none of the four: %s", block)
			}
			continue
		}
		steps++
		cmd := exec.Command("sh", "-n")
		cmd.Stdin = strings.NewReader(block)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s\n%s", where, err, out, block)
		}
		for _, path := range named.FindAllString(block, -1) {
			if _, err := os.Stat(filepath.Join(root(t), path)); err != nil {
				t.Error(err)
			}
		}
		if _, after, found := strings.Cut(block, "jobgait.toml <<'END'\n"); found {
			settings, _, _ = strings.Cut(after, "END\n")
		}
	}
	path := filepath.Join(t.TempDir(), "jobgait.toml")
	if err := os.WriteFile(path, []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	cfg, err := configs.Load(func(name string) string { return map[string]string{"JOBGAIT_CONFIG": path}[name] }, "")
	if err != nil || cfg.Collect.Dir != "/shared/jobgait" || cfg.History.Ingest != "spool" || steps < 6 {
		t.Errorf("%d steps, settings %q: %v", steps, settings, err)
	}
}

// TestReadmeIsShort limits the words of the README, code blocks included, as wc -w counts them.
func TestReadmeIsShort(t *testing.T) {
	const maxWords = 1200
	text, err := os.ReadFile(filepath.Join(root(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(strings.Fields(string(text))); n > maxWords {
		t.Errorf("the README has %d words; the limit is %d", n, maxWords)
	}
}

// The three settings that show results where users look are in the README in three lines each: the file, the table or
// the program, and the setting. The two of jobgait.toml are valid and change one setting.
func TestReadmeSettings(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	line := func(c configs.Config) bool { return c.Report.StdoutLine }
	comment := func(c configs.Config) bool { return c.Slurm.AdminComment }
	changed := map[string]func(configs.Config) bool{
		"# jobgait.toml\n[report]\nstdout_line = true\n":                 line,
		"# jobgait.toml\n[slurm]\nadmin_comment = true\n":                comment,
		"# slurm.conf, controller\nMailProg=/usr/libexec/jobgait/mail\n": nil,
	}
	shown := strings.ReplaceAll(string(text), "\n   ", "\n")
	for block, set := range changed {
		if !strings.Contains(shown, "\n"+block+"```\n") || strings.Count(block, "\n") > 3 {
			t.Errorf("the README has no block of three lines with\n%s", block)
		}
		if set == nil {
			continue
		}
		path := filepath.Join(t.TempDir(), "jobgait.toml")
		if err := os.WriteFile(path, []byte(block), 0o644); err != nil {
			t.Fatal(err)
		}
		cfg, err := configs.Load(func(name string) string { return map[string]string{"JOBGAIT_CONFIG": path}[name] }, "")
		if err != nil || cfg.Unknown != "" || !set(cfg) || set(configs.Default()) {
			t.Errorf("%s: %v, %s", block, err, cfg.Unknown)
		}
	}
}

// numbers are the files that the README's examples read.
func numbers() map[string]string {
	nights, sizes, wave := "t,value,compiler\n", "param,rep,value\n", "t_s,load\n"
	for i := range 40 {
		level, compiler := 100+i%3, "gcc-12"
		if i >= 25 {
			level, compiler = 115+i%3, "gcc-13"
		}
		nights += fmt.Sprintf("%d,%d,%s\n", i+1, level, compiler)
	}
	for p := 1; p <= 512; p *= 2 {
		sizes += fmt.Sprintf("%d,1,%d\n", p, 10+3*p)
	}
	for i := range 4000 {
		wave += fmt.Sprintf("%.3f,%d\n", float64(i)*0.005, i%40/10)
	}
	return map[string]string{"nights.csv": nights, "sizes.csv": sizes, "wave.csv": wave}
}

// TestReadmeCommands runs the commands of the README as a new user on one machine would. Commands that install
// or test the whole tree are only looked up in the Makefile; `make install` runs below a directory of its own.
func TestReadmeCommands(t *testing.T) {
	bin := os.Getenv("JOBGAIT_BIN")
	if bin == "" {
		t.Skip("JOBGAIT_BIN does not name the built programs: run make test")
	}
	home := t.TempDir()
	application := "#!/bin/sh\nexec sleep 0.2\n"
	if err := jobtest.WriteProgram(filepath.Join(home, "my_application"), []byte(application)); err != nil {
		t.Fatal(err)
	}
	for name, text := range numbers() {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	commands := readmeCommands(t)
	for _, must := range []string{"make demo", "make test", "jobgait run -- ./my_application input"} {
		if !slices.Contains(commands, must) {
			t.Errorf("the README does not say %q", must)
		}
	}
	for _, c := range commands {
		cmd := exec.Command("sh", "-c", c)
		cmd.Dir = home
		cmd.Env = []string{"HOME=" + home, "PATH=" + bin + ":" + os.Getenv("PATH"), "LC_ALL=C"}
		switch {
		case strings.HasPrefix(c, "sudo make install"):
			// The programs are built and in use by other tests: -o keeps make from building them.
			rest := strings.TrimPrefix(c, "sudo make install")
			cmd = exec.Command("sh", "-c", "make -o build install"+rest+" DESTDIR="+filepath.Join(home, "root"))
			cmd.Dir = root(t)
		case strings.HasPrefix(c, "make "):
			cmd = exec.Command("sh", "-c", "make -n "+strings.TrimPrefix(c, "make "))
			cmd.Dir = root(t)
		case strings.HasPrefix(c, "go doc"):
			continue // Go's own
		case strings.HasPrefix(c, "sqlite3 "):
			if _, err := exec.LookPath("sqlite3"); err != nil {
				t.Logf("not run without sqlite3: %s", c)
				continue
			}
		}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", c, err, out)
		}
		if strings.HasPrefix(c, "sqlite3 ") && !strings.HasPrefix(string(out), "1|") {
			t.Errorf("%s: %q", c, out)
		}
	}
	installed := filepath.Join(home, "root/usr/local/bin/jobgait")
	if out, err := exec.Command(installed, "--version").CombinedOutput(); err != nil {
		t.Errorf("the installed program: %v\n%s", err, out)
	}
}

package checks

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readmeCommands are the commands in the README's sh blocks, without comments.
func readmeCommands(t *testing.T) []string {
	t.Helper()
	f, err := os.Open(filepath.Join(root(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var commands []string
	in := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		switch {
		case strings.HasPrefix(line, "```"):
			in = line == "```sh"
		case in && line != "":
			command, _, _ := strings.Cut(line, " #")
			commands = append(commands, strings.TrimSpace(command))
		}
	}
	return commands
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

// TestReadmeCommands runs what the README tells a reader to type, as a new user
// on one machine would. What installs or tests the whole tree is looked up in
// the Makefile instead; `make install` runs below a directory of its own.
func TestReadmeCommands(t *testing.T) {
	bin := os.Getenv("JOBGAIT_BIN")
	if bin == "" {
		t.Skip("JOBGAIT_BIN does not name the built programs: run make test")
	}
	home := t.TempDir()
	application := "#!/bin/sh\nexec sleep 0.2\n"
	if err := os.WriteFile(filepath.Join(home, "my_application"), []byte(application), 0o755); err != nil {
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
		case strings.HasPrefix(c, "sbatch "), strings.HasPrefix(c, "go doc"):
			continue // the cluster tests submit jobs; go doc is Go's
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

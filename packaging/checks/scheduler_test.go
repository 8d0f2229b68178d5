package checks

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// slurmWord is a name or a text that is Slurm's own.
var slurmWord = regexp.MustCompile(`(?i:slurm)|\b[sS]control|\b[sS]acct|SPANK_|PrologFlags`)

// aboutSlurm are the packages and files whose subject Slurm is, or who name it to
// people. All others know it through agent/job.Scheduler.
var aboutSlurm = map[string]string{
	"agent/job/slurm/":             "the scheduler itself",
	"agent/job/scheduler/":         "the list of schedulers",
	"agent/cgroup/":                "where Slurm's cgroups are",
	"configs/":                     "the settings' own words",
	"epilog/check/":                "doctor: slurm.conf, plugstack.conf, the hooks",
	"packaging/":                   "packages for Slurm, and clusters of it",
	"analysis/run/job.go":          "the field slurm_version",
	"analysis/table/":              "notation of node lists that people write",
	"agent/leavecgroup.go":         "a text for who set PrologFlags",
	"epilog/main.go":               "the usage text",
	"reports/jobgait/doctor.go":    "where doctor finds slurm.conf",
	"reports/jobgait/reanalyse.go": "the job array of reanalyse",
	"reports/jobgait/mail.go":      "the help of its MailProg",
	"reports/jobgait/seff.go":      "the name of the program that seff imitates",
	"reports/seff/":                "the words of the accounting program that it imitates",
}

// Only the packages behind the scheduler's interface use Slurm's terms. Comments may name it.
func TestSchedulersStandBehindOneInterface(t *testing.T) {
	used := map[string]bool{}
	err := filepath.WalkDir(root(t), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root(t), path)
		if err != nil {
			return err
		}
		if e.IsDir() && (name == "build" || strings.HasPrefix(name, ".git")) {
			return fs.SkipDir
		}
		if e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		for where := range aboutSlurm {
			if strings.HasPrefix(name, where) {
				used[where] = true
				return nil
			}
		}
		return slurmWords(t, path, name)
	})
	if err != nil {
		t.Fatal(err)
	}
	for where := range aboutSlurm {
		if !used[where] {
			t.Errorf("%s is excepted and not there", where)
		}
	}
}

// slurmWords complains of each in a file that is not in a comment.
func slurmWords(t *testing.T, path, name string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	files := token.NewFileSet()
	file := files.AddFile(name, -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	for {
		pos, tok, word := s.Scan()
		if tok == token.EOF {
			return nil
		}
		importPath := strings.HasPrefix(word, `"jobgait/`)
		if slices.Contains([]token.Token{token.IDENT, token.STRING}, tok) && !importPath && slurmWord.MatchString(word) {
			t.Errorf("%s: %s: only package job/slurm knows words of Slurm", files.Position(pos), word)
		}
	}
}

// Program man writes the manual pages and the shell completions:
//
//	go run ./packaging/man BIN SHARE
//
// It reads the help texts of the built programs in BIN. It must run in the root of the tree, where it reads
// the comments of configs/jobgait.toml, of the history's schema and queries, of the notes and of the programs.
// It writes files below SHARE in the layout of PREFIX/share. The files are not kept in the tree, because pages
// written by hand become wrong with the next change.
//
// cobra/doc was considered in November 2026: it would replace verbs.go (38 lines), but require go-md2man,
// blackfriday and a YAML reader, and the command tree, which is in package main of
// reports/jobgait; it does not cover settings, views, queries, notes and programs.
//
// It fails if it cannot parse one of these sources. Its tests check that the pages contain every verb, flag,
// key, view, column and note of the sources.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"jobgait/configs"
)

func main() {
	os.Exit(run(os.Args[1:], os.Getenv, os.Stderr))
}

// run runs the program and returns its exit status.
func run(args []string, getenv func(string) string, complain io.Writer) int {
	if len(args) != 2 {
		fmt.Fprintln(complain, "man: want two arguments: man BIN SHARE, the directories of the programs and of the pages")
		return 2
	}
	of := edition{version: configs.Version}
	if s, err := strconv.ParseInt(getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		of.date = time.Unix(s, 0).UTC().Format(time.DateOnly)
	}
	files, err := allFiles(args[0], of)
	if err == nil {
		err = write(args[1], files)
	}
	if err != nil {
		fmt.Fprintf(complain, "man: %v\n", err)
		return 1
	}
	return 0
}

// allFiles returns all files by their paths below SHARE.
func allFiles(bin string, of edition) (map[string][]byte, error) {
	pages, err := allPages(bin, of)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, p := range pages {
		files["man/man"+p.section+"/"+p.name+"."+p.section] = []byte(p.text.String())
	}
	for shell, path := range map[string]string{
		"bash": "bash-completion/completions/jobgait",
		"zsh":  "zsh/site-functions/_jobgait",
		"fish": "fish/vendor_completions.d/jobgait.fish",
	} {
		if files[path], err = programOutput(bin, "jobgait", "completion", shell); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// allPages returns all manual pages.
func allPages(bin string, of edition) ([]*page, error) {
	verbs, err := verbsPage(bin, of)
	if err != nil {
		return nil, err
	}
	toml, err := os.ReadFile("configs/jobgait.toml")
	if err != nil {
		return nil, err
	}
	schema, err := os.ReadFile("analysis/history/schema.sql")
	if err != nil {
		return nil, err
	}
	stored, err := historyPage(string(schema), of)
	if err != nil {
		return nil, err
	}
	groups, err := allNotes()
	if err != nil {
		return nil, err
	}
	pages := []*page{verbs, settingsPage(string(toml), of), stored, reportPage(groups, of)}
	for _, pr := range programs {
		p, err := readProgram(bin, pr, of)
		if err != nil {
			return nil, err
		}
		pages = append(pages, p)
	}
	return pages, nil
}

// readProgram returns the manual page of a program.
func readProgram(bin string, pr program, of edition) (*page, error) {
	comment, err := commentOf(pr.dir + "/main.go")
	if err != nil {
		return nil, err
	}
	// A program without --help prints its usage on stderr.
	help, err := exec.Command(filepath.Join(bin, pr.name), "--help").CombinedOutput()
	if exit := (&exec.ExitError{}); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	return programPage(pr, comment, string(help), of), nil
}

// commentOf returns the package comment of a source file.
func commentOf(path string) (string, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	head, _, _ := strings.Cut(string(source), "\npackage ")
	if !strings.HasPrefix(head, "// Program ") {
		return "", fmt.Errorf("%s does not begin with a description of the program: add a package comment", path)
	}
	return regexp.MustCompile(`(?m)^// ?`).ReplaceAllString(head, ""), nil
}

// allNotes returns the groups of codes of analysis/note, one per block of constants, in the order of file
// names, except that those of note.go, which every run may have, come first.
func allNotes() ([]noteGroup, error) {
	paths, err := filepath.Glob("analysis/note/*.go")
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(paths, func(a, b string) int {
		return strings.Compare(strings.TrimSuffix(a, "note.go"), strings.TrimSuffix(b, "note.go"))
	})
	var groups []noteGroup
	for _, path := range paths {
		of, err := parseNotes(path)
		if err != nil {
			return nil, err
		}
		groups = append(groups, of...)
	}
	return groups, nil
}

// programOutput returns the standard output of a built program in the directory bin. If the program fails, the error
// contains its standard error.
func programOutput(bin, name string, args ...string) ([]byte, error) {
	path, err := filepath.Abs(filepath.Join(bin, name))
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, args...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, complaint.String())
	}
	return out, nil
}

// write writes the files below share.
func write(share string, files map[string][]byte) error {
	for path, text := range files {
		path = filepath.Join(share, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

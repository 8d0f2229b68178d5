package history

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// Unknown stands where an application or a part of a shape is not known. Runs
// of an unknown application belong to no series: two of them may have nothing
// in common, so a Query for Unknown finds none.
const Unknown = "?"

// Application returns the name of a run's application, equal for repeated submissions of the same script: the
// user's label if there is one, else the executable, or the script that it interprets, and the job name.
// Digits of the job name are folded (melt-64 and melt-128 are melt-#), because users write the size, the date
// or the attempt into it; those of the executable are kept, they are mostly versions. A job name that equals
// the program's is left out. For a run of `jobgait run` without a script the job name alone counts. Unknown
// is the name without any of these.
func Application(s summary.Summary) string {
	if app := note.Clean(s.Job.App, maxName); app != "" {
		return app
	}
	exe, name := note.Clean(first(s.Job.Script, s.Job.Executable), maxName), foldDigits(note.Clean(s.Job.Name, maxName))
	switch {
	case exe == "" && name == "":
		return Unknown
	case exe == "" || sameProgram(name, exe) || s.Job.Script != "" && sameProgram(name, s.Job.Executable):
		// A job named after its program says nothing more.
		return first(exe, name)
	case name == "":
		return exe
	case s.Job.Script == "" && strings.HasPrefix(s.Key.Cluster, run.LocalCluster):
		// The command of `jobgait run`: which of its children used most CPU time differs from run to run (make).
		return name
	}
	return exe + " " + name
}

// sameProgram reports whether a job's name, with its digits folded, is that of a program but for versions: python# of
// python3.11.
func sameProgram(name, program string) bool {
	bare := func(s string) string { return strings.Trim(s, "0123456789.#") }
	return name == foldDigits(program) || bare(name) != "" && bare(name) == bare(program)
}

// Layout is a parsed shape; 0 and "" mean unknown.
type Layout struct {
	Nodes, Tasks int
	CPUs         int    // per task
	Arguments    string // fingerprint
	Size         string
}

// Shape returns the shape of a run as text: "2n 8t 4c args=00c0ffee00c0ffee size=L" is 2 nodes, 8 tasks, 4 CPUs
// per task, the fingerprint of the command's arguments, and the user's label for the size of the input. An
// unknown number is "?". Without a fingerprint of the arguments args= is left out, without a label size= is
// left out.
func Shape(s summary.Summary) string {
	shape := layoutText(s)
	if args := s.Job.Fields[run.FieldArguments]; fingerprint.MatchString(args) {
		shape += argumentsMark + args
	}
	return shape + sizeText(s)
}

// shapeWithoutArguments returns the shape without the arguments, as of older runs.
func shapeWithoutArguments(s summary.Summary) string { return layoutText(s) + sizeText(s) }

// argumentsMark stands before the fingerprint in a shape.
const argumentsMark = " args="

var fingerprint = regexp.MustCompile(`^[0-9a-f]{16}$`)

// layoutText returns the nodes, tasks and CPUs per task of a shape.
func layoutText(s summary.Summary) string {
	return fmt.Sprintf("%sn %st %sc", number(nnodes(s)), number(s.Job.NTasks), number(s.Job.CPUsPerTask))
}

// sizeText returns the size of a shape with its label, "" if none exists.
func sizeText(s summary.Summary) string {
	if size := note.Clean(s.Job.Size, maxName); size != "" {
		return " size=" + size
	}
	return ""
}

// LayoutOf parses the result of Shape; unknown numbers are 0. ok is false for other text, except that empty
// text gives an empty Layout.
func LayoutOf(shape string) (l Layout, ok bool) {
	given, size, _ := strings.Cut(shape, "size=")
	l.Size = size
	for _, f := range strings.Fields(given) {
		if args, ok := strings.CutPrefix(f, argumentsMark[1:]); ok {
			l.Arguments = args
			continue
		}
		number, unit := f[:len(f)-1], f[len(f)-1]
		n, err := strconv.Atoi(number)
		if err != nil && number != Unknown {
			return Layout{}, false
		}
		switch unit {
		case 'n':
			l.Nodes = n
		case 't':
			l.Tasks = n
		case 'c':
			l.CPUs = n
		default:
			return Layout{}, false
		}
	}
	return l, true
}

// User returns the login name, or the uid in digits if no name is known.
func User(s summary.Summary) string {
	return first(note.Clean(s.Job.User, maxName), strconv.Itoa(s.Job.UID))
}

// nnodes returns the number of nodes of the job, or that of the nodes listed in the summary if it is larger; nil if
// both are 0.
func nnodes(s summary.Summary) *int {
	n := max(s.Job.NNodes, len(s.Nodes))
	if n == 0 {
		return nil
	}
	return &n
}

// number returns a count as text, or Unknown.
func number(n *int) string {
	if n == nil || *n <= 0 {
		return Unknown
	}
	return strconv.Itoa(*n)
}

// foldDigits replaces every run of digits by one '#'.
func foldDigits(s string) string {
	var b strings.Builder
	inDigits := false
	for _, r := range s {
		digit := r >= '0' && r <= '9'
		if !digit {
			b.WriteRune(r)
		} else if !inDigits {
			b.WriteByte('#')
		}
		inDigits = digit
	}
	return b.String()
}

// first returns the first of its arguments that is not empty.
func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

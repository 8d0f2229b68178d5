// Package deliver writes a finished report where its user will find it: the files come in with directories to
// try in order, the directory that took them goes out. A child process with the rights of the job's user does
// the work (package as), because the user controls the directory during the write: links, pipes, quotas and
// hanging file systems there can then harm no other user.
//
// The package replaces no file without jobgait's mark, follows no link at a report's name, and leaves no
// partial report: either all files of a report are in one directory or none is.
package deliver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"jobgait/agent/as"
	"jobgait/analysis/note"
	"jobgait/reports/job"
)

// File is one file of a report.
type File struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

// Request is a report to deliver and the directories that it may go to.
type Request struct {
	// Dirs are absolute paths, best first.
	Dirs []string `json:"dirs"`
	// Sub is a directory to create in the chosen one for the report, "" for none.
	Sub   string `json:"sub"`
	Files []File `json:"files"`
	// Output is the path of the job's own output, "" if unknown: those who may read it may read the report.
	Output string `json:"output,omitempty"`
	// Umask gives the report the mode of any new file of this process instead of the output's.
	Umask bool `json:"umask,omitempty"`
	// Line is appended to Output; nil for no line.
	Line *OutputLine `json:"line,omitempty"`
}

// mode returns the mode of the report's files: with Umask 0666, of which the kernel takes away the umask, else
// the output's mode without execute permissions and at least 0600 if the output is a regular file of this
// account, else 0600.
func (req Request) mode() os.FileMode {
	if req.Umask {
		return 0o666
	}
	info, err := os.Stat(req.Output)
	if err != nil || !info.Mode().IsRegular() {
		return 0o600
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Geteuid() {
		return 0o600
	}
	return info.Mode().Perm()&0o666 | 0o600
}

// Delivery is the result of a delivery: Dir is the directory of Dirs that has the report, "" if none accepted
// it; Refused says why the others did not, one line each.
type Delivery struct {
	Dir     string   `json:"dir"`
	Refused []string `json:"refused"`
	// NoLine says why no line was appended to the job's output, "" if one was or none was requested.
	NoLine string `json:"no_line,omitempty"`
}

// As delivers a report with the rights of the child's account: in this process if it has these rights, else in
// the child.
func As(ctx context.Context, child as.Child, req Request) (Delivery, error) {
	if child.Account.IsCurrent() {
		return Write(req), nil
	}
	res, err := as.Ask[Delivery](ctx, child, as.Deliver, req)
	if err != nil {
		return Delivery{}, err
	}
	return res.validated(req)
}

// validated cleans and limits a child's answer, and returns an error if its directory is not one of the
// request's. The child runs as the user, who can make it answer anything.
func (r Delivery) validated(req Request) (Delivery, error) {
	if len(r.Refused) > len(req.Dirs) {
		r.Refused = r.Refused[:len(req.Dirs)]
	}
	r.NoLine = note.Clean(r.NoLine, maxReason)
	for i, why := range r.Refused {
		r.Refused[i] = note.Clean(why, maxReason)
	}
	if r.Dir == "" {
		return r, nil
	}
	for _, d := range req.Dirs {
		if r.Dir == d {
			return r, nil
		}
	}
	return Delivery{}, errors.New("the child process returned a directory that was not requested: its answer is discarded")
}

// maxReason limits one reason in a note, in characters.
const maxReason = 400

// Serve is the main function of the delivering child.
func Serve(ctx context.Context, r as.Request) error {
	return as.AnswerOne(func(_ context.Context, req Request) Delivery { return Write(req) })(ctx, r)
}

// Write delivers a report with the rights of this process, and appends the line to the job's output.
func Write(req Request) Delivery {
	res := writeToFirst(req)
	req.addLine(&res)
	return res
}

// writeToFirst writes the files into the first of the directories that accepts them. Refused says why those before it
// did not.
func writeToFirst(req Request) Delivery {
	res := Delivery{Refused: []string{}}
	tried := make(map[string]bool)
	for _, dir := range req.Dirs {
		if tried[dir] {
			continue
		}
		tried[dir] = true
		if err := writeAll(dir, req); err != nil {
			res.Refused = append(res.Refused, refusalText(dir, err))
			continue
		}
		res.Dir = dir
		return res
	}
	return res
}

// refusalText returns one line that says why a directory did not accept the report.
func refusalText(dir string, err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return dir + " does not exist"
	case errors.Is(err, fs.ErrPermission):
		return dir + " is not writable by the user"
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT):
		return dir + " is full"
	}
	return fmt.Sprintf("%s: %v", dir, err)
}

// errForeign reports an existing file that jobgait did not write.
var errForeign = errors.New("the present file is not a report of jobgait and is kept: move it to get the report")

// hasMark reports whether the head of a file has jobgait's mark.
func hasMark(head []byte) bool { return job.Mark(head) }

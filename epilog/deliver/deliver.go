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

// Request is a report and where it may go.
type Request struct {
	// Dirs are absolute paths, best first.
	Dirs []string `json:"dirs"`
	// Sub is a directory to make in the one chosen, "" for none.
	Sub   string `json:"sub"`
	Files []File `json:"files"`
	// Output is the path of the job's own output, "" if it is not known: who may read that may read the report.
	Output string `json:"output,omitempty"`
	// Umask gives the report the mode of any new file of this process instead.
	Umask bool `json:"umask,omitempty"`
	// Line is appended to Output; nil for no line.
	Line *OutputLine `json:"line,omitempty"`
}

// mode is that of the report's files: without Umask the mode of the output if that is a plain file of this account,
// else for the owner only.
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

// Delivery is where the report went: Dir is the one of Dirs that took it, or "" when
// none did; Refused says why others did not, one line each.
type Delivery struct {
	Dir     string   `json:"dir"`
	Refused []string `json:"refused"`
	// NoLine says why the job's output has no line, "" where it has one or none was wanted.
	NoLine string `json:"no_line,omitempty"`
}

// As delivers with the account's rights: in this process if they are its own,
// else in the child.
func As(ctx context.Context, child as.Child, req Request) (Delivery, error) {
	if child.Account.Current() {
		return Write(req), nil
	}
	res, err := as.Ask[Delivery](ctx, child, as.Deliver, req)
	if err != nil {
		return Delivery{}, fmt.Errorf("deliver: %w", err)
	}
	return res.among(req)
}

// among checks a child's answer: it runs as the user, who can make it say
// anything.
func (r Delivery) among(req Request) (Delivery, error) {
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
	return Delivery{}, fmt.Errorf("deliver: the child returned an unexpected directory")
}

// maxReason is the length of one reason in a note: a path and what is wrong.
const maxReason = 400

// Serve is the delivering child.
func Serve(ctx context.Context, r as.Request) error {
	return as.Answer(func(_ context.Context, req Request) Delivery { return Write(req) })(ctx, r)
}

// Write delivers with the rights of this process.
func Write(req Request) Delivery {
	res := write(req)
	req.addLine(&res)
	return res
}

// write puts the files into the best directory that takes them.
func write(req Request) Delivery {
	res := Delivery{Refused: []string{}}
	tried := make(map[string]bool)
	for _, dir := range req.Dirs {
		if tried[dir] {
			continue
		}
		tried[dir] = true
		if err := writeAll(dir, req); err != nil {
			res.Refused = append(res.Refused, reason(dir, err))
			continue
		}
		res.Dir = dir
		return res
	}
	return res
}

// reason is one line on why a directory did not take the report.
func reason(dir string, err error) string {
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
var errForeign = errors.New("is not a report of jobgait and is kept")

// hasMark reports whether the head of a file has jobgait's mark.
func hasMark(head []byte) bool { return job.Mark(head) }

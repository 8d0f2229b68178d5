package deliver

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// OutputLine is a line to append to the job's own output, after the job has ended.
type OutputLine struct {
	// Text is the line without its end and without the path of the report. What stands before its
	// first ';' names the job: an output that has such a line at its end gets no second one.
	Text string `json:"text"`
	// EndS is when the job ended, UTC epoch seconds.
	EndS float64 `json:"end_s"`
}

const (
	// outputTail is how much of the end of an output is searched for an earlier line.
	outputTail = 64 << 10
	// maxOutputLine limits the line, in bytes.
	maxOutputLine = 4096
	// clockTolerance is how long after the job's end the output may seem to be changed, because clocks of file
	// servers differ. A later change means that another job writes it.
	clockTolerance = 10 * time.Second
)

var (
	errNotPlain = errors.New("it is not a regular file")
	errShared   = errors.New("it changed after the end of the job, so another job writes it")
	errTooLarge = errors.New("it would exceed the file size limit of the process that appends")
)

// appendLine appends the line to the output, with the report's path. It begins on a line of its own. It returns an
// error, and leaves the file unchanged, if the file does not exist, is not a plain file, or is written by another job.
func appendLine(output string, line OutputLine, report string) error {
	text := line.Text
	if report != "" {
		text += "; " + report
	}
	if strings.ContainsAny(text, "\n\r") || len(text) > maxOutputLine {
		return fmt.Errorf("the line has %d bytes or a line feed, want one line of at most %d bytes", len(text),
			maxOutputLine)
	}
	// NONBLOCK: the user may have put a pipe there. O_APPEND and one write keep it in one piece.
	fd, err := unix.Open(output, unix.O_RDWR|unix.O_APPEND|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	file := os.NewFile(uintptr(fd), output)
	info, err := file.Stat()
	if err == nil {
		err = appendTo(file, info, line, text)
	}
	return errors.Join(err, file.Close())
}

// appendTo appends the text to an open output file. It returns an error if the file is not regular, changed more than
// clockTolerance after the job's end, or would become larger than this process may write. It returns nil without
// writing if the end of the file has a line that names the same job.
func appendTo(file *os.File, info os.FileInfo, line OutputLine, text string) error {
	end := time.Unix(0, int64(line.EndS*1e9))
	switch {
	case !info.Mode().IsRegular():
		return errNotPlain
	case info.ModTime().After(end.Add(clockTolerance)):
		return errShared
	case !sizeAllowed(info.Size() + maxOutputLine):
		return errTooLarge
	}
	tail := make([]byte, min(info.Size(), outputTail))
	if _, err := file.ReadAt(tail, info.Size()-int64(len(tail))); err != nil {
		return err
	}
	name, _, _ := strings.Cut(text, ";")
	for old := range bytes.Lines(tail) {
		if bytes.HasPrefix(old, []byte(name+";")) {
			return nil
		}
	}
	if len(tail) > 0 && tail[len(tail)-1] != '\n' {
		text = "\n" + text
	}
	_, err := file.WriteString(text + "\n")
	return err
}

// sizeAllowed reports whether the process's file size limit permits files of this size. A write beyond the
// limit would kill the process.
func sizeAllowed(size int64) bool {
	var limit unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit)
	return err == nil && uint64(size) < limit.Cur
}

// addLine appends the request's line to the job's output after a delivery. A failure is reported in NoLine.
// The line names the first file of the report.
func (req Request) addLine(res *Delivery) {
	if req.Line == nil || req.Output == "" {
		return
	}
	report := ""
	if res.Dir != "" && len(req.Files) > 0 {
		report = filepath.Join(res.Dir, req.Sub, req.Files[0].Name)
	}
	if err := appendLine(req.Output, *req.Line, report); err != nil {
		res.NoLine = fmt.Sprintf("%s: %v", req.Output, err)
	}
}

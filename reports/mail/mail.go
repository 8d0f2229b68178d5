// Package mail makes the mail that a scheduler sends about a job: its subject, and as its body the first screen
// of the job's report, or nothing. It returns a message of RFC 5322 in which texts of users cannot add a
// header. It does not send the mail.
package mail

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"strings"
	"unicode"
)

// screenLines is the largest number of lines of a report in a mail.
const screenLines = 40

// maxAddress and maxSubject are the largest lengths in bytes of the list of addresses and of the subject.
const maxAddress, maxSubject = 1000, 2000

// Recipients splits a list of addresses at commas. It rejects a list without an address or longer than
// maxAddress bytes, control characters, blanks within an address, and addresses that sendmail would take for
// an option, a program or a file.
func Recipients(list string) ([]string, error) {
	if len(list) > maxAddress || strings.ContainsFunc(list, func(r rune) bool { return unicode.IsControl(r) }) {
		return nil, fmt.Errorf("recipient %.60q has an end of line, another control character or more than %d bytes: no "+
			"mail is "+
			"sent", list, maxAddress)
	}
	var out []string
	for _, a := range strings.Split(list, ",") {
		a = strings.TrimSpace(a)
		if a == "" {
			continue
		}
		if a[0] == '-' || a[0] == '|' || a[0] == '/' || strings.ContainsAny(a, " \t<>;\"\\`$") {
			return nil, fmt.Errorf("invalid recipient %.60q: want a mail address; no mail is sent", a)
		}
		out = append(out, a)
	}
	if len(out) == 0 {
		return nil, errors.New("the list of recipients is empty: no mail is sent")
	}
	return out, nil
}

// Message returns the mail. Control characters of the subject become blanks, and a long subject is cut to
// maxSubject bytes.
func Message(to []string, subject, body string) []byte {
	subject = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, subject[:min(len(subject), maxSubject)])
	var b bytes.Buffer
	fmt.Fprintf(&b, "To: %s\n", strings.Join(to, ", "))
	fmt.Fprintf(&b, "Subject: %s\n", strings.ReplaceAll(mime.QEncoding.Encode("utf-8", strings.ToValidUTF8(subject, "?")),
		"?= =?", "?=\n =?"))
	b.WriteString("Auto-Submitted: auto-generated\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n" +
		"Content-Transfer-Encoding: 8bit\n\n")
	for line := range strings.Lines(body) {
		b.WriteString(strings.TrimRight(line, "\r\n") + "\n")
	}
	return b.Bytes()
}

// FirstScreen returns the beginning of a report, up to the last empty line in the second half of a screen, or a
// full screen without one.
func FirstScreen(report string) string {
	lines := strings.SplitAfter(report, "\n")
	if len(lines) <= screenLines {
		return report
	}
	end := screenLines
	for i := screenLines; i > screenLines/2; i-- {
		if strings.TrimSpace(lines[i]) == "" {
			end = i
			break
		}
	}
	return strings.Join(lines[:end], "")
}

// Package mail makes the mail that a scheduler sends about a job: its subject, and as its body the first screen
// of the job's report, or nothing. It returns a message of RFC 5322 in which texts of users cannot add a
// header. It does not send the mail.
package mail

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	netmail "net/mail"
	"strings"
	"unicode"
	"unicode/utf8"
)

// screenLines is the largest number of lines of a report in a mail.
const screenLines = 40

// maxAddresses and maxSubject are the largest lengths in bytes of the list of addresses and of the subject. The
// kernel limits an argument of a program to the former.
const maxAddresses, maxSubject = 128 << 10, 2000

// Recipients splits a list of addresses at commas and returns each address once, without a display name. It
// rejects a list without an address or longer than maxAddresses bytes, control characters, blanks within an
// address, and addresses that sendmail would take for an option, a program or a file.
func Recipients(list string) ([]string, error) {
	switch {
	case len(list) > maxAddresses:
		return nil, fmt.Errorf("the list of recipients has %d bytes, more than %d: no mail is sent", len(list),
			maxAddresses)
	case strings.ContainsFunc(list, func(r rune) bool { return unicode.IsControl(r) }):
		return nil, fmt.Errorf("recipient %.60q has an end of line or another control character: no mail is sent", list)
	case !utf8.ValidString(list):
		return nil, fmt.Errorf("recipient %.60q is not UTF-8: no mail is sent", list)
	}
	var out []string
	seen := map[string]bool{}
	for _, a := range splitAddresses(list) {
		if a == "" || seen[a] {
			continue
		}
		if a[0] == '-' || a[0] == '|' || a[0] == '/' || strings.ContainsAny(a, " \t<>;\"\\`$") {
			return nil, fmt.Errorf("invalid recipient %.60q: want a mail address; no mail is sent", a)
		}
		out, seen[a] = append(out, a), true
	}
	if len(out) == 0 {
		return nil, errors.New("the list of recipients is empty: no mail is sent")
	}
	return out, nil
}

// splitAddresses splits a list of addresses at commas. A list with display names, such as
// `"Doe, Jane" <jane@example.org>`, is parsed by RFC 5322; if that fails, its parts are returned as they are.
func splitAddresses(list string) []string {
	if strings.Contains(list, "<") {
		if parsed, err := netmail.ParseAddressList(list); err == nil {
			addresses := make([]string, len(parsed))
			for i, a := range parsed {
				addresses[i] = a.Address
			}
			return addresses
		}
	}
	addresses := strings.Split(list, ",")
	for i, a := range addresses {
		addresses[i] = strings.TrimSpace(a)
	}
	return addresses
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
	fmt.Fprintf(&b, "To: %s\n", strings.Join(to, ",\n "))
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

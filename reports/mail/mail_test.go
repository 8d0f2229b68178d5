package mail

import (
	"bytes"
	"io"
	"mime"
	netmail "net/mail"
	"strings"
	"testing"
)

func TestRecipients(t *testing.T) {
	if got, err := Recipients("alice, bob@example.org"); err != nil || strings.Join(got, "|") != "alice|bob@example.org" {
		t.Errorf("%v, %v", got, err)
	}
	for list, want := range map[string]string{
		`Jane Doe <jane@example.org>, bob`:                      "Jane Doe <jane@example.org>",
		`"Doe, Jane" <jane@example.org>, Bob <bob@example.org>`: "jane@example.org|bob@example.org",
		"J\u00fcrgen <j\u00fcrgen@b\u00fccher.example>":         "j\u00fcrgen@b\u00fccher.example",
		"=?utf-8?q?J=C3=BCrgen?= <j@example.org>":               "j@example.org",
		"alice,bob,alice": "alice|bob",
	} {
		got, err := Recipients(list)
		if bare := strings.HasSuffix(list, ", bob"); err != nil != bare || !bare && strings.Join(got, "|") != want {
			t.Errorf("%q: %q, %v", list, got, err)
		}
	}
	for _, bad := range []string{"", " , ", "a\nb", "a\r\nBcc: x", "-oQ/tmp", "a b", "|sh", "/etc/passwd", "a\x00",
		strings.Repeat("a,", 100000), "<>", "Jane <jane", "x <a b@c>", "j\xfcrgen"} {
		if got, err := Recipients(bad); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.40q: %v, %v", bad, got, err)
		}
	}
}

func TestFirstScreen(t *testing.T) {
	short := "a\nb\n"
	if FirstScreen(short) != short {
		t.Error("a short report is cut")
	}
	got := FirstScreen(strings.Repeat("line\n", 30) + "\n" + strings.Repeat("rest\n", 50))
	if got != strings.Repeat("line\n", 30) {
		t.Errorf("%d lines", strings.Count(got, "\n"))
	}
}

// Whatever a user writes into the subject, the mail has exactly the intended headers, and the body is the body.
func FuzzMessage(f *testing.F) {
	f.Add("Slurm Job_id=8 Name=x Ended", "report\n")
	f.Add("x\nBcc: mallory", "")
	f.Add(strings.Repeat("\u00e4", 300), ".\nFrom x\n")
	f.Fuzz(func(t *testing.T, subject, body string) {
		m, err := netmail.ReadMessage(bytes.NewReader(Message([]string{"alice"}, subject, body)))
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Header) != 6 || m.Header.Get("To") != "alice" {
			t.Errorf("headers %v", m.Header)
		}
		if _, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject")); err != nil {
			t.Errorf("subject %q: %v", m.Header.Get("Subject"), err)
		}
		got, err := io.ReadAll(m.Body)
		if err != nil || len(got) > len(body)+1 {
			t.Errorf("the body has %d bytes of %d, %v", len(got), len(body), err)
		}
	})
}

// Whatever the list, an accepted address is one argument that sendmail takes for an address, and one line of a header.
func FuzzRecipients(f *testing.F) {
	f.Add("alice, bob@example.org")
	f.Add(`"Doe, Jane" <jane@example.org>,x`)
	f.Add("a\nBcc: b")
	f.Fuzz(func(t *testing.T, list string) {
		got, err := Recipients(list)
		for _, a := range got {
			if err != nil || a == "" || strings.ContainsAny(a, "\n\r\x00 <>|;") || a[0] == '-' || a[0] == '/' {
				t.Errorf("%q of %q, %v", a, list, err)
			}
		}
	})
}

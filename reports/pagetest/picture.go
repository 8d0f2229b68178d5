package pagetest

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
)

// Picture fails if svg is not XML, or contains an invalid number or anything that a strict content policy
// blocks.
func Picture(t testing.TB, svg string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in %.300s", err, svg)
		}
	}
	for _, bad := range []string{" style=", "href=", "url(", "<script", "NaN", "Inf", "\x1b"} {
		if strings.Contains(svg, bad) {
			t.Errorf("%q in %.300s", bad, svg)
		}
	}
}

// Pictures returns the outermost svg elements of a page.
func Pictures(page string) []string {
	var out []string
	depth, start := 0, 0
	for _, m := range regexp.MustCompile(`</?svg\b`).FindAllStringIndex(page, -1) {
		if page[m[0]+1] != '/' {
			if depth == 0 {
				start = m[0]
			}
			depth++
			continue
		}
		if depth--; depth == 0 {
			out = append(out, page[start:m[1]+1])
		}
	}
	return out
}

package html

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"strings"
)

//go:embed page.css
var pageCSS string

// Style is the style sheet of the report's page. Other pages begin with it and
// add what they draw besides.
func Style() string { return pageCSS }

//go:embed page.js
var pageJS string

// Script reads off values of the timeline under the pointer.
func Script() string { return pageJS }

// Nice replaces what text writes in ASCII by the signs that a browser has.
func Nice(s string) string {
	return strings.NewReplacer("+-", "±", " -> ", " → ", " %", "\u00a0%").Replace(s)
}

// policy is the page's content security policy: only our own style and script,
// known by their hashes, and pictures within the page.
func Policy(css string) string {
	return "default-src 'none'; script-src '" + Hash(pageJS) + "'; style-src '" + Hash(css) +
		"'; img-src data:; base-uri 'none'; form-action 'none'"
}

// Hash is how a content security policy names a style sheet or a script.
func Hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

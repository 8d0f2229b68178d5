package plot

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// cleanElements and cleanAttributes are the elements and attributes that pictures of this package contain. None
// of them loads, links, styles or runs anything.
var (
	cleanElements   = strings.Fields("svg g title path rect circle line text")
	cleanAttributes = strings.Fields(
		"xmlns class role width height viewBox preserveAspectRatio x y x1 x2 y1 y2 cx cy r rx " +
			"d dy vector-effect text-anchor aria-hidden data-lo data-hi")
)

// CleanSVG parses and rewrites a picture that may come from another account. It must be one svg element with
// only the elements and attributes that this package uses; anything else is an error.
func CleanSVG(picture string) (string, error) {
	in := xml.NewDecoder(strings.NewReader(picture))
	var out strings.Builder
	depth, roots := 0, 0
	for {
		token, err := in.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", fmt.Errorf("read the SVG picture: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth == 0 {
				roots++
			}
			depth++
			if err := writeStart(&out, t); err != nil {
				return "", err
			}
		case xml.EndElement:
			depth--
			out.WriteString("</" + t.Name.Local + ">")
		case xml.CharData:
			out.WriteString(Escape(string(t)))
		default:
			return "", errors.New("invalid SVG picture: comments and directives are not allowed")
		}
	}
	if roots != 1 || !strings.HasPrefix(out.String(), "<svg") {
		return "", errors.New("invalid SVG picture: want exactly one svg element at the top level")
	}
	return out.String(), nil
}

// writeStart writes a start tag, or returns an error if it is not allowed.
func writeStart(out *strings.Builder, t xml.StartElement) error {
	if !slices.Contains(cleanElements, t.Name.Local) {
		return fmt.Errorf("invalid SVG picture: element %.40q is not allowed", t.Name.Local)
	}
	out.WriteString("<" + t.Name.Local)
	for _, a := range t.Attr {
		if a.Name.Space != "" || !slices.Contains(cleanAttributes, a.Name.Local) {
			return fmt.Errorf("invalid SVG picture: attribute %.40q is not allowed", a.Name.Local)
		}
		out.WriteString(" " + a.Name.Local + `="` + Escape(a.Value) + `"`)
	}
	out.WriteString(">")
	return nil
}

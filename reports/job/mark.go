package job

import "bytes"

// The first bytes of each form of the report. A file that begins otherwise was not written by jobgait and is
// never replaced.
const (
	textMark = "=== " + markedName
	jsonMark = `{"schema":"jobgait.report/`
	htmlMark = "<!-- " + markedName

	// markedName is the name in the mark, before the version.
	markedName = "jobgait report "
)

// Mark reports whether head, the beginning of a file, shows a report of jobgait, so that a newer report of the
// same run may replace it. JSON is recognized by its first key, with any spacing.
func Mark(head []byte) bool {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(head, []byte(textMark)) || bytes.HasPrefix(head, []byte(htmlMark)) {
		return true
	}
	if len(head) > 256 {
		head = head[:256]
	}
	packed := bytes.Map(func(r rune) rune {
		if r == ' ' || r == '\n' || r == '\t' || r == '\r' {
			return -1
		}
		return r
	}, head)
	return bytes.HasPrefix(packed, []byte(jsonMark))
}

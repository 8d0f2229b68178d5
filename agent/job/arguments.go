package job

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// ArgumentsContext is what varies in the arguments of a command by itself, and whose
// command it is.
type ArgumentsContext struct {
	Cluster string // with UID the salt: equal arguments of two users have two fingerprints
	UID     int
	JobID   string
	Node    string
	WorkDir string
	PID     int // of the shell that was called in the command line ($$), 0 = not known
}

// fingerprintBytes is how much of the hash a fingerprint has.
const fingerprintBytes = 8

// ArgumentsFingerprint returns 16 hexadecimal digits for the arguments of a command, its
// own name (args[0]) left out: runs with other arguments are another history. Job id, node
// name, paths below the work directory, temporary files, times and the process id are
// replaced before, so that they make no difference. The text cannot be read from it.
func ArgumentsFingerprint(args []string, c ArgumentsContext) string {
	h := sha256.New()
	fmt.Fprintf(h, "jobgait arguments\x00%s\x00%d", c.Cluster, c.UID)
	for _, a := range args[min(1, len(args)):] {
		fmt.Fprintf(h, "\x00%s", c.stable(a))
	}
	return hex.EncodeToString(h.Sum(nil)[:fingerprintBytes])
}

// volatile are parts of arguments that differ from run to run: dates with or without a
// time, seconds since 1970 of this century, and names that mktemp makes.
var volatile = regexp.MustCompile(`\d{4}-?[01]\d-?[0-3]\d([T_ -]?[0-2]\d[:.-]?[0-5]\d([:.-]?[0-5]\d)?)?|` +
	`\b1[5-9]\d{8}(\.\d+)?\b|/tmp/[\w.-]*`)

// stable is an argument without what varies by itself.
func (c ArgumentsContext) stable(arg string) string {
	if c.WorkDir != "" && c.WorkDir != "/" {
		arg = strings.ReplaceAll(arg, filepath.Clean(c.WorkDir)+"/", "./")
	}
	arg = volatile.ReplaceAllString(arg, "%")
	if c.Node != "" {
		arg = replaceWord(arg, c.Node)
	}
	if c.JobID != "" {
		arg = replaceWord(arg, c.JobID)
	}
	if c.PID > 0 {
		arg = replaceWord(arg, strconv.Itoa(c.PID))
	}
	return arg
}

// replaceWord replaces a word of three letters or more: job 7 on a machine that has just
// been set up must not change the argument 7.
func replaceWord(text, word string) string {
	if len(word) < 3 {
		return text
	}
	return regexp.MustCompile(`\b`+regexp.QuoteMeta(word)+`\b`).ReplaceAllString(text, "%")
}

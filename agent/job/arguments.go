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

// ArgumentsContext has the values that vary in a command's arguments from run to run, and the user and cluster
// of the command.
type ArgumentsContext struct {
	Cluster string // with UID the salt of the hash: equal arguments of two users have different fingerprints
	UID     int
	JobID   string
	Node    string
	WorkDir string
	PID     int // of the shell that expanded the command line ($$), 0 if unknown
}

// fingerprintBytes is the number of bytes of the hash that a fingerprint keeps.
const fingerprintBytes = 8

// ArgumentsFingerprint returns 16 hexadecimal digits for the arguments of a command, its own name (args[0])
// left out: runs with different arguments are compared separately. Job id, node name, paths below the work
// directory, temporary files, times and the process id are replaced first, so that they make no difference. The
// arguments cannot be recovered from it.
func ArgumentsFingerprint(args []string, c ArgumentsContext) string {
	h := sha256.New()
	fmt.Fprintf(h, "jobgait arguments\x00%s\x00%d", c.Cluster, c.UID)
	for _, a := range args[min(1, len(args)):] {
		fmt.Fprintf(h, "\x00%s", c.withoutVolatile(a))
	}
	return hex.EncodeToString(h.Sum(nil)[:fingerprintBytes])
}

// volatile matches the parts of arguments that differ from run to run: dates with or without a time, recent
// seconds since 1970, and names that mktemp creates.
var volatile = regexp.MustCompile(`\d{4}-?[01]\d-?[0-3]\d([T_ -]?[0-2]\d[:.-]?[0-5]\d([:.-]?[0-5]\d)?)?|` +
	`\b1[5-9]\d{8}(\.\d+)?\b|/tmp/[\w.-]*`)

// withoutVolatile returns an argument with the parts that vary from run to run replaced.
func (c ArgumentsContext) withoutVolatile(arg string) string {
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

// replaceWord replaces each occurrence of a word by "%", if the word has at least three characters: job id 7
// must not change the argument 7.
func replaceWord(text, word string) string {
	if len(word) < 3 {
		return text
	}
	return regexp.MustCompile(`\b`+regexp.QuoteMeta(word)+`\b`).ReplaceAllString(text, "%")
}

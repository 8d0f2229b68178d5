package slurm

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"jobgait/agent/job"
	"jobgait/analysis/note"
)

// directive begins a line of options of a batch script.
const directive = "#SBATCH"

// maxScript limits what is read of a batch script, in bytes: options come before its first command.
const maxScript = 1 << 20

// ReadScript parses the options of a batch script: the lines that begin with #SBATCH, up to the first command.
// Options of other kinds and values that sbatch rejects are skipped.
func ReadScript(r io.Reader) (job.ScriptOptions, error) {
	var q job.ScriptOptions
	s := bufio.NewScanner(io.LimitReader(r, maxScript))
	s.Buffer(nil, maxScript)
	for s.Scan() {
		line := strings.TrimSpace(s.Text())
		options, is := strings.CutPrefix(line, directive)
		switch {
		case is && (options == "" || strings.IndexAny(options[:1], " \t") == 0):
			q.Directives++
			readOptions(&q, strings.Fields(withoutComment(options)))
		case line == "" || strings.HasPrefix(line, "#"):
		default:
			return q, nil
		}
	}
	return q, s.Err()
}

// withoutComment removes the text from a '#' that begins a word.
func withoutComment(options string) string {
	for _, mark := range []string{" #", "\t#"} {
		options, _, _ = strings.Cut(options, mark)
	}
	return options
}

// readOptions parses the words of an option line: --name=value, --name value, -n value and -nvalue.
func readOptions(q *job.ScriptOptions, words []string) {
	for i := 0; i < len(words); i++ {
		name, value, has := strings.Cut(words[i], "=")
		if short := words[i]; len(short) > 2 && short[0] == '-' && short[1] != '-' {
			name, value, has = short[:2], short[2:], true
		}
		if !has && i+1 < len(words) && !strings.HasPrefix(words[i+1], "-") {
			i++
			value = words[i]
		}
		readOption(q, name, strings.Trim(value, `"'`))
	}
}

// readOption sets the field of q for one option; other options are ignored.
func readOption(q *job.ScriptOptions, name, value string) {
	switch name {
	case "--time", "-t":
		q.LimitS = parseRequestedTime(value)
	case "--nodes", "-N":
		least, _, _ := strings.Cut(value, "-")
		q.Nodes, _ = job.ParseCount(least)
	case "--ntasks", "-n":
		q.Tasks, _ = job.ParseCount(value)
	case "--mem":
		q.MemoryBytes = parseMemory("mem=" + strings.ToUpper(strings.TrimRight(value, "bB")))
	case "--job-name", "-J":
		q.Name = note.Clean(value, job.MaxText)
	case "--jobgait":
		for label := range strings.SplitSeq(value, ",") {
			if app, is := strings.CutPrefix(label, "app="); is {
				q.App = note.Clean(app, job.MaxText)
			}
			if size, is := strings.CutPrefix(label, "size="); is {
				q.Size = note.Clean(size, job.MaxText)
			}
		}
	}
}

// parseRequestedTime parses a time limit as sbatch does and returns seconds: minutes, minutes:seconds,
// hours:minutes:seconds, days-hours, days-hours:minutes and days-hours:minutes:seconds. nil means no limit, or
// a value that sbatch rejects.
func parseRequestedTime(text string) *float64 {
	days, clock, hasDays := strings.Cut(text, "-")
	if !hasDays {
		days, clock = "0", text
	}
	d, ok := job.ParseCount(days)
	parts := strings.Split(clock, ":")
	if !ok || len(parts) > 3 {
		return nil
	}
	units := map[bool][][]float64{
		false: {{60}, {60, 1}, {3600, 60, 1}},
		true:  {{3600}, {3600, 60}, {3600, 60, 1}},
	}[hasDays][len(parts)-1]
	total := 86400 * float64(d)
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil {
			return nil
		}
		total += units[i] * float64(n)
	}
	if total == 0 {
		return nil
	}
	return &total
}

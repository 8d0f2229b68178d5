package slurm

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"strconv"
	"strings"

	"jobgait/agent/job"
	"jobgait/analysis/note"
)

// directive begins a line of options of a batch script.
const directive = "#SBATCH"

// maxScript limits what is read of a batch script, in bytes: options come before its first command.
const maxScript = 1 << 20

// ReadScript parses the options of a batch script as sbatch 22.05 does: the lines that begin with #SBATCH, up to
// the first command. Of a heterogeneous job it reads the first component. Options of other kinds and values that
// sbatch rejects are skipped.
func ReadScript(r io.Reader) (job.ScriptOptions, error) {
	var o requestedOptions
	s := bufio.NewScanner(io.LimitReader(r, maxScript))
	s.Buffer(nil, maxScript)
	s.Split(splitAtLineFeed)
	for first := true; s.Scan(); first = false {
		if first {
			o.Interpreter = strings.HasPrefix(s.Text(), "#!")
		}
		if !o.readLine(s.Text()) {
			break
		}
	}
	return o.complete(), s.Err()
}

// splitAtLineFeed splits at line feeds; unlike bufio.ScanLines it keeps a carriage return before one.
func splitAtLineFeed(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// requestedOptions are the options of a batch script as far as they are read. 0 and nil mean not requested.
type requestedOptions struct {
	job.ScriptOptions
	tasksPerNode, cpusPerTask int
	memoryPerCPU              *float64 // bytes
}

// readLine reads a line of the script, and its options if it begins with #SBATCH. It returns false if no option lines
// of the first component can follow: after the first command, and at the line that separates components.
func (o *requestedOptions) readLine(line string) bool {
	line, dos := strings.CutSuffix(line, "\r")
	o.DOSLineEnds = o.DOSLineEnds || dos
	options, is := strings.CutPrefix(line, directive)
	if !is {
		line = strings.TrimSpace(line)
		return line == "" || line[0] == '#'
	}
	o.Directives++
	words := optionWords(options)
	if len(words) > 0 && (words[0] == "hetjob" || words[0] == "packjob") {
		o.Heterogeneous = true
		return false
	}
	o.readWords(words)
	return true
}

// optionWords splits an option line into words as sbatch does: at blanks outside of quotes, without quotes and
// the backslash of an escaped character, up to a '#' that is neither quoted nor escaped.
func optionWords(line string) []string {
	var words []string
	var word []byte
	begun, quote := false, byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\' && i+1 < len(line):
			i++
			word, begun = append(word, line[i]), true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word = append(word, c)
		case c == '"' || c == '\'':
			quote, begun = c, true
		case c == '#', c == ' ', c == '\t', c == '\v', c == '\f', c == '\r':
			if begun {
				words = append(words, string(word))
			}
			word, begun = nil, false
			if c == '#' {
				return words
			}
		default:
			word, begun = append(word, c), true
		}
	}
	if begun {
		words = append(words, string(word))
	}
	return words
}

// flagLetters are the short options of sbatch without a value, which may stand before another in one word.
const flagLetters = "HOQWsv"

// readWords reads the words of an option line: --name=value, --name value, -n value, -nvalue and -Hnvalue. The
// word after an option that is not read is its value unless it begins with '-'.
func (o *requestedOptions) readWords(words []string) {
	for i := 0; i < len(words); i++ {
		name, value, has := strings.Cut(words[i], "=")
		if short := words[i]; len(short) > 1 && short[0] == '-' && short[1] != '-' {
			short = strings.TrimLeft(short[1:], flagLetters)
			if short == "" {
				continue
			}
			name, value, has = "-"+short[:1], short[1:], len(short) > 1
		}
		if !has && i+1 < len(words) && (o.reads(name) || !strings.HasPrefix(words[i+1], "-")) {
			i++
			value = words[i]
		}
		o.readOption(name, value)
	}
}

// reads reports whether readOption sets a field for an option.
func (o *requestedOptions) reads(name string) bool {
	return (&requestedOptions{}).readOption(name, "")
}

// readOption sets the field for one option; it returns false for other options.
func (o *requestedOptions) readOption(name, value string) bool {
	switch name {
	case "--time", "-t":
		o.LimitS = parseRequestedTime(value)
	case "--nodes", "-N":
		minNodes, _, _ := strings.Cut(value, "-")
		o.Nodes = parseScaledCount(minNodes)
	case "--ntasks", "-n":
		o.Tasks, _ = job.ParseCount(value)
	case "--ntasks-per-node":
		o.tasksPerNode, _ = job.ParseCount(value)
	case "--cpus-per-task", "-c":
		o.cpusPerTask, _ = job.ParseCount(value)
	case "--mem":
		o.MemoryBytes, o.memoryPerCPU = parseRequestedMemory(value), nil
	case "--mem-per-cpu":
		o.MemoryBytes, o.memoryPerCPU = nil, parseRequestedMemory(value)
	case "--job-name", "-J":
		o.Name = note.Clean(value, job.MaxText)
	case "--jobgait":
		o.readLabels(value)
	default:
		return false
	}
	return true
}

// readLabels reads jobgait's own labels, app=NAME,size=LABEL.
func (o *requestedOptions) readLabels(list string) {
	for label := range strings.SplitSeq(list, ",") {
		if app, is := strings.CutPrefix(label, "app="); is {
			o.App = note.Clean(app, job.MaxText)
		}
		if size, is := strings.CutPrefix(label, "size="); is {
			o.Size = note.Clean(size, job.MaxText)
		}
	}
}

// complete derives the number of tasks and the memory on each node from the options for each node, CPU and task.
func (o *requestedOptions) complete() job.ScriptOptions {
	q := o.ScriptOptions
	if q.Tasks == 0 && q.Nodes > 0 && o.tasksPerNode > 0 && o.tasksPerNode <= math.MaxInt32/q.Nodes {
		q.Tasks = q.Nodes * o.tasksPerNode
	}
	if o.memoryPerCPU != nil {
		perNode := max(o.tasksPerNode, 1)
		if q.Tasks > 0 {
			perNode = (q.Tasks + max(q.Nodes, 1) - 1) / max(q.Nodes, 1)
		}
		m := *o.memoryPerCPU * float64(perNode) * float64(max(o.cpusPerTask, 1))
		q.MemoryBytes = &m
	}
	return q
}

// parseRequestedMemory parses a size as sbatch does, like parseSize with or without a final B, else in MiB, and returns
// bytes; nil for 0, which means all of a node, and for a value that sbatch rejects.
func parseRequestedMemory(text string) *float64 {
	return parseSize(strings.TrimRight(text, "bB"), 1<<20)
}

// parseScaledCount parses a number with an optional suffix k or m, for 1024 and 1024 * 1024; 0 for other text.
func parseScaledCount(text string) int {
	factor := 1
	if n := len(text); n > 0 {
		if f, scaled := map[byte]int{'k': 1 << 10, 'K': 1 << 10, 'm': 1 << 20, 'M': 1 << 20}[text[n-1]]; scaled {
			text, factor = text[:n-1], f
		}
	}
	v, ok := job.ParseCount(text)
	if !ok || v > math.MaxInt32/factor {
		return 0
	}
	return v * factor
}

// parseRequestedTime parses a time limit as sbatch does and returns seconds, rounded up to minutes: minutes,
// minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes and days-hours:minutes:seconds. nil means
// no limit, or a value that sbatch rejects.
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
		if part == "" && hasDays && len(parts) == 1 {
			continue // "1-" is a day
		}
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil {
			return nil
		}
		total += units[i] * float64(n)
	}
	if total == 0 {
		return nil
	}
	total = 60 * math.Ceil(total/60)
	return &total
}

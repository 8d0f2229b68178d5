package slurm

import (
	"path"
	"strconv"
	"strings"

	"jobgait/agent/job"
	"jobgait/analysis/run"
)

// expandStdOut expands Slurm's file name pattern as far as the job is known: %j %A %a %u %x, with a width as in
// %5j. Other specifiers, and %%, stay as they are. The result is the path of the job's output if nothing is
// left over; a '%' in the last element only leaves a path whose directory is right; a '%' in the directory
// makes it useless: "".
//
// %A outside of an array is the job id, but the Prolog does not know whether the job is an array: it stays
// until Details contain that.
func expandStdOut(pattern string, jobID run.JobID, j run.Job) string {
	var out strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] != '%' {
			out.WriteByte(pattern[i])
			continue
		}
		end := i + 1
		for end < len(pattern) && pattern[end] >= '0' && pattern[end] <= '9' {
			end++
		}
		if end == len(pattern) {
			out.WriteString(pattern[i:])
			break
		}
		if s, ok := specifier(pattern[end], pattern[i+1:end], jobID, j); ok {
			out.WriteString(s)
		} else {
			out.WriteString(pattern[i : end+1])
		}
		i = end
	}
	s := out.String()
	if strings.Contains(path.Dir(s), "%") {
		return ""
	}
	return job.CleanPath(s)
}

// specifier returns the text for one letter after '%'. A number is padded with zeros to width digits, at most 10. It
// returns false for %%, an unknown letter, and a value that the job lacks or that is not safe in a path.
func specifier(c byte, width string, jobID run.JobID, j run.Job) (string, bool) {
	number := func(n *int64) (string, bool) {
		if n == nil {
			return "", false
		}
		s := strconv.FormatInt(*n, 10)
		w, _ := strconv.Atoi(width)
		return strings.Repeat("0", max(0, min(w, 10)-len(s))) + s, true // Slurm pads to 10 at most
	}
	name := func(s string) (string, bool) {
		// Slurm puts the name in as it is; one that would move the file
		// elsewhere, or that Clean changed, is not expanded.
		return s, s != "" && !strings.ContainsAny(s, "/?") && s != ".."
	}
	switch c {
	case '%':
		// "%%" cannot be distinguished from a leftover '%' later, and no report depends on it: leave it.
		return "", false
	case 'j':
		id := int64(jobID)
		return number(&id)
	case 'A':
		return number(j.ArrayJobID)
	case 'a':
		return number(j.ArrayTaskID)
	case 'u':
		return name(j.User)
	case 'x':
		return name(j.Name)
	}
	return "", false
}

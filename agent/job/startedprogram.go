package job

import (
	"path/filepath"
	"slices"
	"strings"

	"jobgait/analysis/note"
)

// StartedProgram returns the name of what a command line runs: the program, behind launchers if any, or the
// script, module, jar or image that an interpreter or container runs; then interpreted is true. For code given
// as text (-c) or without a script it returns the interpreter, for a launcher without a command the launcher,
// and "" for more than maxLaunchers nested launchers. Versions and dates in a script's name are replaced by
// '#', because they belong to the run and not to the application.
func StartedProgram(args []string) (name string, interpreted bool) {
	for depth := 0; len(args) > 0 && depth < maxLaunchers; depth++ {
		program := programFamily(args[0])
		if k, ok := interpreters()[program]; ok {
			if s := k.scriptArgument(args[1:]); s != "" {
				return foldVersions(cleanName(s)), true
			}
			return cleanName(args[0]), false
		}
		l, ok := launchers()[program]
		if !ok {
			return cleanName(args[0]), false
		}
		rest := l.startedArguments(args[1:])
		if len(rest) == 0 {
			return cleanName(args[0]), false
		}
		if l.image {
			return cleanName(rest[0]), true
		}
		args = rest
	}
	return "", false
}

// maxLaunchers limits the number of nested launchers.
const maxLaunchers = 8

// cleanName returns the printable base name of a path.
func cleanName(path string) string {
	return note.Clean(filepath.Base(strings.TrimSuffix(path, "/")), MaxText)
}

// programFamily returns the name of a program without login dash, up to the first '.' or '-' and without digits
// at its end, which removes version and MPI vendor: python for python3.11, mpirun for mpirun.openmpi.
func programFamily(path string) string {
	name := strings.TrimPrefix(filepath.Base(path), "-")
	if i := strings.IndexAny(name, ".-"); i > 0 {
		name = name[:i]
	}
	if bare := strings.TrimRight(name, "0123456789"); bare != "" {
		name = bare
	}
	return name
}

// IsInterpreter reports whether a program is an interpreter of scripts.
func IsInterpreter(program string) bool {
	_, ok := interpreters()[programFamily(program)]
	return ok
}

// grammar describes a command line's options: valued take the next word as their value, named name what is run,
// text give it as text.
type grammar struct {
	valued, named, text []string
	// image says that the first word is a container image, subcommand that one word precedes it; words is the
	// number of words before the started command (a mask, a duration).
	image, subcommand bool
	words             int
	// two are options with two values.
	two []string
}

// interpreters returns the grammars of known interpreters by program family.
func interpreters() map[string]grammar {
	shell := grammar{valued: splitWords("-o +o -O +O --rcfile --init-file"), text: splitWords("-c")}
	return map[string]grammar{
		"python": {valued: splitWords("-W -X -Q --check-hash-based-pycs"), named: splitWords("-m"), text: splitWords("-c")},
		"pypy":   {valued: splitWords("-W -X"), named: splitWords("-m"), text: splitWords("-c")},
		"perl":   {valued: splitWords("-I -x"), text: splitWords("-e -E")},
		"ruby":   {valued: splitWords("-I -r -C -E"), text: splitWords("-e")},
		"julia": {valued: splitWords("-t --threads -p --procs -J --sysimage -L --load -H --home -C --cpu-target " +
			"--machine-file"),
			text: splitWords("-e --eval -E --print")},
		"Rscript": {text: splitWords("-e")},
		"R":       {named: splitWords("-f --file"), text: splitWords("-e")},
		"java": {valued: splitWords("-cp -classpath --class-path -p --module-path --add-modules"),
			named: splitWords("-jar -m --module")},
		"node":   {valued: splitWords("-r --require --import"), text: splitWords("-e --eval -p --print")},
		"octave": {valued: splitWords("-p --path --exec-path"), text: splitWords("--eval")},
		"bash":   shell, "sh": shell, "dash": shell, "ksh": shell, "zsh": shell, "csh": {text: splitWords("-c")},
		"tcsh": {text: splitWords("-c")},
	}
}

// launchers returns the grammars of known launchers and container runtimes by program family.
func launchers() map[string]grammar {
	mpi := grammar{valued: splitWords("-n -np --np -c -N -npernode --npernode -ppn -perhost -H -host --host -hosts " +
		"-hostfile --hostfile -machinefile --machinefile -f " +
		"-x -wdir --wdir -wd -map-by --map-by -bind-to --bind-to -rank-by --rank-by -rankfile --rankfile -rf " +
		"-output-filename --output-filename " +
		"-genvlist -bootstrap -launcher --cpus-per-proc -report-uri --tune -tune --prefix -iface"),
		two: splitWords("-mca --mca -gmca --gmca -genv -env --pmca --prtemca")}
	exec := grammar{valued: splitWords(
		"-B --bind -H --home -W --workdir --pwd --env --env-file --overlay --scratch -S --app --network --security"),
		image: true, subcommand: true}
	return map[string]grammar{
		"mpirun": mpi, "mpiexec": mpi, "orterun": mpi, "prterun": mpi, "prun": mpi,
		"srun": {valued: splitWords("-n -N -c -p -A -t -J -o -e -i -w -x -D -G -C -M -q -m -L -d -r -T " +
			"--ntasks --nodes --cpus-per-task --partition --account --time --job-name --output --error --input --nodelist " +
			"--exclude --chdir " +
			"--gpus --constraint --qos --distribution --mpi --cpu-bind --mem --mem-per-cpu --mem-bind --ntasks-per-node " +
			"--gres --reservation --jobgait")},
		"time":        {valued: splitWords("-f --format -o --output")},
		"nice":        {valued: splitWords("-n --adjustment")},
		"ionice":      {valued: splitWords("-c --class -n --classdata")},
		"timeout":     {valued: splitWords("-k --kill-after -s --signal"), words: 1},
		"env":         {valued: splitWords("-u --unset -C --chdir -S --split-string")},
		"stdbuf":      {valued: splitWords("-i -o -e --input --output --error")},
		"taskset":     {words: 1},
		"numactl":     {valued: splitWords("-i -w -N -m -C -P -p")},
		"nohup":       {},
		"setsid":      {},
		"chrt":        {words: 1},
		"apptainer":   exec,
		"singularity": exec,
		"docker": {valued: splitWords(
			"-v --volume -e --env -w --workdir -u --user --name --entrypoint -p --publish --mount " +
				"--cpus -m --memory --network --gpus --ipc --hostname -h"),
			image: true, subcommand: true},
		"podman": {valued: splitWords(
			"-v --volume -e --env -w --workdir -u --user --name --entrypoint -p --publish --mount " +
				"--cpus -m --memory --network --ipc --hostname -h"),
			image: true, subcommand: true},
	}
}

// splitWords splits a text at spaces.
func splitWords(s string) []string { return strings.Fields(s) }

// scriptArgument returns the script or module in an interpreter's arguments, "" for text or without one.
func (g grammar) scriptArgument(args []string) string {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		option, value, glued := strings.Cut(arg, "=")
		next := ""
		if i+1 < len(args) {
			next = args[i+1]
		}
		switch {
		case arg == "-" || slices.Contains(g.text, option) || g.endsInTextOption(arg):
			return ""
		case slices.Contains(g.named, option):
			if !glued {
				value = next
			}
			return value
		case arg == "--":
			return next
		case !strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "+"):
			return arg
		case slices.Contains(g.valued, option) && !glued:
			i++
		}
	}
	return ""
}

// endsInTextOption reports whether bundled one-letter options end in one that text follows, as -lc does.
func (g grammar) endsInTextOption(arg string) bool {
	return len(arg) > 2 && len(arg) <= 5 && arg[0] == '-' && arg[1] != '-' && !strings.Contains(arg, "=") &&
		slices.Contains(g.text, "-"+arg[len(arg)-1:]) && strings.Trim(arg[1:], "abcdefghijklmnopqrstuvwxyzE") == ""
}

// startedArguments returns the command line that a launcher starts, or the image and its command; nil without
// one.
func (g grammar) startedArguments(args []string) []string {
	words := g.words
	if g.subcommand {
		words++
	}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		option, _, glued := strings.Cut(arg, "=")
		switch {
		case arg == "--":
			return args[i+1:]
		case strings.HasPrefix(arg, "-") && len(arg) > 1:
			if slices.Contains(g.two, option) {
				i += 2
			} else if slices.Contains(g.valued, option) && !glued {
				i++
			}
		case isAssignment(arg): // env NAME=VALUE
		case words > 0:
			words--
		default:
			return args[i:]
		}
	}
	return nil
}

// isAssignment reports whether a word has the form NAME=VALUE.
func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && !strings.ContainsAny(name, "/.-")
}

// foldVersions replaces numbers with dots (1.2) and long numbers (dates, process ids) by '#'.
func foldVersions(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); {
		if name[i] < '0' || name[i] > '9' {
			b.WriteByte(name[i])
			i++
			continue
		}
		end, dots := i, 0
		for end < len(name) && (name[end] >= '0' && name[end] <= '9' || name[end] == '.' && end+
			1 < len(name) && name[end+1] >= '0' && name[end+1] <= '9') {
			if name[end] == '.' {
				dots++
			}
			end++
		}
		if dots > 0 || end-i >= longNumber {
			b.WriteByte('#')
		} else {
			b.WriteString(name[i:end])
		}
		i = end
	}
	return b.String()
}

// longNumber is the number of digits from which a number counts as a date or id: a date has six.
const longNumber = 6

package job

import (
	"path/filepath"
	"slices"
	"strings"

	"jobgait/analysis/note"
)

// Started returns what a command line is a run of: the program, or what a launcher
// starts, or the script, module, jar or image that an interpreter or a container runs;
// then interpreted is true. Text that an interpreter is given to run has no name: then
// it is the interpreter's. Versions and dates in the name of a script are folded to '#':
// they are of the run, and not of the application.
func Started(args []string) (name string, interpreted bool) {
	for depth := 0; len(args) > 0 && depth < maxLaunchers; depth++ {
		program := family(args[0])
		if k, ok := interpreters()[program]; ok {
			if s := k.script(args[1:]); s != "" {
				return folded(clean(s)), true
			}
			return clean(args[0]), false
		}
		l, ok := launchers()[program]
		if !ok {
			return clean(args[0]), false
		}
		rest := l.started(args[1:])
		if len(rest) == 0 {
			return clean(args[0]), false
		}
		if l.image {
			return clean(rest[0]), true
		}
		args = rest
	}
	return "", false
}

// maxLaunchers bounds how many start each other.
const maxLaunchers = 8

func clean(path string) string {
	return note.Clean(filepath.Base(strings.TrimSuffix(path, "/")), MaxText)
}

// family is the name of a program without version, MPI's maker or login dash: python of
// python3.11, mpirun of mpirun.openmpi.
func family(path string) string {
	name := strings.TrimPrefix(filepath.Base(path), "-")
	if i := strings.IndexAny(name, ".-"); i > 0 {
		name = name[:i]
	}
	if bare := strings.TrimRight(name, "0123456789"); bare != "" {
		name = bare
	}
	return name
}

// Interprets is whether a program is run for a script.
func Interprets(program string) bool {
	_, ok := interpreters()[family(program)]
	return ok
}

// grammar is how a command line is read: which options take the next word as their
// value, which name what is run, and which give it as text.
type grammar struct {
	valued, named, text []string
	// image is whether the first word names what is run, subcommand whether a word comes
	// before that, words how many come before what is started (a mask, a duration).
	image, subcommand bool
	words             int
	// two are options with two values.
	two []string
}

func interpreters() map[string]grammar {
	shell := grammar{valued: words("-o +o -O +O --rcfile --init-file"), text: words("-c")}
	return map[string]grammar{
		"python": {valued: words("-W -X -Q --check-hash-based-pycs"), named: words("-m"), text: words("-c")},
		"pypy":   {valued: words("-W -X"), named: words("-m"), text: words("-c")},
		"perl":   {valued: words("-I -x"), text: words("-e -E")},
		"ruby":   {valued: words("-I -r -C -E"), text: words("-e")},
		"julia": {valued: words("-t --threads -p --procs -J --sysimage -L --load -H --home -C --cpu-target --machine-file"),
			text: words("-e --eval -E --print")},
		"Rscript": {text: words("-e")},
		"R":       {named: words("-f --file"), text: words("-e")},
		"java": {valued: words("-cp -classpath --class-path -p --module-path --add-modules"),
			named: words("-jar -m --module")},
		"node":   {valued: words("-r --require --import"), text: words("-e --eval -p --print")},
		"octave": {valued: words("-p --path --exec-path"), text: words("--eval")},
		"bash":   shell, "sh": shell, "dash": shell, "ksh": shell, "zsh": shell, "csh": {text: words("-c")},
		"tcsh": {text: words("-c")},
	}
}

func launchers() map[string]grammar {
	mpi := grammar{valued: words("-n -np --np -c -N -npernode --npernode -ppn -perhost -H -host --host -hosts " +
		"-hostfile --hostfile -machinefile --machinefile -f " +
		"-x -wdir --wdir -wd -map-by --map-by -bind-to --bind-to -rank-by --rank-by -rankfile --rankfile -rf " +
		"-output-filename --output-filename " +
		"-genvlist -bootstrap -launcher --cpus-per-proc -report-uri --tune -tune --prefix -iface"),
		two: words("-mca --mca -gmca --gmca -genv -env --pmca --prtemca")}
	exec := grammar{valued: words(
		"-B --bind -H --home -W --workdir --pwd --env --env-file --overlay --scratch -S --app --network --security"),
		image: true, subcommand: true}
	return map[string]grammar{
		"mpirun": mpi, "mpiexec": mpi, "orterun": mpi, "prterun": mpi, "prun": mpi,
		"srun": {valued: words("-n -N -c -p -A -t -J -o -e -i -w -x -D -G -C -M -q -m -L -d -r -T " +
			"--ntasks --nodes --cpus-per-task --partition --account --time --job-name --output --error --input --nodelist " +
			"--exclude --chdir " +
			"--gpus --constraint --qos --distribution --mpi --cpu-bind --mem --mem-per-cpu --mem-bind --ntasks-per-node " +
			"--gres --reservation --jobgait")},
		"time":        {valued: words("-f --format -o --output")},
		"nice":        {valued: words("-n --adjustment")},
		"ionice":      {valued: words("-c --class -n --classdata")},
		"timeout":     {valued: words("-k --kill-after -s --signal"), words: 1},
		"env":         {valued: words("-u --unset -C --chdir -S --split-string")},
		"stdbuf":      {valued: words("-i -o -e --input --output --error")},
		"taskset":     {words: 1},
		"numactl":     {valued: words("-i -w -N -m -C -P -p")},
		"nohup":       {},
		"setsid":      {},
		"chrt":        {words: 1},
		"apptainer":   exec,
		"singularity": exec,
		"docker": {valued: words("-v --volume -e --env -w --workdir -u --user --name --entrypoint -p --publish --mount " +
			"--cpus -m --memory --network --gpus --ipc --hostname -h"),
			image: true, subcommand: true},
		"podman": {valued: words("-v --volume -e --env -w --workdir -u --user --name --entrypoint -p --publish --mount " +
			"--cpus -m --memory --network --ipc --hostname -h"),
			image: true, subcommand: true},
	}
}

func words(s string) []string { return strings.Fields(s) }

// script returns what an interpreter runs, "" where it has no name.
func (g grammar) script(args []string) string {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		option, value, glued := strings.Cut(arg, "=")
		next := ""
		if i+1 < len(args) {
			next = args[i+1]
		}
		switch {
		case arg == "-" || slices.Contains(g.text, option) || g.bundled(arg):
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

// bundled is whether several letters in one option end in one that text follows: -lc.
func (g grammar) bundled(arg string) bool {
	return len(arg) > 2 && len(arg) <= 5 && arg[0] == '-' && arg[1] != '-' && !strings.Contains(arg, "=") &&
		slices.Contains(g.text, "-"+arg[len(arg)-1:]) && strings.Trim(arg[1:], "abcdefghijklmnopqrstuvwxyzE") == ""
}

// started returns the command line that a launcher starts, the image first where it is
// one that is run.
func (g grammar) started(args []string) []string {
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
		case assignment(arg): // env NAME=VALUE
		case words > 0:
			words--
		default:
			return args[i:]
		}
	}
	return nil
}

// assignment is whether a word is NAME=VALUE.
func assignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && !strings.ContainsAny(name, "/.-")
}

// folded replaces versions (1.2, v3) and long numbers (dates, process ids) by '#'.
func folded(name string) string {
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

// longNumber is how many digits no number of a script's own has: a date has six.
const longNumber = 6
